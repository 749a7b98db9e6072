import type { Verdict } from '../model/index.ts'
import type { LedgerEntry, Stage } from './entry.ts'

/** A test of a sample, as two targets have judged it. */
interface Place {
  suite: string
  task: string
  model: string | null
  sample: string
  stage: Stage
  case: string
}

/** A test that two targets do not say the same of. */
export interface Difference extends Place {
  /** `verdict`: another kind; `detail`: the same kind of another mistake; `values`: other elements are wrong; `missing`: one has not judged it */
  what: 'verdict' | 'detail' | 'values' | 'missing'
  /** what each says, in short; null where it has not judged the test */
  first: string | null
  second: string | null
}

/** The times of one sample on two targets. */
export interface TimeRatio extends Omit<Place, 'stage' | 'case'> {
  /** mean latencies, nanoseconds */
  first: number
  second: number
  /** second by first */
  ratio: number
}

/** What two targets say of the same samples. */
export interface TargetDifferences {
  /** tests that both have judged */
  compared: number
  differences: Difference[]
  ratios: TimeRatio[]
}

const placeOf = (entry: LedgerEntry): Place | null =>
  entry.sample === null
    ? null
    : {
        suite: entry.suite,
        task: entry.task,
        model: entry.model,
        sample: entry.sample,
        stage: entry.stage,
        case: entry.case,
      }

const keyOf = (place: Place): string => JSON.stringify(Object.values(place))

/** What a verdict says beside its kind, where two targets may say it in the same words. */
function detailOf(verdict: Verdict): string | null {
  if (verdict.kind === 'compile-failed') return `${verdict.stage} ${verdict.class}`
  return null
}

/** The elements that are wrong, which both targets compute from the same inputs. */
function valuesOf(verdict: Verdict): string | null {
  if (!('comparison' in verdict)) return null
  const { output, mismatches, index, actual } = verdict.comparison
  return `${mismatches} wrong in ${output}, worst [${index.join(', ')}] is ${actual}`
}

/** A verdict in short: its kind, and what tells it from others of that kind. */
const shortOf = (verdict: Verdict): string =>
  [verdict.kind, detailOf(verdict) ?? valuesOf(verdict) ?? ('report' in verdict ? verdict.report.code : null)]
    .filter((part) => part !== null)
    .join(' ')

function differenceOf(place: Place, first: Verdict | undefined, second: Verdict | undefined): Difference | null {
  const both = { first: first ? shortOf(first) : null, second: second ? shortOf(second) : null }
  if (!first || !second) return { ...place, what: 'missing', ...both }
  if (first.kind !== second.kind) return { ...place, what: 'verdict', ...both }
  if (detailOf(first) !== detailOf(second)) return { ...place, what: 'detail', ...both }
  if (valuesOf(first) !== valuesOf(second)) return { ...place, what: 'values', ...both }
  return null
}

const indexed = (entries: readonly LedgerEntry[]): Map<string, LedgerEntry> =>
  new Map(
    entries.flatMap((entry) => {
      const place = placeOf(entry)
      return place ? [[keyOf(place), entry] as const] : []
    }),
  )

/** Every test that two targets do not agree on, and the times of samples that both have timed. */
export function targetDifferences(first: readonly LedgerEntry[], second: readonly LedgerEntry[]): TargetDifferences {
  const [left, right] = [indexed(first), indexed(second)]
  const keys = [...new Set([...left.keys(), ...right.keys()])]
  const differences: Difference[] = []
  const ratios: TimeRatio[] = []
  let compared = 0
  for (const key of keys) {
    const [one, other] = [left.get(key), right.get(key)]
    const place = placeOf(one ?? other!)!
    if (one && other) compared++
    const difference = differenceOf(place, one?.verdict, other?.verdict)
    if (difference) differences.push(difference)
    const [before, after] = [one?.latency?.mean, other?.latency?.mean]
    if (before === undefined || after === undefined || before <= 0) continue
    const { stage: _, case: __, ...sample } = place
    ratios.push({ ...sample, first: before, second: after, ratio: after / before })
  }
  return { compared, differences, ratios }
}
