import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JudgingProfile } from '../plugin/compare/index.ts'
import type { KernelCase } from '../plugin/model/index.ts'
import { multiKernelBench, npuKernelBench } from '../plugin/suites/index.ts'
import type { KernelTask } from '../plugin/task/index.ts'
import { trivialCandidates } from '../references/trivial-candidates.ts'
import { typicalDefects } from '../references/typical-defects.ts'
import { repository } from './subjects.ts'

/** Cases by what was found in them. */
export type Notes = Map<string, string[]>

/** What one profile says of one task. */
export interface ProfileResult {
  /** cases that reject their own golden result */
  broken: string[]
  rejected: number
  /** by candidate and reason: the cases whose right result the candidate leaves */
  legal: Notes
  /** by candidate and reason: the cases whose bound covers what the candidate does */
  tolerated: Notes
  /** by candidate: the cases that accept what is wrong, or right without a reason */
  surviving: Notes
}

/** What one task says to the candidates, and golden to it. */
export type TaskResult = {
  task: KernelTask
  judged: KernelCase[]
  /** candidates that revisions of the public rule accept in every case, by revision; of tasks that have revisions */
  publicly: ReadonlyMap<string, readonly string[]>
  /** kernels that they accept on draws of the public harness */
  onPublicDraws: ReadonlyMap<string, readonly string[]>
} & Record<JudgingProfile, ProfileResult>

export const note = (notes: Notes, key: string, id: string): unknown =>
  notes.has(key) ? notes.get(key)!.push(id) : notes.set(key, [id])

export const countOf = (notes: Notes): number => [...notes.values()].reduce((sum, ids) => sum + ids.length, 0)

function totalsOf(results: readonly TaskResult[], profile: JudgingProfile) {
  const sum = (count: (result: ProfileResult) => number) =>
    results.reduce((total, result) => total + count(result[profile]), 0)
  return {
    tasks: results.length,
    judged: results.reduce((total, { judged }) => total + judged.length, 0),
    cases: results.reduce((total, { task }) => total + task.staticCases.length, 0),
    rejected: sum(({ rejected }) => rejected),
    right: sum(({ legal }) => countOf(legal)),
    tolerated: sum(({ tolerated }) => countOf(tolerated)),
    surviving: sum(({ surviving }) => countOf(surviving)),
  }
}

export function summaryOf(results: readonly TaskResult[], profile: JudgingProfile): string {
  const { tasks, judged, cases, rejected, right, tolerated, surviving } = totalsOf(results, profile)
  const wrong = rejected + tolerated + surviving
  const count = Object.keys({ ...trivialCandidates, ...typicalDefects }).length
  return (
    `${tasks} tasks, ${judged} of ${cases} static cases, ${count} candidates each: ` +
    `${rejected} rejected, ${right} right, ${tolerated} tolerated, ${surviving} survive; ` +
    `score ${rejected}/${wrong} (${((100 * rejected) / wrong).toFixed(2)} %)`
  )
}

const page = join(repository, 'docs/spec-gate.md')

/** The parts of the page that are made, by suite, with what makes them. */
const parts = {
  [npuKernelBench.name]: { command: 'npm run gate -- --write', places: npuKernelBench.groups },
  [multiKernelBench.name]: {
    command: `npm run gate -- --suite=${multiKernelBench.name} --limit=4200000 --write`,
    places: [multiKernelBench.name],
  },
}

/** Renews the parts of the page that results are there of. */
export function write(results: readonly TaskResult[], limit: number): void {
  for (const [suite, { command, places }] of Object.entries(parts)) {
    const own = results.filter(({ task }) => task.interface.suite === suite)
    if (own.length === 0) continue
    const [begin, end] = [`<!-- made by ${command}; do not edit -->`, `<!-- end of ${suite} -->`]
    const made = [begin, '', ...partOf(own, places, limit), '', end].join('\n')
    const text = readFileSync(page, 'utf8')
    writeFileSync(page, text.slice(0, text.indexOf(begin)) + made + text.slice(text.indexOf(end) + end.length))
  }
}

