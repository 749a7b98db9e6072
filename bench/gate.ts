import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KernelCase } from '../plugin/model/index.ts'
import type { KernelTask } from '../plugin/task/index.ts'
import { npuKernelBench } from '../plugin/suites/index.ts'
import { largestArgument } from '../plugin/task/fit.ts'
import { reasonFor } from '../references/legal-survivors.ts'
import { answersOf } from '../references/mutation-score.ts'
import { trivialCandidates } from '../references/trivial-candidates.ts'
import { tasksDefined } from './collect-tasks.ts'
import './every-spec.ts'
import { repository } from './subjects.ts'

/** What one task says to the trivial candidates, and golden to it. */
interface Result {
  task: KernelTask
  judged: KernelCase[]
  /** cases that reject their own golden result */
  broken: string[]
  rejected: number
  /** by reason and candidate: the cases whose right result the candidate leaves */
  legal: Map<string, string[]>
  /** by candidate: the cases that accept what is wrong, or right without a reason */
  surviving: Map<string, string[]>
}

/** Every static case up to a size against every trivial candidate; exits with 1 when one survives. */
export function gate(args: readonly string[]): void {
  const options = new Map(
    args.filter((arg) => arg.startsWith('--')).map((arg) => [arg.split('=')[0]!, arg.split('=')[1]]),
  )
  for (const option of options.keys()) {
    if (!['--level', '--limit', '--all', '--matrix', '--write'].includes(option)) throw new Error(`no option ${option}`)
  }
  const names = args.filter((arg) => !arg.startsWith('--'))
  const limit = options.has('--all') ? Infinity : Number(options.get('--limit') ?? 2 ** 20)
  const tasks = [...tasksDefined().values()].filter(
    ({ interface: { name, group } }) =>
      (names.length === 0 || names.includes(name)) &&
      (!options.has('--level') || group === `level${options.get('--level')}`),
  )
  if (options.has('--matrix')) console.log(legend())
  const results = tasks.map((task) => {
    const result = judgeTask(task, limit, options.has('--matrix'))
    console.log(lineOf(result))
    for (const line of exceptionsOf(result)) console.log(`    ${line}`)
    return result
  })
  console.log(summaryOf(results))
  if (options.has('--write')) write(results, limit)
  if (results.some(({ broken, surviving }) => broken.length > 0 || surviving.size > 0)) process.exitCode = 1
}

function judgeTask(task: KernelTask, limit: number, matrix: boolean): Result {
  const judged = task.staticCases.filter((kernelCase) => largestArgument(kernelCase) <= limit)
  const result: Result = { task, judged, broken: [], rejected: 0, legal: new Map(), surviving: new Map() }
  for (const kernelCase of judged) {
    const { golden, answers } = answersOf(task, kernelCase)
    const id = idOf(kernelCase)
    if (!golden) result.broken.push(id)
    let row = ''
    for (const [candidate, answer] of answers) {
      const reason = answer === 'right' ? reasonFor(task, kernelCase, candidate) : undefined
      row += answer === 'rejected' ? '.' : reason ? '=' : 'X'
      if (answer === 'rejected') result.rejected++
      else if (reason) note(result.legal, `${candidate}: ${reason}`, id)
      else note(result.surviving, candidate, id)
    }
    if (matrix) console.log(`  ${row}  ${task.interface.name} ${id}`)
  }
  return result
}

const idOf = ({ name }: KernelCase): string => name.replace('static ', '')

const note = (notes: Map<string, string[]>, key: string, id: string): unknown =>
  notes.has(key) ? notes.get(key)!.push(id) : notes.set(key, [id])

const legend = (): string =>
  Object.keys(trivialCandidates)
    .map((name, column) => `  ${' '.repeat(column)}|  ${name}`)
    .join('\n') + '\n  . rejected, = right with a reason, X survives'

const countOf = (notes: Map<string, string[]>): number => [...notes.values()].reduce((sum, ids) => sum + ids.length, 0)

function lineOf({ task, judged, rejected, legal, surviving, broken }: Result): string {
  const { name, group } = task.interface
  const cases = `${judged.length}/${task.staticCases.length} cases`
  const parts = [`${rejected} rejected`, `${countOf(legal)} right`, `${countOf(surviving)} survive`]
  if (broken.length > 0) parts.push(`GOLDEN REJECTED: ${broken.join(', ')}`)
  return `${group} ${name}: ${cases}: ${parts.join(', ')}`
}

const exceptionsOf = ({ legal, surviving }: Result): string[] => [
  ...[...legal].map(([key, ids]) => `${key} (${ids.join(', ')})`),
  ...[...surviving].map(([key, ids]) => `SURVIVES: ${key} (${ids.join(', ')})`),
]

interface Totals {
  tasks: number
  judged: number
  cases: number
  rejected: number
  right: number
  surviving: number
}

function totalsOf(results: readonly Result[]): Totals {
  const sum = (count: (result: Result) => number) => results.reduce((total, result) => total + count(result), 0)
  return {
    tasks: results.length,
    judged: sum(({ judged }) => judged.length),
    cases: sum(({ task }) => task.staticCases.length),
    rejected: sum(({ rejected }) => rejected),
    right: sum(({ legal }) => countOf(legal)),
    surviving: sum(({ surviving }) => countOf(surviving)),
  }
}

function summaryOf(results: readonly Result[]): string {
  const { tasks, judged, cases, rejected, right, surviving } = totalsOf(results)
  const wrong = rejected + surviving
  return (
    `${tasks} tasks, ${judged} of ${cases} static cases, ${Object.keys(trivialCandidates).length} candidates each: ` +
    `${rejected} rejected, ${right} right, ${surviving} survive; ` +
    `score ${rejected}/${wrong} (${((100 * rejected) / wrong).toFixed(2)} %)`
  )
}

const page = join(repository, 'docs/spec-gate.md')
const [begin, end] = ['<!-- made by npm run gate -- --write; do not edit -->', '<!-- end -->']

// The part of the page between the marks.
function write(results: readonly Result[], limit: number): void {
  const levels = npuKernelBench.groups.map((group) => {
    const part = results.filter(({ task }) => task.interface.group === group)
    const { tasks, judged, cases, rejected, right, surviving } = totalsOf(part)
    return `| ${[group.replace('level', ''), tasks, `${judged} of ${cases}`, rejected, right, surviving].join(' | ')} |`
  })
  const exceptions = results.flatMap((result) => {
    const { legal, surviving } = result
    const row = (key: string, why: string, ids: string[]) =>
      `| ${result.task.interface.name} | ${key} | ${ids.join(', ')} | ${why} |`
    return [
      ...[...legal].map(([key, ids]) => {
        const [candidate = '', ...why] = key.split(': ')
        return row(candidate, why.join(': '), ids)
      }),
      ...[...surviving].map(([candidate, ids]) => row(candidate, '**survives**', ids)),
    ]
  })
  const size = limit === Infinity ? 'all sizes' : `up to ${limit} elements per argument`
  const made = [
    begin,
    '',
    `Static cases of ${size}: ${summaryOf(results)}.`,
    '',
    '| level | tasks | cases judged | rejected | right | survive |',
    '|---|---|---|---|---|---|',
    ...levels,
    '',
    '| task | candidate | cases | why it is right |',
    '|---|---|---|---|',
    ...exceptions,
    '',
    end,
  ].join('\n')
  const text = readFileSync(page, 'utf8')
  writeFileSync(page, text.slice(0, text.indexOf(begin)) + made + text.slice(text.indexOf(end) + end.length))
}
