import { isDeepStrictEqual } from 'node:util'
import type { LedgerEntry } from './entry.ts'
import { classOf } from './errors.ts'
import { samplesOf } from './outcome.ts'
import { inOneLine } from './table.ts'

/** The entries of one ledger, and what it is called. */
export interface NamedLedger {
  name: string
  entries: readonly LedgerEntry[]
}

/** What two runs that judged the same question have to agree in. */
const agreed = [
  'group',
  'verdict',
  'profile',
  'target',
  'soc',
  'sources',
  'artifact',
  'latency',
  'baseline',
  'speedup',
] as const

/** What all rows of a sample have to agree in, as far as they tell: what was written, and what was built of all that it includes. */
const candidateFields = ['sources', 'artifact'] as const

/** What all rows about the time of a sample have to agree in, whatever they are called. */
const timeFields = ['latency', 'baseline', 'speedup', 'speedupBand'] as const

interface Named {
  name: string
  entry: LedgerEntry
}

/**
 * Joins ledgers, those of shards for instance, in their order. A question that several of them have judged alike is there
 * once, as the first one has it; one that a ledger could not judge (`infrastructure`), as another has judged it. Throws an
 * error of one line that names the question and both ledgers where they differ in the kind of the verdict, in the class of
 * its error, or in what decides it; seed, times and how much was remembered may differ. All entries of one sample are of the same sources, of one build, and of
 * one time: what one candidate has passed is no merit of another.
 */
export function mergeLedgers(ledgers: readonly NamedLedger[]): LedgerEntry[] {
  const merged = new Map<string, Named>()
  for (const { name, entries } of ledgers)
    for (const entry of entries) {
      const known = merged.get(keyOf(entry))
      if (entry.verdict.kind === 'infrastructure' && known) continue
      if (!known || known.entry.verdict.kind === 'infrastructure') {
        merged.set(keyOf(entry), { name, entry })
        continue
      }
      const field = agreed.find((each) => !isAlike(each, known.entry, entry))
      if (field !== undefined) throw new Error(describe(field, known, { name, entry }))
    }
  const entries = [...merged.values()].map(({ entry }) => entry)
  for (const own of samplesOf(entries)) checkSample(own.map((entry) => merged.get(keyOf(entry))!))
  return entries
}

/** Throws where a sample is of two candidates, or has two times. */
function checkSample(rows: readonly Named[]): void {
  for (const field of candidateFields) {
    const [known, ...others] = rows.filter(({ entry }) => entry[field] !== undefined)
    const other = others.find(({ entry }) => entry[field] !== known?.entry[field])
    if (known && other) throw new Error(describe(field, known, other))
  }
  const [timed, ...again] = rows.filter(({ entry }) => tellsTime(entry))
  for (const row of again) {
    const field = timeFields.find((each) => !isDeepStrictEqual(timed!.entry[each], row.entry[each]))
    if (field !== undefined) throw new Error(describe(field, timed!, row))
  }
}

/** A time that could not be judged is none, but its figures would count. */
const tellsTime = (entry: LedgerEntry): boolean =>
  (entry.stage === 'latency' && entry.verdict.kind !== 'infrastructure') ||
  timeFields.some((field) => entry[field] !== undefined)

const keyOf = ({ model, suite, task, sample, stage, case: title }: LedgerEntry): string =>
  JSON.stringify([model, suite, task, sample, stage, title])

/** What one of the two does not tell is no difference, but for the verdict and the figures. */
function isAlike(field: (typeof agreed)[number], one: LedgerEntry, other: LedgerEntry): boolean {
  if (isOfCandidate(field) && (one[field] === undefined || other[field] === undefined)) return true
  if (field === 'verdict') return said(field, one) === said(field, other)
  return isDeepStrictEqual(one[field], other[field])
}

const isOfCandidate = (field: Field): field is (typeof candidateFields)[number] =>
  candidateFields.some((each) => each === field)

type Field = (typeof agreed)[number] | (typeof timeFields)[number]

function describe(field: Field, first: Named, second: Named): string {
  const { model, task, sample, case: title } = first.entry
  const isOne = title === second.entry.case
  const question = [...(model === null ? [] : [model]), task, sample ?? 'no sample', ...(isOne ? [title] : [])].join(
    ' › ',
  )
  const [one, other] = [first, second].map(
    ({ name, entry }) => `${said(field, entry)} in ${name}${isOne ? '' : ` (${entry.case})`}`,
  )
  return inOneLine(
    `${question}: ${field} is ${one}, and ${other}; leave one of them out, or give the runs names of models (NPU_MODEL)`,
  )
}

const said = (field: Field, entry: LedgerEntry): string =>
  field === 'verdict'
    ? [entry.verdict.kind, classOf(entry.verdict) ?? []].flat().join(' ')
    : (JSON.stringify(entry[field]) ?? 'unknown')
