import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'

const folder = fileURLToPath(new URL('verl', import.meta.url))
const python = spawnSync('python3', ['--version']).status === 0
const place = mkdtempSync(join(tmpdir(), 'npu-reward-test-'))
afterAll(() => rmSync(place, { recursive: true }))

const [calls, stand] = [join(place, 'calls'), join(place, 'vitest-npu.mjs')]

/** Stands in for the command line: notes what it was asked, and answers as its first argument says. */
const standIn = `
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
const [judge, command, ...rest] = process.argv.slice(2)
const { code, table, wait } = JSON.parse(judge)
const note = (entry) => appendFileSync(${JSON.stringify(calls)}, JSON.stringify(entry) + '\\n')
if (command === 'generate') {
  const answers = readdirSync('chat', { recursive: true }).filter((path) => path.endsWith('answer.md')).sort()
  note({ command, rest, answers, cache: process.env.NPU_CACHE_DIR, text: answers.map((path) => readFileSync('chat/' + path, 'utf8')) })
  await setTimeout(wait)
  note({ command: 'judged', rest: [] })
  console.error('no compiler')
  process.exit(code)
}
note({ command, rest })
console.log(table)
`

const callSchema = z.object({
  command: z.string(),
  rest: z.array(z.string()),
  answers: z.array(z.string()).optional(),
  text: z.array(z.string()).optional(),
  cache: z.string().optional(),
})

/** Of each line of standard input, which has the arguments of a call, what the reward is. */
const driver = `
import json, sys
from concurrent.futures import ThreadPoolExecutor
sys.path.insert(0, ${JSON.stringify(folder)})
import reward
calls = json.load(sys.stdin)
with ThreadPoolExecutor(len(calls)) as pool:
    print(json.dumps(list(pool.map(lambda call: reward.compute_score(**call), calls))))
`

const header = 'model,suite,task,sample,compiles,runs,correct,error,speedup'
const rowOf = (compiles: boolean, runs: boolean, correct: boolean, speedup = ''): string =>
  `${header}\nfiles,npukernelbench,AddCustom,s0,${compiles},${runs},${correct},,${speedup}`

interface Judge {
  table: string
  code?: number
  wait?: number
}

const task = 'npukernelbench/AddCustom'

/** The arguments of a call for which the judge behaves so. */
const callOf = ({ table, code = 0, wait = 0 }: Judge, given: Record<string, unknown> = {}) => ({
  data_source: 'vitest-npu',
  solution_str: 'the answer',
  ground_truth: JSON.stringify({ suite: 'npukernelbench', task: 'AddCustom' }),
  command: [process.execPath, stand, JSON.stringify({ table, code, wait })],
  ...given,
})

/** The rewards of some calls, made at the same time. */
function rewards(made: readonly ReturnType<typeof callOf>[], env = {}): Record<string, number>[] {
  const output = execFileSync('python3', ['-c', driver], {
    input: JSON.stringify(made),
    // places of this test alone
    env: { PATH: process.env['PATH'], TMPDIR: place, PYTHONDONTWRITEBYTECODE: '1', HOME: place, ...env },
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  return z.array(z.record(z.string(), z.number())).parse(JSON.parse(output))
}

const callsMade = () =>
  readFileSync(calls, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => callSchema.parse(JSON.parse(line)))

beforeEach(() => {
  writeFileSync(calls, '')
  writeFileSync(stand, standIn)
})

// what has no Python is told so by the name of what is skipped
const testIn = test.skipIf(!python)
const where = python ? '' : ' (skipped: there is no python3 here)'

const scoresOf = (made: readonly [string, Record<string, unknown>?][]): (number | undefined)[] =>
  rewards(made.map(([table, given]) => callOf({ table }, given))).map(({ score }) => score)

testIn(`a kernel is worth more the further it gets${where}`, () => {
  const scores = scoresOf([
    [rowOf(false, false, false)],
    [rowOf(true, false, false)],
    [rowOf(true, true, false, '3')],
    [rowOf(true, true, true, '0.5')],
  ])
  expect(scores).toEqual([0, 0.1, 0.3, 1])
})

testIn(`an answer that ends within a character is judged as any other${where}`, () => {
  expect(scoresOf([[rowOf(true, false, false), { solution_str: 'an answer \uD83D' }]])).toEqual([0.1])
})

testIn(`a right kernel gets more for speed, up to twice that of the baseline, and a wrong one does not${where}`, () => {
  const scores = scoresOf([
    [rowOf(true, true, true, '1'), { speed: 0.5 }],
    [rowOf(true, true, true, '9'), { speed: 0.5 }],
    [rowOf(true, true, true), { speed: 0.5 }],
    [rowOf(true, true, false, '9'), { speed: 0.5 }],
  ])
  expect(scores).toEqual([1.25, 1.5, 1, 0.3])
})

testIn(
  `the judge is given the answer without its reasoning, for the case and the language of the prompt${where}`,
  () => {
    const solution_str = 'a <file> of a draft</think>the answer'
    const extra_info = { case: 0, language: 'dsl', mode: null, index: 7 }
    rewards([callOf({ table: rowOf(true, true, true) }, { solution_str, extra_info })])
    const [generate] = callsMade()
    expect(generate?.text).toEqual(['the answer', 'the answer'])
    const places = ['AddCustom', task].map((each) => `${each}/fixed_case_0/s0/turn1/answer.md`)
    expect(generate?.answers).toEqual(places)
    const options = ['--model', 'files:chat', '--tasks', task, '--name', 'judged', '--language=dsl', '--case=0']
    expect(generate?.rest).toEqual(options)
  },
)

testIn(`all answers share one cache, which is where the user has it${where}`, () => {
  const made = [callOf({ table: rowOf(true, true, true) })]
  rewards(made)
  rewards(made, { NPU_CACHE_DIR: '/fast' })
  const caches = callsMade().flatMap(({ cache }) => cache ?? [])
  expect(caches).toEqual([join(place, '.cache/vitest-npu'), '/fast'])
})

testIn(`reasoning that does not come to its end is no answer${where}`, () => {
  rewards([callOf({ table: rowOf(false, false, false) }, { solution_str: '<think>a draft of the <file>' })])
  expect(callsMade()[0]?.text).toEqual(['', ''])
})

testIn(`an answer that cannot be judged is tried again, and then an error, never a reward${where}`, () => {
  const table = rowOf(false, false, false)
  expect(() => rewards([callOf({ table, code: 3 })])).toThrow(`${task}: could not be judged: no compiler`)
  expect(callsMade().filter(({ command }) => command === 'generate')).toHaveLength(3)
  expect(() => rewards([callOf({ table: header })])).toThrow('could not be judged')
})

testIn(`no more answers are judged at the same time than there are jobs${where}`, () => {
  rewards([1, 2, 3, 4].map(() => callOf({ table: rowOf(true, true, true), wait: 1000 }, { jobs: 2 })))
  let [now, most] = [0, 0]
  for (const { command } of callsMade()) {
    if (command === 'generate') now++
    if (command === 'judged') now--
    most = Math.max(most, now)
  }
  expect(most).toBeLessThanOrEqual(2)
})
