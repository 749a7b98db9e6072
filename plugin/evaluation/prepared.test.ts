// stand-ins have only what is asked of them
// oxlint-disable typescript/no-unsafe-type-assertion
import { expect, test, vi } from 'vitest'
import { emptyTensor, type KernelCase } from '../model/index.ts'
import type { KernelTask } from '../task/kernel-task.ts'
import { PreparedCases } from './prepared.ts'
import { caseOfRun, poisonOf } from './seed.ts'

const caseOf = (name: string): KernelCase => ({
  task: 'T',
  name,
  combination: 0,
  inputs: { x: { dtype: 'float32', shape: [256] } },
  outputs: { y: { dtype: 'float32', shape: [256] } },
  attrs: {},
  seed: 3,
})

/** 1 KiB of input and 2 KiB of golden for each case. */
function taskOf(): { task: KernelTask; golden: ReturnType<typeof vi.fn> } {
  const golden = vi.fn(() => ({ y: { values: new Float64Array(256) } }))
  const task = { draw: () => ({ x: emptyTensor('float32', [256]) }), golden } as unknown as KernelTask
  return { task, golden }
}

test('golden of a case is computed once, for samples, baseline and latency alike', () => {
  const { task, golden } = taskOf()
  const prepared = new PreparedCases()
  const inputs = prepared.inputs(task, caseOf('a'))
  const first = prepared.expected(task, caseOf('a'), inputs)
  expect(prepared.inputs(task, caseOf('a'))).toBe(inputs)
  expect(prepared.expected(task, caseOf('a'), inputs)).toBe(first)
  expect(golden).toHaveBeenCalledOnce()
})

test('what was used longest ago is forgotten when memory is full', () => {
  const { task, golden } = taskOf()
  const prepared = new PreparedCases(7 * 1024)
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b'])
    prepared.expected(task, caseOf(name), prepared.inputs(task, caseOf(name)))
  // b was dropped for c, a never
  expect(golden).toHaveBeenCalledTimes(4)
})

test('a case that would push out most others is drawn anew, in the memory that is offered', () => {
  const draw = vi.fn((_: KernelCase, allocate = emptyTensor) => ({ x: allocate('float32', [256]) }))
  const task = { ...taskOf().task, draw } as unknown as KernelTask
  const offered = vi.fn(emptyTensor)
  for (const [limit, drawn, taken] of [
    [4 * 1024, 1, 0],
    [4 * 1024 - 1, 2, 2],
  ] as const) {
    draw.mockClear()
    const prepared = new PreparedCases(limit)
    for (let i = 0; i < 2; i++) prepared.expected(task, caseOf('a'), prepared.inputs(task, caseOf('a'), offered))
    expect([draw.mock.calls.length, offered.mock.calls.length]).toEqual([drawn, taken])
  }
})

test.each([
  ['at once', (x: Float32Array) => void x.fill(1), 1],
  ['while it is compared', (x: Float32Array) => setImmediate(() => x.fill(1)), 2],
])('golden that works in place %s is an error of the spec', async (_, change, attempts) => {
  const x = emptyTensor('float32', [256])
  const golden = (): unknown => {
    change(x.data as Float32Array)
    return { y: { values: new Float64Array(256) } }
  }
  const task = { draw: () => ({ x }), golden } as unknown as KernelTask
  const prepared = new PreparedCases()
  const judge = async (): Promise<void> => {
    prepared.expected(task, caseOf('a'), prepared.inputs(task, caseOf('a')))
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (attempts > 1) await judge()
  await expect(judge()).rejects.toThrow('golden changes the inputs')
})

test('golden may compute each case in the same memory', () => {
  const values = new Float64Array(1)
  let count = 0
  const golden = (): unknown => ({ y: { values: values.fill(++count) } })
  const task = { draw: () => ({}), golden } as unknown as KernelTask
  const prepared = new PreparedCases()
  const [a, b] = ['a', 'b'].map((name) => prepared.expected(task, caseOf(name), {}).golden)
  expect([a, b]).toEqual([{ y: { values: Float64Array.of(1) } }, { y: { values: Float64Array.of(2) } }])
})

test('the same case of another task is another case', () => {
  const one = taskOf()
  const two = taskOf()
  const prepared = new PreparedCases()
  prepared.expected(one.task, caseOf('a'), {})
  prepared.expected(two.task, caseOf('a'), {})
  expect(two.golden).toHaveBeenCalledOnce()
})

test('inputs and poison follow from the seed of the run, and differ between runs', () => {
  const [a, again, b] = [caseOfRun(caseOf('a'), 1), caseOfRun(caseOf('a'), 1), caseOfRun(caseOf('a'), 2)]
  expect(a).toEqual(again)
  expect(a.seed).not.toBe(b.seed)
  expect(poisonOf(a)).toBe(poisonOf(again))
  expect(poisonOf(a)).not.toBe(poisonOf(b))
})

test('no byte of a poison is a zero or a bool', () => {
  for (let seed = 0; seed < 500; seed++) {
    const bytes = Buffer.from(poisonOf({ ...caseOf('a'), seed }), 'hex')
    expect(bytes).toHaveLength(8)
    expect(Math.min(...bytes)).toBeGreaterThanOrEqual(0x81)
  }
})
