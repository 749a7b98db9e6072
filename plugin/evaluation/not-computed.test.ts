import { expect, test, vi } from 'vitest'
import { defineTask, exact, tensor, tensorsOf, toFloat64, type Inputs } from '../task/index.ts'
import type { Coverage, Tensor } from '../model/index.ts'
import { notComputed } from './not-computed.ts'

const task = defineTask('Mixed', {
  category: 'Math',
  kernel: 'mixed',
  inputs: {
    x: tensor({ dtype: 'float32', shape: [4] }),
    carrier: tensor({ dtype: 'float32', shape: [4] }),
    state: tensor({ dtype: 'float32', shape: [4] }),
  },
  outputs: {
    y: tensor.like('x'),
    state: tensor.like('state', { aliases: 'state' }),
  },
  golden: ({ x, state }) => ({
    y: { values: toFloat64(x).map((value) => 2 * value) },
    state: { values: toFloat64(state).map((value) => value + 1) },
  }),
  domain: {},
  strict: exact,
  cases: [{}],
})
const kernelCase = { ...task.staticCases[0]!, seed: 1 }
const inputs: Inputs = task.draw(kernelCase)

const float32 = (values: readonly number[]): Tensor => ({
  dtype: 'float32',
  shape: [4],
  data: Float32Array.from(values),
})
const stateOf = (add: number): Tensor =>
  float32(
    tensorsOf(inputs['state'])
      .flatMap(({ data }) => [...data])
      .map((value) => Number(value) + add),
  )

function findings(unread: readonly string[], state = stateOf(1), bytes = 16, judged: typeof task = task) {
  const coverage: Coverage[] = ['x', 'carrier', 'state'].map((slot) => ({
    slot,
    bytes,
    read: unread.includes(slot) ? 0 : bytes,
    written: 0,
  }))
  const right = JSON.stringify(judged.golden(inputs, kernelCase))
  const accepts = (golden: object): boolean => JSON.stringify(golden) === right
  const run = { task: judged, kernelCase, inputs, outputs: { state }, coverage, accepts }
  return notComputed(run).map(({ message }) => message)
}

test('an input that outputs follow from has to be read', () => {
  expect(findings([])).toEqual([])
  expect(findings(['x'])).toEqual([expect.stringContaining('has read a byte of x, which they follow from')])
})

test('one that carries only its shape need not be, and an empty one cannot', () => {
  expect(findings(['carrier'])).toEqual([])
  expect(findings(['x'], stateOf(1), 0)).toEqual([])
})

const timesNothing = (given: Inputs): Float64Array => toFloat64(tensorsOf(given['carrier'])[0]!).map(() => 0)

test('other values are drawn only for one that golden looks at', () => {
  const draw = vi.fn<typeof task.draw>((...args) => task.draw(...args))
  expect(findings(['carrier'], stateOf(1), 16, { ...task, draw })).toEqual([])
  expect(draw).not.toHaveBeenCalled()

  const looking: typeof task = { ...task, draw, golden: (given) => ({ y: { values: timesNothing(given) } }) }
  expect(findings(['carrier'], stateOf(1), 16, looking)).toEqual([])
  expect(draw).toHaveBeenCalledTimes(2)
})

test('one that is overwritten need not be read where something of it is left', () => {
  expect(findings(['state'])).toHaveLength(1)
  expect(findings(['state'], stateOf(0))).toEqual([])
})

test('a device that does not see what is read accuses nobody', () => {
  const run = { task, kernelCase, inputs, outputs: {}, accepts: () => false }
  expect(notComputed({ ...run, coverage: undefined })).toEqual([])
})
