import type { LedgerEntry } from './entry.ts'

/** What entries have to say to be selected: one value of a field, or one of several. A field left out allows all. */
export interface Selection {
  suite?: string | readonly string[]
  group?: string | null | readonly (string | null)[]
  task?: string | readonly string[]
  category?: string | readonly string[]
  sample?: string | null | readonly (string | null)[]
  model?: string | null | readonly (string | null)[]
  stage?: LedgerEntry['stage'] | readonly LedgerEntry['stage'][]
  /** kind of the verdict */
  verdict?: LedgerEntry['verdict']['kind'] | readonly LedgerEntry['verdict']['kind'][]
  /** `full` leaves out what was judged without a layer of the confinement, or where the target tells none; `weak` is the former */
  confinement?: 'full' | 'weak'
}

/** The entries that a selection allows, in their order, e.g. `select(entries, { suite: 'own', stage: 'latency' })`. */
export const select = (entries: readonly LedgerEntry[], selection: Selection): LedgerEntry[] =>
  entries.filter(
    (entry) =>
      allows(selection.suite, entry.suite) &&
      allows(selection.group, entry.group) &&
      allows(selection.task, entry.task) &&
      allows(selection.category, entry.category) &&
      allows(selection.sample, entry.sample) &&
      allows(selection.model, entry.model) &&
      allows(selection.stage, entry.stage) &&
      allows(selection.verdict, entry.verdict.kind) &&
      allows(selection.confinement, typeof entry.confinement === 'object' ? 'weak' : entry.confinement),
  )

const allows = <T>(wanted: T | readonly T[] | undefined, value: T): boolean =>
  wanted === undefined || (Array.isArray(wanted) ? wanted.includes(value) : wanted === value)
