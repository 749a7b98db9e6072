import type { Latency } from '../model/index.ts'
import {
  bySample,
  hasModels,
  isSameClock,
  latencyOf,
  marginOf,
  taskKey,
  type Found,
  type SampleName,
} from './comparison.ts'
import type { LedgerEntry } from './entry.ts'
import { nameOf, rounding, type Broken } from './gate-figures.ts'

/** What was not judged to an end. A latency that could not be taken is no verdict on the outputs. */
const isLost = ({ verdict, stage }: LedgerEntry): boolean => verdict.kind === 'infrastructure' && stage !== 'latency'

/** A sample of the run that is compared with; `now` is undefined where this run has none of that name. */
interface Pair {
  name: SampleName
  was: Found
  now: Found | undefined
}

/** The samples of `against` of tasks that this run was asked for. */
function pairsOf(entries: readonly LedgerEntry[], against: readonly LedgerEntry[]): Pair[] {
  const byModel = hasModels(entries, against)
  const [now, before] = [bySample(entries, byModel), bySample(against, byModel)]
  const asked = new Set(entries.map((entry) => taskKey(entry, byModel)))
  return [...before]
    .filter(([, { name }]) => asked.has(taskKey(name, byModel)))
    .map(([key, was]) => ({ name: was.name, was, now: now.get(key) }))
}

/** `maxRegression` */
export function regressions(
  entries: readonly LedgerEntry[],
  against: readonly LedgerEntry[],
  tolerated: number,
): Broken | undefined {
  const compared = pairsOf(entries, against)
    .filter(({ was, now }) => was.outcome?.correct === true && now?.outcome?.correct !== false)
    .map(({ name, was, now }) => ({ name: nameOf(name), ...lossOf(was, now) }))
  if (compared.length === 0) return { message: 'no sample is correct in both', causes: [] }
  const unknown = compared.filter(({ loss }) => loss === null)
  const slower = compared
    .flatMap(({ name, loss, times }) => (loss !== null && loss > tolerated + rounding ? [{ name, loss, times }] : []))
    .sort((one, other) => other.loss - one.loss)
  if (unknown.length + slower.length === 0) return undefined
  const most = slower[0] ? `, ${percentOf(slower[0].loss)} at most` : ''
  const said = [
    `${slower.length} of ${compared.length} samples lose more than ${percentOf(tolerated)} of their speed${most}`,
    ...(unknown.length > 0 ? [`${unknown.length} cannot be compared`] : []),
  ]
  return {
    message: said.join('; '),
    causes: [
      ...slower.map(({ name, loss, times }) => `${name} (${percentOf(loss)}: ${times})`),
      ...unknown.map(({ name, times }) => `${name} (${times})`),
    ],
  }
}

const percentOf = (share: number): string => `${(100 * share).toFixed(1)}%`

/** How much of its speed a sample has lost for sure, and the times it follows from. null: nobody can tell, and why. */
function lossOf(was: Found, now: Found | undefined): { loss: number | null; times: string } {
  if (!now) return { loss: null, times: 'not in this run' }
  if (now.outcome?.correct !== true || !was.outcome) return { loss: null, times: 'not judged to an end' }
  const [before, after] = [latencyOf(was.outcome), latencyOf(now.outcome)]
  if (!before || !after) return { loss: null, times: before ? 'no time in this run' : 'no time in the other run' }
  if (!isSameClock(before, after)) return { loss: null, times: `times of ${clockOf(before)}, now of ${clockOf(after)}` }
  const least = after.mean - marginOf(after)
  const times = `${before.mean.toFixed(0)} ns, now ${after.mean.toFixed(0)} ns`
  if (least <= 0) return { loss: null, times: `${times}, with an error of ${after.rme.toFixed(0)}%` }
  return { loss: Math.max(0, 1 - (before.mean + marginOf(before)) / least), times }
}

const clockOf = ({ source, profile }: Latency): string => [source, profile ?? []].flat().join(', ')

/** `noNewHazards` */
export function newHazards(entries: readonly LedgerEntry[], against: readonly LedgerEntry[]): Broken | undefined {
  const byModel = hasModels(entries, against)
  const known = bySample(against, byModel)
  const samples = [...bySample(entries, byModel)]
  if (samples.length === 0) return { message: 'no task has a sample', causes: [] }
  const found = samples.map(([key, { name, entries: own }]) => {
    const before = new Set(known.get(key)?.entries.flatMap(hazardsOf))
    const fresh = [...new Set(own.flatMap(hazardsOf))].filter((code) => !before.has(code))
    return { name: nameOf(name), fresh, isUnknown: own.some(isLost) }
  })
  const worse = found.filter(({ fresh }) => fresh.length > 0)
  const unknown = found.filter(({ fresh, isUnknown }) => fresh.length === 0 && isUnknown)
  if (worse.length + unknown.length === 0) return undefined
  const said = [
    `${worse.length} of ${found.length} samples have new hazards`,
    ...(unknown.length > 0 ? [`${unknown.length} were not judged to an end`] : []),
  ]
  return {
    message: said.join('; '),
    causes: [
      ...worse.map(({ name, fresh }) => `${name} (${fresh.join(', ')})`),
      ...unknown.map(({ name }) => `${name} (not judged to an end)`),
    ],
  }
}

/** Codes of the errors that the device has found in a case, and of a warning that has decided it. */
function hazardsOf({ verdict, reports = [] }: LedgerEntry): string[] {
  const errors = reports.filter(({ severity }) => severity === 'error').map(({ code }) => code)
  return 'report' in verdict ? [verdict.report.code, ...errors] : errors
}
