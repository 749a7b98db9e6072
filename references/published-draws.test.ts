/* oxlint-disable unicorn/consistent-function-scoping -- each model stands beside the promise that needs it */
import { describe, expect, test, vi } from 'vitest'
import { toFloat64 } from '../plugin/inputs/index.ts'
import type { KernelCase } from '../plugin/model/index.ts'
import { dtypeOf, tensorsOf, type KernelTask } from '../plugin/task/index.ts'
import { casesOf } from './cases-of.ts'
import { loadSpecs } from './load-specs.ts'

vi.setConfig({ testTimeout: 60_000 })

// Static rows hold what the public list draws, so that only generated cases find what it cannot.
const tasks = new Map((await loadSpecs()).map((task) => [task.interface.name, task]))

/** All elements of an input in the static rows of at most 2^17 elements that `only` names. */
function drawn(name: string, input: string, only: (kernelCase: KernelCase, task: KernelTask) => boolean = () => true) {
  const task = tasks.get(name)!
  const cases = casesOf(task, 0, 2 ** 17).filter((kernelCase) => only(kernelCase, task))
  expect(cases.length).toBeGreaterThan(0)
  return cases.flatMap((kernelCase) =>
    [...tensorsOf(task.draw(kernelCase)[input])].flatMap((one) => [...toFloat64(one)]),
  )
}

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const largest = (values: readonly number[]) => values.reduce((most, value) => Math.max(most, value), -Infinity)
const smallest = (values: readonly number[]) => values.reduce((least, value) => Math.min(least, value), Infinity)

test.each<[task: string, input: string, low: number, high: number]>([
  ['Sasum', 'x', 0, 1],
  ['StridedSliceAssignV2', 'var', 0, 1],
  ['StridedSliceAssignV2', 'input_value', 0, 1],
  ['DequantSwigluQuant', 'activation_scale', 0, 1],
  ['DequantSwigluQuant', 'quant_scale', 0, 1],
  ['CrossEntropyLoss', 'weight', 0, 1],
  ['CrossEntropyLossGrad', 'weight', 0, 1],
  ['AddRmsNormQuant', 'scales1', 0, 1],
  ['MseLoss', 'predict', 0, 1],
  ['MseLoss', 'label', 0, 1],
])('%s: %s is spread evenly over %d … %d', (name, input, low, high) => {
  const values = drawn(name, input)
  expect([smallest(values) >= low, largest(values) <= high]).toEqual([true, true])
  // in eight equal parts there are as many
  const counts = Array<number>(8).fill(0)
  for (const value of values) counts[Math.min(7, Math.floor(((value - low) / (high - low)) * 8))]!++
  const expected = values.length / 8
  for (const count of counts) expect(Math.abs(count - expected)).toBeLessThan(5 * Math.sqrt(expected) + 1)
})

test('MseLoss: a sum is over the same numbers as a mean', () => {
  expect(largest(drawn('MseLoss', 'predict', ({ attrs }) => attrs.reduction === 'sum'))).toBeGreaterThan(0.99)
})

test.each(['var', 'updates'])('ScatterList: %s is normal, of deviation 1', (input) => {
  const values = drawn('ScatterList', input)
  expect(average(values.map((value) => value * value))).toBeCloseTo(1, 1)
})

describe('comparisons', () => {
  const isFloat32 = (kernelCase: KernelCase) => dtypeOf(kernelCase, 'x1') === 'float32'
  const ties = (name: string, only: (kernelCase: KernelCase) => boolean) => {
    const [one, other] = [drawn(name, 'x1', only), drawn(name, 'x2', only)]
    return one.filter((value, i) => value === other[i]).length / one.length
  }

  test.each(['Equal', 'Less'])('%s: independent float32 numbers are not equal', (name) => {
    expect(ties(name, isFloat32)).toBe(0)
  })

  test('Equal: integers of a small range are equal now and then', () => {
    expect(ties('Equal', (kernelCase) => dtypeOf(kernelCase, 'x1') === 'int32')).toBeCloseTo(0.05, 1)
  })
})

test('Sqrt: 16-bit rows hold an exact zero', () => {
  const task = tasks.get('Sqrt')!
  const [template] = task.staticCases
  for (const dtype of ['float16', 'bfloat16', 'float32'] as const) {
    const spec = { dtype, shape: [3000] }
    const zeros = toFloat64(tensorsOf(task.draw({ ...template!, inputs: { x: spec } }).x)[0]!).filter((x) => x === 0)
    expect(zeros.length).toBe(dtype === 'float32' ? 0 : 1)
  }
})

test('NonFiniteCheckOp: of one element NaN and infinity are there, not its opposite', () => {
  const task = tasks.get('NonFiniteCheckOp')!
  const single = task.staticCases.find(({ name }) => name === 'static 5')!
  const values = new Set<number>()
  for (let seed = 0; seed < 50; seed++) {
    for (const one of tensorsOf(task.draw({ ...single, seed }).tensor_list)) values.add(toFloat64(one)[0]!)
  }
  expect(values).toEqual(new Set([NaN, Infinity]))
})

test('CrossEntropyLossGrad: rows are logarithms of probabilities', () => {
  const task = tasks.get('CrossEntropyLossGrad')!
  for (const kernelCase of casesOf(task, 0, 2 ** 15)) {
    const [logProb] = tensorsOf(task.draw(kernelCase).log_prob)
    const [values, width] = [toFloat64(logProb!), logProb!.shape[1]!]
    for (let start = 0; start < values.length; start += width) {
      const row = [...values.subarray(start, start + width)]
      // what is left is the rounding to the dtype
      expect(Math.abs(average(row.map(Math.exp)) * width - 1)).toBeLessThan(0.02)
    }
  }
})

test('StridesliceNegConcatV2: the kernel gets float16 in every row', () => {
  const { staticCases } = tasks.get('StridesliceNegConcatV2')!
  expect(staticCases.map((kernelCase) => dtypeOf(kernelCase, 'input'))).toEqual(Array(6).fill('float16'))
})
