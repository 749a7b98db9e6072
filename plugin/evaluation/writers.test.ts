// stand-ins have only what is asked of them
// oxlint-disable typescript/no-unsafe-type-assertion
import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  emptyTensor,
  type KernelCase,
  type LaunchArgs,
  type LaunchResult,
  type Verdict,
  type WrongElement,
  type Writer,
} from '../model/index.ts'
import type { KernelTask } from '../task/kernel-task.ts'
import { withMemoryFor } from './evaluate.ts'
import { PreparedCases } from './prepared.ts'
import { withWriters } from './writers.ts'

const argument = (name: string, kind: 'tensor' | 'list' = 'tensor') => ({
  name,
  kind,
  required: true,
  dtypes: ['float32'],
})

/** y overwrites x, z is a list of halves, c is complex. */
const task = {
  interface: {
    name: 'T',
    inputs: [argument('x')],
    outputs: [{ ...argument('y'), aliases: 'x' }, argument('z', 'list'), argument('c')],
  },
  draw: () => ({ x: { ...emptyTensor('float32', [4, 8]), data: new Float32Array(32).fill(5) } }),
} as unknown as KernelTask

const kernelCase: KernelCase = {
  task: 'T',
  name: 'a',
  combination: 0,
  inputs: { x: { dtype: 'float32', shape: [4, 8] } },
  outputs: {
    y: { dtype: 'float32', shape: [4, 8] },
    z: [
      { dtype: 'float16', shape: [3] },
      { dtype: 'float16', shape: [2, 6] },
    ],
    c: { dtype: 'complex64', shape: [10] },
  },
  attrs: {},
  seed: 3,
}

const by: Writer = { instruction: 'DataCopy', core: 'AIV 0', writes: 1 }

/** What becomes of a verdict, and what was asked. */
async function asked(output: string, indices: readonly number[][], answer: Partial<LaunchResult>) {
  const examples = indices.map((index): WrongElement => ({ index, expected: '1', actual: '2' }))
  const [first] = examples
  const comparison = {
    output,
    elements: 100,
    mismatches: indices.length,
    index: [0],
    expected: '',
    actual: '',
    examples,
  }
  const verdict = { kind: 'wrong-value', comparison: { ...comparison, ...first } } satisfies Verdict
  let args: LaunchArgs | undefined
  let content: number | undefined
  const launch = (given: LaunchArgs): Promise<LaunchResult> => {
    args = given
    content = new Float32Array(new Uint8Array(readFileSync(given.file)).buffer, 0, 1)[0]
    return Promise.resolve(answer as LaunchResult)
  }
  const told = await withWriters({ task, artifact: 'built' }, kernelCase, verdict, {
    launch,
    prepared: new PreparedCases(),
  })
  return { verdict, told, args, content, writers: told.comparison.examples?.map(({ writer }) => writer) }
}

test.each([
  { output: 'y', index: [2, 3], at: 4 * (2 * 8 + 3), bytes: 4 },
  { output: 'z[0]', index: [2], at: 2 * 4096 + 2 * 2, bytes: 2 },
  { output: 'z[1]', index: [1, 5], at: 4 * 4096 + 2 * (6 + 5), bytes: 2 },
  { output: 'c', index: [9], at: 6 * 4096 + 8 * 9, bytes: 8 },
])('an element of $output is watched where it lies in the file', async ({ output, index, at, bytes }) => {
  const { args, content, writers } = await asked(output, [index, index], { ok: true, writers: [by, null] })
  expect(args).toMatchObject({ artifact: 'built', case: kernelCase })
  expect(args?.watched).toEqual([
    { offset: at, bytes },
    { offset: at, bytes },
  ])
  // inputs are there, also those that the first launch has overwritten
  expect(content).toBe(5)
  expect(writers).toEqual([by, null])
})

test.each<[string, Partial<LaunchResult>]>([
  ['a target that tells nothing', { ok: true }],
  ['a launch that fails', { ok: false }],
  ['an answer to another question', { ok: true, writers: [by, by] }],
])('the verdict stays as it is: %s', async (_, answer) => {
  const { verdict, told, args } = await asked('y', [[0, 0]], answer)
  expect(args).toBeDefined()
  expect(told).toBe(verdict)
})

test('it waits for memory like every case', async () => {
  const large: KernelCase = { ...kernelCase, inputs: { x: { dtype: 'float32', shape: [2 ** 28] } } }
  const holder = new EventEmitter()
  const holding = withMemoryFor(large, () => once(holder, 'release'))
  let isTold = false
  const telling = asked('y', [[0, 0]], { ok: true, writers: [by] }).then(() => (isTold = true))
  await setTimeout(100)
  expect(isTold).toBe(false)
  holder.emit('release')
  await Promise.all([holding, telling])
  expect(isTold).toBe(true)
})

test('what has no element is not launched', async () => {
  expect((await asked('y', [], { ok: true })).args).toBeUndefined()
  expect((await asked('nothing', [[0]], { ok: true, writers: [by] })).args).toBeUndefined()
})
