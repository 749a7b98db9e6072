import { outcomesOf, type LedgerEntry, type Outcome } from '../ledger/index.ts'
import { classOf, errorOf } from '../ledger/errors.ts'
import type { Table } from '../ledger/table.ts'

const columns: readonly [string, (outcome: Outcome) => string | number | boolean | null | undefined][] = [
  ['model', ({ entries }) => entries[0]?.model],
  ['suite', ({ entries }) => entries[0]?.suite],
  ['level', ({ entries }) => entries[0]?.group],
  ['category', ({ entries }) => entries[0]?.category],
  ['task', ({ entries }) => entries[0]?.task],
  ['sample', ({ entries }) => entries[0]?.sample],
  ['compiles', ({ compiled }) => compiled],
  ['runs', ({ executed }) => executed],
  ['correct', ({ correct }) => correct],
  ['error', (outcome) => errorOf(outcome)?.kind],
  ['class', (outcome) => errorClassOf(outcome)],
  ['latency', ({ entries }) => latencyEntry(entries)?.latency?.mean],
  ['baseline', ({ entries }) => latencyEntry(entries)?.baseline?.mean],
  ['speedup', ({ speedup }) => speedup],
  ['accuracy', ({ accuracy }) => accuracy],
]

function errorClassOf(outcome: Outcome): string | null {
  const error = errorOf(outcome)
  return error && classOf(error)
}

const latencyEntry = (entries: readonly LedgerEntry[]): LedgerEntry | undefined =>
  entries.find(({ latency }) => latency !== undefined)

/** A row for each judged sample: how far it got, what stopped it first, its times in nanoseconds. What is unknown is empty. */
export const samplesTable = (entries: readonly LedgerEntry[]): Pick<Table, 'header' | 'rows'> => ({
  header: columns.map(([name]) => name),
  rows: outcomesOf(entries).map((outcome) => columns.map(([, value]) => String(value(outcome) ?? ''))),
})
