import { groupedBy } from '../model/index.ts'
import { taskKey } from './comparison.ts'
import type { LedgerEntry } from './entry.ts'
import { outcomeOf, samplesOf } from './outcome.ts'
import { arithmeticMean } from './statistics.ts'
import { inOneLine } from './table.ts'

/** Why a rule does not hold, in one line, and what breaks it. */
export interface Broken {
  message: string
  causes: string[]
}

/** Far less than one sample of any run, and far more than the errors of sums. */
export const rounding = 1e-9

/** A sample as a gate names it. */
export const nameOf = ({
  model,
  task,
  sample,
}: Pick<LedgerEntry, 'task' | 'sample'> & { model?: string | null }): string =>
  inOneLine(`${task} › ${model ? `${model}/` : ''}${sample}`)

/** `minCompileRate` */
export const compileRate = (entries: readonly LedgerEntry[], wanted: number): Broken | undefined =>
  shareOf(entries, wanted, 'compile', (own) => outcomeOf(own)?.compiled ?? null)

/** `minCorrect` */
export const correctRate = (entries: readonly LedgerEntry[], wanted: number): Broken | undefined =>
  shareOf(entries, wanted, 'are correct', isCorrect)

const isCorrect = (own: readonly LedgerEntry[]): boolean | null => outcomeOf(own)?.correct ?? null

/** What has gone wrong with each sample that does not do it, and whether it is that nobody knows. */
function failuresOf(
  samples: readonly LedgerEntry[][],
  does: (own: readonly LedgerEntry[]) => boolean | null,
): { causes: string[]; unknown: number } {
  const found = samples.map((own) => ({ name: nameOf(own[0]!), did: does(own) })).filter(({ did }) => did !== true)
  return {
    causes: found.map(({ name, did }) => (did === null ? `${name} (not judged to an end)` : name)),
    unknown: found.filter(({ did }) => did === null).length,
  }
}

const unknownNote = (unknown: number): string =>
  unknown === 0 ? '' : `; ${unknown} not judged to an end, which count as not`

function shareOf(
  entries: readonly LedgerEntry[],
  wanted: number,
  what: string,
  does: (own: readonly LedgerEntry[]) => boolean | null,
): Broken | undefined {
  const samples = samplesOf(entries)
  if (samples.length === 0) return { message: 'no task has a sample', causes: [] }
  const { causes, unknown } = failuresOf(samples, does)
  const good = samples.length - causes.length
  if (good / samples.length >= wanted - rounding) return undefined
  const missed = missedBy(good / samples.length, wanted)
  return { message: `${good} of ${samples.length} samples ${what}: ${missed}${unknownNote(unknown)}`, causes }
}

/** `minPassAt1` */
export function passAt1(entries: readonly LedgerEntry[], wanted: number): Broken | undefined {
  const samples = samplesOf(entries)
  const tasks = groupedBy(samples, ([first]) => taskKey(first!, true))
  const correctShare = (own: readonly LedgerEntry[][]): number =>
    own.filter((sample) => isCorrect(sample) === true).length / own.length
  const found = arithmeticMean([...tasks.values()].map(correctShare))
  if (found === null) return { message: 'no task has a sample', causes: [] }
  if (found >= wanted - rounding) return undefined
  const { causes, unknown } = failuresOf(samples, isCorrect)
  return { message: `pass@1 of ${tasks.size} tasks: ${missedBy(found, wanted)}${unknownNote(unknown)}`, causes }
}

/** `85.0%, 5.0% less than 90.0%`, with as many digits as it takes to tell the two apart. */
function missedBy(found: number, wanted: number): string {
  const digits = [1, 2, 3, 4, 5, 6, 7].find((each) => Number((100 * (wanted - found)).toFixed(each)) > 0) ?? 1
  const [is, less, least] = [found, wanted - found, wanted].map((value) => `${(100 * value).toFixed(digits)}%`)
  return `${is}, ${less} less than ${least}`
}

/** `requireAll` */
export function allJudged(entries: readonly LedgerEntry[]): Broken | undefined {
  const tasks = groupedBy(entries, (entry) => taskKey(entry, true))
  const empty = [...tasks.values()]
    .filter((own) => own.every(({ sample }) => sample === null))
    .map(([entry]) => `${entry!.task} (${entry!.verdict.kind === 'no-candidate' ? 'no candidate' : 'not judged'})`)
  const undecided = samplesOf(entries).filter((own) => isCorrect(own) === null)
  // nothing was found, but a machine with more time might have
  const cut = entries.filter(({ cutShort }) => cutShort)
  if (empty.length + undecided.length + cut.length === 0) return undefined
  const cutNote = cut.length === 0 ? '' : `, fuzzBudgetMs has ended the generated cases of ${cut.length} early`
  return {
    message: `${empty.length} of ${tasks.size} tasks have no sample, ${undecided.length} samples were not judged to an end${cutNote}`,
    causes: [
      ...empty,
      ...undecided.map((own) => nameOf(own[0]!)),
      ...cut.map(
        ({ runs = 0, ...own }) => `${nameOf({ ...own, sample: own.sample! })} (${runs} generated cases judged)`,
      ),
    ],
  }
}
