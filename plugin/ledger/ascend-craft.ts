import type { LedgerEntry } from './entry.ts'
import { scorecardOf, type Figure } from './scorecard.ts'
import { select } from './select.ts'

/** Speedups that the figures are for. */
const speedups = [0.2, 0.8, 1] as const

/** What AscendCraft reports of one sample for each of the 52 tasks of MultiKernelBench: arXiv 2601.22760, Ascend 910B2, eager PyTorch. */
const published = { compile: 0.981, correct: 0.904, fast: [0.827, 0.577, 0.462] } as const

/** The figures of a run on the tasks that AscendCraft is measured on, and its own. */
export interface CraftFigures {
  /** tasks that were judged */
  tasks: number
  /** of each: Comp@1, Pass@1, and Fast@1 for the speedups */
  columns: readonly string[]
  rows: readonly { name: string; values: readonly (number | null)[] }[]
}

const value = (figures: readonly Figure[]): number | null => figures[0]?.value ?? null

/** The suite of these tasks. */
const suite = 'mkb'

/**
 * Comp@1, Pass@1 and Fast@1 of the tasks of MultiKernelBench, with a speedup of just so much counted in and left out, beside those of
 * the paper; undefined where a run has none of them. Theirs are measured against eager PyTorch, those of a run against its baseline.
 */
export function craftFigures(entries: readonly LedgerEntry[]): CraftFigures | undefined {
  const own = select(entries, { suite })
  const { all } = scorecardOf(own, { k: [1], p: speedups, resamples: 0 })
  if (all.samples === 0) return undefined
  const row = (comparison: '>=' | '>') => ({
    name: `this run, ${comparison}`,
    values: [
      value(all.compile),
      value(all.correct),
      ...speedups.map((p) => value(all.fast.filter((each) => each.p === p && each.comparison === comparison))),
    ],
  })
  return {
    tasks: all.tasks,
    columns: ['Comp@1', 'Pass@1', ...speedups.map((p) => `Fast_${p.toFixed(1)}@1`)],
    rows: [
      row('>='),
      row('>'),
      { name: 'AscendCraft, >=', values: [published.compile, published.correct, ...published.fast] },
    ],
  }
}
