import {
  compareRuns,
  type McNemar,
  type RunComparison,
  type SampleName,
  type TimeChange,
  type VerdictChange,
} from '../ledger/index.ts'
import { neutralJson, sampleTitle } from '../model/index.ts'
import { textOfLines } from '../ledger/table.ts'
import { parseCommand, runsOption } from './command.ts'
import { joined, readNamed } from './runs.ts'
import { UserError } from './user-error.ts'

const usage = `Usage: vitest-npu compare <A> <B>

Compares two ledgers or runs, sample by sample: which are correct in one of them alone, and which times have changed beyond
the error of both. Where both have the same tasks, McNemar's exact test says how likely the difference is by chance. The
exit code is 0 whatever is found.

  --json            everything, with all names
  --runs <folder>   where runs are kept; .npu/runs
  --help, --version

  npx vitest-npu compare 20261122 latest            by the beginnings of ids
  npx vitest-npu compare base.jsonl tuned.jsonl --json
`

/** `compare`: what has changed from one run to another. */
export function compareCommand(args: readonly string[]): void {
  const parsed = parseCommand('compare', usage, args, { ...runsOption, json: { type: 'boolean' } })
  if (!parsed) return
  const { values, positionals } = parsed
  const [first, second] = positionals
  if (first === undefined || second === undefined || positionals.length > 2)
    throw new UserError('compare: name two ledgers or runs, e.g. vitest-npu compare base.jsonl latest')
  const [before, after] = [first, second].map((name) => joined([readNamed(name, values.runs)]))
  const found = compareRuns(before!, after!)
  if (values.json) return console.log(neutralJson({ first, second, ...found }))
  console.log(textOfLines(linesOf(found, first, second)))
}

const nameOf = ({ model, task, sample }: SampleName): string =>
  `${task} › ${sampleTitle({ name: sample, ...(typeof model === 'string' && { model }) })}`

/** What stopped the sample where it is not correct: `AddCustom › s0: device-error ErrorGmRead in base.jsonl, static 3: x float16[4]`. */
const changeOf =
  (where: string) =>
  (change: VerdictChange): string =>
    `${nameOf(change)}: ${[change.kind, change.class ?? []].flat().join(' ')} ${where}, ${change.case}`

const timeOf = (change: TimeChange): string =>
  `${nameOf(change)}: ${change.before.toFixed(0)} ns, now ${change.after.toFixed(0)} ns (${(change.before / change.after).toFixed(2)}x)`

/** A count, then what is counted, a line each. */
const list = (title: string, items: readonly string[]): string[] => [
  `${title}: ${items.length}`,
  ...items.map((item) => `  ${item}`),
]

function linesOf(found: RunComparison, first: string, second: string): string[] {
  return [
    `samples that both have: ${found.samples}`,
    ...(found.undecided > 0 ? [`and that one of them has not judged to an end: ${found.undecided}`] : []),
    ...list(`gained, correct in ${second} alone`, found.gained.map(changeOf(`in ${first}`))),
    ...list(`lost, correct in ${first} alone`, found.lost.map(changeOf(`in ${second}`))),
    ...list('faster', found.faster.map(timeOf)),
    ...list('slower', found.slower.map(timeOf)),
    ...(found.speedup === null
      ? []
      : [
          `speedup of ${second} over ${first}: ${found.speedup.toFixed(3)}x, of ${found.timed} samples correct in both`,
        ]),
    ...(found.onlyFirst.length > 0 ? [`samples of ${first} alone: ${found.onlyFirst.length}`] : []),
    ...(found.onlySecond.length > 0 ? [`samples of ${second} alone: ${found.onlySecond.length}`] : []),
    ...(found.mcNemar
      ? [chance('tasks with a correct sample', found.mcNemar.tasks), chance('samples', found.mcNemar.samples)]
      : [noTest(found, first, second)]),
  ]
}

/** Why the two cannot be tested: the pairs of a test are the tasks of both. */
function noTest({ tasks: { onlyFirst, onlySecond } }: RunComparison, first: string, second: string): string {
  const alone = [
    ...(onlyFirst > 0 ? [`tasks of ${first} alone: ${onlyFirst}`] : []),
    ...(onlySecond > 0 ? [`tasks of ${second} alone: ${onlySecond}`] : []),
  ]
  return `no McNemar test: ${alone.length > 0 ? alone.join(', ') : 'there are no tasks'}`
}

const chance = (what: string, { first, second, p }: McNemar): string =>
  `McNemar, ${what}: ${first} in the first alone, ${second} in the second alone, p = ${p.toPrecision(3)}`
