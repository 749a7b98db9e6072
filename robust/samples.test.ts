import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { cacheDir, Project } from './project.ts'

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const samples = fileURLToPath(new URL('../fixtures/samples', import.meta.url))
const limitMs = 15 * 60_000

const expectation = z.strictObject({
  kind: z.string(),
  class: z.string().optional(),
  code: z.string().optional(),
  why: z.string(),
})
/** By task, then by sample. */
const expected = z
  .record(z.string(), z.record(z.string(), expectation))
  .parse(JSON.parse(readFileSync(join(samples, 'expected.json'), 'utf8')))

/** From what stops a sample first to what lets it pass. */
const order = [
  'compile-failed',
  'tiling-failed',
  'device-error',
  'timeout',
  'crashed',
  'wrong-structure',
  'wrong-nonfinite',
  'wrong-value',
  'hazard',
  'implausible',
  'correct',
]

const line = z.object({
  task: z.string(),
  sample: z.string(),
  verdict: z.object({
    kind: z.string(),
    class: z.string().optional(),
    report: z.object({ code: z.string() }).optional(),
    message: z.string().optional(),
  }),
  speedup: z.number().optional(),
})

const figure = z.object({ k: z.number(), value: z.number().nullable() })
const card = z.object({
  all: z.object({
    tasks: z.number(),
    samples: z.number(),
    compile: z.array(figure),
    correct: z.array(figure),
    speedup: z.object({ geometric: z.object({ value: z.number() }), samples: z.number() }),
    errors: z.array(
      z.object({ kind: z.string(), class: z.string().nullable(), samples: z.number(), share: z.number() }),
    ),
  }),
})

const project = new Project()
let lines: z.infer<typeof line>[]
let all: z.infer<typeof card>['all']

beforeAll(async () => {
  // what is found has to be the same on a busy machine
  project.config('{ fuzzBudgetMs: 600_000 }')
  // the specs are those of the package
  const env = { ...process.env, NPU_CACHE_DIR: cacheDir, NPU_SEED: '4711', NPU_FUZZ_RUNS: '20', NPU_REMEMBER: '0' }
  const options = { cwd: project.folder, env, timeout: limitMs }
  const { stdout } = await execa(process.execPath, [program, 'score', samples, '--k', '1,10', '--json'], options)
  all = card.parse(JSON.parse(stdout)).all
  lines = readFileSync(join(project.folder, '.npu/ledger.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((text) => line.parse(JSON.parse(text)))
}, limitMs)
afterAll(() => project.remove())

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** Of one sample, as `expected.json` says it. */
function verdictOf(task: string, sample: string): object {
  const own = lines.filter((each) => each.task === task && each.sample === sample).map(({ verdict }) => verdict)
  const ours = own.find(({ kind }) => kind === 'infrastructure')
  if (ours) return ours
  const [first] = own.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
  const { kind, class: found, report } = first ?? { kind: 'not judged' }
  return { kind, ...(found !== undefined && { class: found }), ...(report && { code: report.code }) }
}

test('every sample gets the verdict that its mistake deserves', () => {
  const found = Object.entries(expected).map(([task, its]) => [
    task,
    Object.fromEntries(Object.keys(its).map((sample) => [sample, verdictOf(task, sample)])),
  ])
  const wanted = Object.entries(expected).map(([task, its]) => [
    task,
    Object.fromEntries(Object.entries(its).map(([sample, { why, ...verdict }]) => [sample, why === '' ? {} : verdict])),
  ])
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted))
})

test('the scorecard has the figures that follow from these verdicts', () => {
  const tasks = Object.values(expected).map((its) => Object.values(its))
  expect(tasks.every((its) => its.length === 10)).toBe(true)
  expect([all.tasks, all.samples]).toEqual([tasks.length, 10 * tasks.length])
  // of ten samples, one in ten is drawn, or all of them are
  for (const [figures, passes] of [
    [all.correct, (kind: string) => kind === 'correct'],
    [all.compile, (kind: string) => kind !== 'compile-failed'],
  ] as const) {
    const counts = tasks.map((its) => its.filter(({ kind }) => passes(kind)).length)
    const [one, ten] = figures
    expect(one?.value).toBeCloseTo(mean(counts.map((count) => count / 10)), 12)
    expect(ten?.value).toBeCloseTo(mean(counts.map((count) => (count > 0 ? 1 : 0))), 12)
  }
})

test('the errors of the scorecard are those of the samples that are wrong', () => {
  const wrong = Object.values(expected)
    .flatMap((its) => Object.values(its))
    .filter(({ kind }) => kind !== 'correct')
  const counts: Record<string, number> = {}
  for (const { kind, class: its, code } of wrong) {
    const name = `${kind} ${its ?? code ?? null}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  expect(Object.fromEntries(all.errors.map((error) => [`${error.kind} ${error.class}`, error.samples]))).toEqual(counts)
  for (const { samples: count, share } of all.errors) expect(share).toBeCloseTo(count / wrong.length, 12)
})

test('the speedup is the geometric mean of those of right samples', () => {
  const speedups = lines.flatMap(({ task, sample, speedup }) =>
    expected[task]?.[sample]?.kind === 'correct' && speedup !== undefined ? [speedup] : [],
  )
  expect(speedups.some((value) => value > 1)).toBe(true)
  expect(speedups.some((value) => value < 0.5)).toBe(true)
  expect(all.speedup.samples).toBe(speedups.length)
  const product = speedups.reduce((sum, value) => sum + Math.log(value), 0)
  expect(all.speedup.geometric.value).toBeCloseTo(Math.exp(product / speedups.length), 9)
})
