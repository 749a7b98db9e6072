import { join, relative } from 'node:path'

export interface ReachSettings {
  seed: number
  /** static cases with larger arguments are left out: they reach what smaller ones do, and take minutes */
  elements: number
}

/** Milliseconds of a search: how busy the machine is must not decide which cases are judged. */
const fuzzBudgetMs = 600_000

/** Options of a run that leaves nothing beside its folder, which the repository's own runs would find. */
export const settingsOf = (repository: string, folder: string, way: string, { seed, elements }: ReachSettings) => ({
  candidates: 'references/baseline',
  seed,
  remember: false,
  maxElements: elements,
  fuzzBudgetMs,
  latencyIterations: 1,
  runs: relative(repository, join(folder, 'runs')),
  ledger: relative(repository, join(folder, `${way}.jsonl`)),
  corpus: relative(repository, join(folder, 'corpus')),
})
