import type { KernelTask } from '../task/index.ts'
import type { Judging } from './judging.ts'
import type { RowKind, RowOf } from './row.ts'

/** What checks of rows have at hand. */
export interface CheckContext {
  /** the task of a suite. Rejects with a `DatasetError` where there is none. */
  readonly taskOf: (suite: string, name: string) => Promise<KernelTask>
  judging: Judging
}

/** Checks a row by itself. Returns what is wrong with it, in one line; undefined: nothing. Rejects where the machine is at fault. */
export type Verifier<K extends RowKind> = (row: RowOf<K>, context: CheckContext) => Promise<string | undefined>

/** Of every kind but `mixed`, whose rows are checked several at once. */
export type Verifiers = { readonly [K in Exclude<RowKind, 'mixed'>]: Verifier<K> }
