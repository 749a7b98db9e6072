import { isDeepStrictEqual } from 'node:util'
import type { LedgerEntry } from './entry.ts'
import { classOf } from './errors.ts'

/** The entries of one ledger, and what it is called. */
export interface NamedLedger {
  name: string
  entries: readonly LedgerEntry[]
}

/** What two runs that judged the same question have to agree in. */
const agreed = ['group', 'verdict', 'profile', 'target', 'soc', 'sources', 'latency', 'baseline', 'speedup'] as const

/**
 * Joins ledgers, those of shards for instance, in their order. A question that several of them have judged alike is there
 * once, as the first one has it; one that a ledger could not judge (`infrastructure`), as another has judged it. Throws an
 * error of one line that names the question and both ledgers where they differ in the kind of the verdict, in the class of
 * its error, or in what decides it; seed, times and how much was remembered may differ. All that they say of one sample is of
 * the same sources: the verdicts on one kernel and the latency of another are no sample.
 */
export function mergeLedgers(ledgers: readonly NamedLedger[]): LedgerEntry[] {
  const merged = new Map<string, { name: string; entry: LedgerEntry }>()
  const ofSamples = new Map<string, { name: string; entry: LedgerEntry }>()
  for (const { name, entries } of ledgers)
    for (const entry of entries) {
      if (entry.sources !== undefined) {
        const first = ofSamples.get(sampleOf(entry)) ?? { name, entry }
        ofSamples.set(sampleOf(entry), first)
        if (first.entry.sources !== entry.sources) throw new Error(describe('sources', first, { name, entry }))
      }
      const known = merged.get(keyOf(entry))
      if (entry.verdict.kind === 'infrastructure' && known) continue
      if (!known || known.entry.verdict.kind === 'infrastructure') {
        merged.set(keyOf(entry), { name, entry })
        continue
      }
      const field = agreed.find((each) => !isAlike(each, known.entry, entry))
      if (field !== undefined) throw new Error(describe(field, known, { name, entry }))
    }
  return [...merged.values()].map(({ entry }) => entry)
}

const sampleOf = ({ model, suite, task, sample }: LedgerEntry): string => JSON.stringify([model, suite, task, sample])

const keyOf = ({ model, suite, task, sample, stage, case: title }: LedgerEntry): string =>
  JSON.stringify([model, suite, task, sample, stage, title])

/** What one of the two does not tell is no difference, but for the verdict and the figures. */
function isAlike(field: (typeof agreed)[number], one: LedgerEntry, other: LedgerEntry): boolean {
  if (field === 'sources' && (one.sources === undefined || other.sources === undefined)) return true
  if (field === 'verdict') return said(field, one) === said(field, other)
  return isDeepStrictEqual(one[field], other[field])
}

function describe(
  field: (typeof agreed)[number],
  first: { name: string; entry: LedgerEntry },
  second: { name: string; entry: LedgerEntry },
): string {
  const { model, task, sample, case: title } = first.entry
  const question = [...(model === null ? [] : [model]), task, sample ?? 'no sample', title].join(' › ')
  const [one, other] = [first, second].map(({ name, entry }) => `${said(field, entry)} in ${name}`)
  return `${question}: ${field} is ${one}, and ${other}; leave one of them out, or give the runs names of models (NPU_MODEL)`
}

const said = (field: (typeof agreed)[number], entry: LedgerEntry): string =>
  field === 'verdict'
    ? [entry.verdict.kind, classOf(entry.verdict) ?? []].flat().join(' ')
    : (JSON.stringify(entry[field]) ?? 'unknown')