function partOf(results: readonly TaskResult[], places: readonly string[], limit: number): string[] {
  const size = limit === Infinity ? 'all sizes' : `up to ${limit} elements per argument`
  return [
    `Static cases of ${size}. Standard: ${summaryOf(results, 'standard')}. Strict: ${summaryOf(results, 'strict')}.`,
    '',
    '| level or suite | profile | tasks | cases judged | rejected | right | tolerated | survive |',
    '|---|---|---|---|---|---|---|---|',
    ...places.flatMap((place) => placeRows(results, place)),
    ...publicRows(results),
    '',
    '### Candidates that are right',
    '',
    '| task | candidate | cases | why it is right |',
    '|---|---|---|---|',
    ...results.flatMap((result) => rowsOf(result, undefined, trivialOnly(result.strict.legal))),
    '',
    '### Accepted and wrong',
    '',
    '| task | profile | candidate | cases | why it is accepted |',
    '|---|---|---|---|---|',
    ...results.flatMap((result) => [
      ...rowsOf(result, 'standard', result.standard.tolerated),
      ...rowsOf(result, 'standard', result.standard.surviving, '**survives**'),
      ...rowsOf(result, 'strict', result.strict.tolerated),
      ...rowsOf(result, 'strict', result.strict.surviving, '**survives**'),
    ]),
  ]
}

/** How trivial kernels fare under revisions of the public rule; nothing where there are none. */
function publicRows(results: readonly TaskResult[]): string[] {
  const revisions = [...new Set(results.flatMap(({ task }) => Object.keys(task.profiles.revisions ?? {})))]
  if (revisions.length === 0) return []
  const passing = (of: (result: TaskResult) => ReadonlyMap<string, readonly string[]>, rule: string): TaskResult[] =>
    results.filter((result) => (of(result).get(rule) ?? []).length > 0)
  const named = (found: readonly TaskResult[]): string =>
    found.length === 0 ? '-' : found.map(({ task }) => task.interface.name).join(', ')
  return [
    '',
    '### Trivial kernels under the public rule',
    '',
    '| rule | draws | tasks with a trivial kernel that passes | which |',
    '|---|---|---|---|',
    ...revisions.flatMap((rule) => {
      const [harness, own] = [passing((each) => each.onPublicDraws, rule), passing((each) => each.publicly, rule)]
      return [
        `| ${rule} | of the public harness | ${harness.length} of ${results.length} | ${named(harness)} |`,
        `| ${rule} | of the specs | ${own.length} of ${results.length} | ${named(own)} |`,
      ]
    }),
    `| standard, strict | of the specs | ${results.filter((each) => judgingSurvivors(each)).length} of ${results.length} | ${named(results.filter((each) => judgingSurvivors(each)))} |`,
  ]
}

const judgingSurvivors = ({ standard, strict }: TaskResult): boolean =>
  standard.surviving.size > 0 || strict.surviving.size > 0

/** The rows of a level, or of a suite that has none. */
const placeRows = (results: readonly TaskResult[], place: string): string[] =>
  (['standard', 'strict'] as const).map((profile) => {
    const part = results.filter(({ task: { interface: task } }) => (task.group ?? task.suite) === place)
    const { tasks, judged, cases, rejected, right, tolerated, surviving } = totalsOf(part, profile)
    const level = place.replace('level', '')
    return `| ${[level, profile, tasks, `${judged} of ${cases}`, rejected, right, tolerated, surviving].join(' | ')} |`
  })

// A defect of arithmetic that a task has none of needs no line.
const trivialOnly = (notes: Notes): Notes =>
  new Map([...notes].filter(([key]) => Object.hasOwn(trivialCandidates, key.split(': ')[0] ?? '')))

const rowsOf = ({ task }: TaskResult, profile: JudgingProfile | undefined, notes: Notes, reason?: string): string[] =>
  [...notes].map(([key, ids]) => {
    const [candidate = '', ...why] = key.split(': ')
    const cells = [task.interface.name, ...(profile ? [profile] : []), candidate, ids.join(', ')]
    return `| ${[...cells, reason ?? why.join(': ')].join(' | ')} |`
  })
