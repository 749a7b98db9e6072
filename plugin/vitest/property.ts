import { asyncProperty, check, PreconditionFailure, type Arbitrary, type Parameters } from 'fast-check'
import type { Outcome } from '../evaluation/evaluate.ts'
import type { PassedSearch } from '../evaluation/verdict-cache.ts'
import { bothOf } from '../evaluation/assessment.ts'
import type { KernelCase } from '../model/index.ts'

/** One search for a case that a kernel gets wrong. */
export interface Search {
  domain: Arbitrary<KernelCase>
  /** cases to try first, in order: they failed in an earlier run */
  corpus: readonly KernelCase[]
  /** judges one case; `infrastructure` ends the search without a finding */
  evaluate: (kernelCase: KernelCase) => Promise<Outcome>
  /** generated cases to try */
  runs: number
  /** what an earlier search under the same seed has tried in vain before its time was up: it is not judged again */
  earlier?: Pick<PassedSearch, 'generated' | 'assessment'> | undefined
  /** wall-clock milliseconds after which no further case is begun; one that has begun is judged to its end */
  budgetMs: number
  seed: number
  /** `seed:path` of an earlier finding: that case alone is tried */
  replay?: string | undefined
  signal: AbortSignal
}

/** What a search came to. `assessment` is what the profiles say of all cases together. */
export type Finding =
  | {
      kind: 'holds'
      /** cases judged, and how many of them were generated; with those of the earlier search */
      runs: number
      generated: number
      interrupted: boolean
      assessment: Outcome['assessment']
    }
  | {
      kind: 'fails'
      case: KernelCase
      outcome: Outcome
      runs: number
      shrinks: number
      replay: string
      interrupted: boolean
    }
  | { kind: 'fails-again'; case: KernelCase; outcome: Outcome; runs: number }
  | { kind: 'stopped'; case: KernelCase; outcome: Outcome; runs: number }

/**
 * Tries the corpus, then generated cases, and shrinks the first failure to the smallest that still fails. Every case is
 * reproducible: by value from the corpus, by `seed:path` otherwise.
 */
export async function search(options: Search): Promise<Finding> {
  const { corpus, evaluate, replay, signal, earlier } = options
  const skipped = earlier?.generated ?? 0
  let runs = skipped
  let stopped: { case: KernelCase; outcome: Outcome } | undefined
  let assessment: Outcome['assessment'] = earlier?.assessment
  const outcomes = new Map<KernelCase, Outcome>()

  const holds = async (kernelCase: KernelCase): Promise<boolean> => {
    signal.throwIfAborted()
    // after a failure of ours nothing is learnt from further cases, and the search must not shrink towards it
    if (stopped) return true
    const outcome = await evaluate(kernelCase)
    runs++
    if (outcome.verdict.kind === 'infrastructure') {
      stopped = { case: kernelCase, outcome }
      return true
    }
    assessment = bothOf(assessment, outcome.assessment)
    if (outcome.verdict.kind === 'correct') return true
    outcomes.set(kernelCase, outcome)
    return false
  }

  if (replay === undefined) {
    for (const known of corpus) {
      const good = await holds(known)
      if (stopped) return { kind: 'stopped', ...stopped, runs }
      const outcome = outcomes.get(known)
      if (!good && outcome) return { kind: 'fails-again', case: known, outcome, runs }
    }
  }
  if (options.runs === 0) return { kind: 'holds', runs, generated: 0, interrupted: false, assessment }

  let generated = 0
  const end = performance.now() + options.budgetMs
  const property = asyncProperty(options.domain, async (kernelCase) => {
    if (generated++ < skipped) return true
    // never while a case runs: a candidate that gives no answer would choose the cases that it is judged by
    if (generated > skipped + 1 && performance.now() >= end) throw new PreconditionFailure(true)
    return await holds(kernelCase)
  })
  const details = await check(property, { ...parametersOf(options), markInterruptAsFailure: false })
  if (stopped) return { kind: 'stopped', ...stopped, runs }
  signal.throwIfAborted()
  const [found] = details.counterexample ?? []
  const outcome = found && outcomes.get(found)
  if (details.failed && found && outcome) {
    const { seed, counterexamplePath, numShrinks: shrinks, interrupted } = details
    return {
      kind: 'fails',
      case: found,
      outcome,
      runs: details.numRuns,
      shrinks,
      replay: `${seed}:${counterexamplePath}`,
      interrupted,
    }
  }
  if (details.failed && details.errorInstance instanceof Error) throw details.errorInstance
  const { interrupted, numRuns } = details
  return { kind: 'holds', runs, generated: Math.max(numRuns, skipped), interrupted, assessment }
}

function parametersOf({ replay, seed, runs }: Search): Parameters<[KernelCase]> {
  if (replay === undefined) return { seed, numRuns: runs }
  const match = /^(-?\d+):(\d+(?::\d+)*)$/.exec(replay)
  if (!match?.[1] || !match[2])
    throw new Error(`NPU_REPLAY is ${JSON.stringify(replay)}; allowed: seed:path, e.g. 1812:7:2:0`)
  return { seed: Number(match[1]), path: match[2], numRuns: 1, endOnFailure: true }
}
