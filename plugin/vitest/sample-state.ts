import type { RunnerTask } from 'vitest'
import type { Outcome } from '../evaluation/evaluate.ts'
import type { LedgerEntry } from '../ledger/index.ts'
import type { KernelMeta } from './meta.ts'
import type { BuildArgs, BuildResult } from '../model/index.ts'

/**
 * What the tests of a sample tell each other of a static case: the verdict, how the launch went, and since when it is
 * known.
 */
export type JudgedCase = Pick<Outcome, 'verdict' | 'launch' | 'remembered'>

/** What the tests of one sample know of each other. */
export interface SampleState {
  buildArgs: BuildArgs
  /** asked once, by whichever test runs first */
  building?: Promise<BuildResult>
  built?: BuildResult
  /** what the run that is continued has come to; null: it has to be judged */
  earlier?: Promise<LedgerEntry[] | null>
  /** another sample before this one that has written the same */
  twin?: SampleState | undefined
  /** what its tests have said, by their titles, where other samples have written the same */
  ended?: Map<string, KernelMeta>
  /** resolves when all of its tests have ended */
  over: Promise<void>
  isOver: boolean
  end: () => void
  /** the test that reports a failed build; all others are skipped */
  reporter?: string
  /** the test that did not end by itself first, and how: each further one would cost its whole limit */
  hung?: { test: string; title: string; how: string }
  /** the test that has told of a defect first, by `defectOf` */
  defects: Map<string, string>
  /** how the sample did on the static cases judged so far, by name */
  outcomes: Map<string, JudgedCase>
  /** blocks of its code that the cases judged so far have reached */
  reached?: string | undefined
  /** tiling keys of their launches, decimal */
  tilingKeys: Set<string>
}

// The runner is loaded by Node, a spec through Vite: where the package is linked these are two copies of this module.
const key = Symbol.for('vitest-npu.samples')
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nobody else knows the symbol
const shared = globalThis as { [key]?: Map<string, SampleState> }
const states = (shared[key] ??= new Map<string, SampleState>())

const nothing = (): void => {}

/** A sample of which nothing is known yet. */
export function newSample(buildArgs: BuildArgs): SampleState {
  let resolveOver = nothing
  const over = new Promise<void>((resolve) => (resolveOver = resolve))
  const end = () => {
    state.isOver = true
    resolveOver()
  }
  const state = {
    buildArgs,
    outcomes: new Map(),
    defects: new Map(),
    tilingKeys: new Set<string>(),
    over,
    isOver: false,
    end,
  }
  return state
}

/** Forgets what only the tests of a sample ask for: they have ended, and there may be thousands of others. */
export function forget(state: SampleState): void {
  state.outcomes.clear()
  state.tilingKeys.clear()
  delete state.reached
  delete state.earlier
  delete state.building
}

const nameOf = (file: string, { model, task, sample }: SampleName): string =>
  JSON.stringify([file, model, task, sample])

type SampleName = Pick<KernelMeta, 'model' | 'task' | 'sample'>

/** Makes a sample known to the runner; a spec that is collected again replaces what was known, for whose end nobody may wait then. */
export function registerSample(file: string, name: SampleName, state: SampleState): void {
  const known = nameOf(file, name)
  states.get(known)?.end()
  states.set(known, state)
}

/** The sample a test is about; undefined for tests that are not of a kernel suite. */
export function stateOf(test: RunnerTask): SampleState | undefined {
  const meta = test.meta.npu
  return meta?.sample ? states.get(nameOf(test.file.filepath, meta)) : undefined
}
