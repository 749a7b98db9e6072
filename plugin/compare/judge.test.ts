import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encode, toFloat64, words16 } from '../inputs/index.ts'
import { bytesView, dtypes, emptyTensor, sizeOf } from '../model/index.ts'
import type { Answer, Comparison, DType, KernelCase, Tensor, TensorSpec } from '../model/index.ts'
import type { KernelTask } from '../task/kernel-task.ts'
import { publicDefault } from './benchmark.ts'
import { accepts, judge } from './judge.ts'
import { roundTo, unitRoundoff } from './round.ts'
import type { BenchmarkRule, ErrorBound, Finding, GoldenChoice, GoldenOutputs } from './rules.ts'

const poison = Uint8Array.from([0x5a, 0xc3, 0x19, 0x7b, 0x5a, 0x3d, 0xe6, 0x42])

type Task = Pick<KernelTask, 'interface' | 'profiles'>

function taskWith(bound: ErrorBound = { absolute: 0, relative: 0 }, aliases?: string): Task {
  const output = { name: 'y', kind: 'tensor' as const, required: true, dtypes: ['float32' as const] }
  return {
    interface: {
      name: 'T',
      kernel: 't',
      suite: 'own',
      group: null,
      category: 'Math',
      inputs: [],
      outputs: [aliases ? { ...output, aliases } : output],
      attrs: [],
    },
    profiles: { strict: () => bound, benchmark: () => ({ block: () => true }) },
  }
}

const caseWith = (outputs: Record<string, TensorSpec | TensorSpec[]>): KernelCase => ({
  task: 'T',
  name: 'static 0',
  combination: 0,
  inputs: {},
  outputs,
  attrs: {},
  seed: 1,
})

const caseOf = ({ dtype, shape }: Tensor): KernelCase => caseWith({ y: { dtype, shape: [...shape] } })

function tensorOf(dtype: DType, values: readonly number[], shape: readonly number[] = [values.length]): Tensor {
  const tensor = emptyTensor(dtype, shape)
  encode(Float64Array.from(values), tensor)
  return tensor
}

function poisoned(dtype: DType, shape: number[]): Tensor {
  const tensor = emptyTensor(dtype, shape)
  const bytes = bytesView(tensor)
  for (let i = 0; i < bytes.length; i++) bytes[i] = poison[i & 7]!
  return tensor
}

interface Strictly {
  kind: Finding['kind']
  comparison?: Comparison
  message?: string
  benchmark: Answer
}

/** The strict answer and that of the public benchmark: the laws of this file are about those. */
function strictly(...outputs: Parameters<typeof judge>): Strictly {
  const { strict, benchmark } = judge(...outputs)
  return { ...strict, benchmark }
}

/** Judges one output y with float64 golden values. */
function judged(dtype: DType, golden: readonly number[], actual: Tensor, bound?: ErrorBound, task = taskWith(bound)) {
  const kernelCase = caseWith({ y: { dtype, shape: [golden.length] } })
  return strictly(task, kernelCase, { y: { values: Float64Array.from(golden) } }, { y: actual }, poison)
}

test('an output that means nothing in a case is not judged', () => {
  const task = taskWith()
  const silent = { ...task, profiles: { ...task.profiles, judged: () => [] } }
  const wrong = tensorOf('float32', [1, NaN])
  expect(judged('float32', [1, 2], wrong)).toMatchObject({ kind: 'wrong-nonfinite' })
  expect(judged('float32', [1, 2], wrong, undefined, silent)).toEqual({ kind: 'correct', benchmark: 'accepted' })
})

describe.each(['float16', 'bfloat16'] as const)('golden by the patterns of a %s input', (dtype) => {
  const every = Uint16Array.from({ length: 0x10000 }, (_, bits) => bits)
  const x: Tensor = { dtype, shape: [0x10000], data: every }
  const judgeBoth = (of: (value: number) => number, actual: Tensor, bound: ErrorBound) => {
    const results = toFloat64(x).map(of)
    const block = (start: number, values: Float64Array) => values.set(results.subarray(start, start + values.length))
    const plain = { length: results.length, block }
    const golden = [{ ...plain, byPattern: { patterns: every, results } }, plain]
    const task = { ...taskWith(bound), profiles: { strict: () => bound, benchmark: publicDefault } }
    const kernelCase = caseWith({ y: { dtype: actual.dtype, shape: x.shape.slice() } })
    return golden.map((y) => strictly(task, kernelCase, { y }, { y: actual }, poison))
  }

  const functions: [string, (value: number) => number][] = [
    ['itself', (value) => value],
    ['a square, which overflows', (value) => value * value],
    ['a root, which is NaN for half of them', Math.sqrt],
    ['a third', (value) => value / 3],
  ]
  const bounds: ErrorBound[] = [
    { absolute: 0, relative: 0 },
    { absolute: 0, relative: 2 ** -10, scaled: 2 ** -12 },
  ]
  test.each(functions.flatMap(([name, of]) => bounds.map((bound) => [name, of, bound] as const)))(
    'of %s judges as golden by value does',
    (_, of, bound) => {
      const right = tensorOf(dtype, Array.from(toFloat64(x).map(of)))
      const bits = words16(right.data).slice()
      const kinds = [right, x].map((actual) => {
        const [one, other] = judgeBoth(of, actual, bound)
        expect(one).toEqual(other)
        return one!.kind
      })
      expect(kinds[0]).toBe('correct')
      for (const [at, change] of [
        [0x1234, 1],
        [0x0000, 0x8000],
        [0x0000, 0x4000],
        [0x8000, 0x8000],
        [0x3456, 0x8000],
        [0x7c00, 1],
        [0x0001, 0x7fff],
      ] as const) {
        const changed = {
          ...right,
          data: bits.map((pattern, i) => (i === at ? pattern ^ change : pattern)),
        }
        const [one, other] = judgeBoth(of, changed, bound)
        expect(one).toEqual(other)
      }
    },
  )

  test('serves outputs of another 16-bit dtype', () => {
    const other = dtype === 'float16' ? 'bfloat16' : 'float16'
    const halves = tensorOf(other, Array.from(toFloat64(x).map((value) => value / 2)))
    const bound = { absolute: 0, relative: 0 }
    expect(judgeBoth((value) => value / 2, halves, bound)[0]).toMatchObject({ kind: 'correct' })
    expect(judgeBoth((value) => value, halves, bound)[0]).not.toMatchObject({ kind: 'correct' })
  })
})

describe('structure comes first', () => {
  const kernelCase = caseWith({ y: { dtype: 'float16', shape: [2, 2] } })
  const golden: GoldenOutputs = { y: { values: new Float64Array(4) } }
  const right = emptyTensor('float16', [2, 2])
  test.each([
    ['a missing output', {}, 'output y is missing'],
    ['a null output', { y: null }, 'output y is missing'],
    ['another dtype', { y: emptyTensor('float32', [2, 2]) }, 'output y is float32[2, 2], expected float16[2, 2]'],
    ['a shape of the same size', { y: emptyTensor('float16', [4]) }, 'output y is float16[4], expected float16[2, 2]'],
    ['a broadcastable shape', { y: emptyTensor('float16', [1]) }, 'output y is float16[1], expected float16[2, 2]'],
    ['a list', { y: [right] }, 'output y is a list, expected one tensor'],
    ['too little data', { y: { ...right, data: new Uint16Array(3) } }, 'output y holds 3 values, expected 4'],
  ])('%s is wrong-structure', (_, actual, message) => {
    expect(strictly(taskWith(), kernelCase, golden, actual, poison)).toEqual({
      kind: 'wrong-structure',
      message,
      benchmark: 'rejected',
    })
  })

  test('a shorter list is wrong-structure, a wrong tensor of a list is named', () => {
    const spec: TensorSpec = { dtype: 'float16', shape: [2] }
    const listCase = caseWith({ y: [spec, spec] })
    const lists: GoldenOutputs = { y: [{ values: new Float64Array(2) }, { values: Float64Array.of(1, 2) }] }
    const one = emptyTensor('float16', [2])
    expect(strictly(taskWith(), listCase, lists, { y: [one] }, poison).message).toBe(
      'output y has 1 tensors, expected 2',
    )
    const judgement = strictly(taskWith(), listCase, lists, { y: [one, one] }, poison)
    expect(judgement).toMatchObject({ kind: 'wrong-value', comparison: { output: 'y[1]', mismatches: 2 } })
  })
})

test('where the kernel tells of a shape that follows from what it computes, another one is wrong-structure', () => {
  const kernelCase = caseWith({ y: { dtype: 'float16', shape: [4] } })
  const y = emptyTensor('float16', [4])
  const golden: GoldenOutputs = { y: { ...y, nearestTo: () => y, told: [3] } }
  const verdictOn = (told: (number[] | null)[] | undefined) =>
    judge(taskWith(), kernelCase, golden, { y }, poison, {}, told).standard
  // who is not asked, or has told of no shape, which the device reports
  for (const told of [undefined, [], [null], [[3]]]) expect(verdictOn(told)).toEqual({ kind: 'correct' })
  expect(verdictOn([[2]])).toEqual({
    kind: 'wrong-structure',
    message: 'the kernel tells that output y has the shape [2], which is [3]',
  })
  expect(verdictOn([[3, 0]])).toMatchObject({ kind: 'wrong-structure' })
  const whole: GoldenOutputs = { y }
  expect(judge(taskWith(), kernelCase, whole, { y }, poison, {}, [[4]]).standard).toEqual({ kind: 'correct' })
  expect(judge(taskWith(), kernelCase, whole, { y }, poison, {}, [[3]]).standard.kind).toBe('wrong-structure')
})

describe('NaN and infinities are compared by position', () => {
  test.each<DType>(['float16', 'bfloat16', 'float32'])('%s', (dtype) => {
    const golden = [1, NaN, Infinity, -Infinity]
    expect(judged(dtype, golden, tensorOf(dtype, golden)).kind).toBe('correct')
    for (const wrong of [
      [NaN, NaN, Infinity, -Infinity],
      [1, 1, Infinity, -Infinity],
      [1, NaN, -Infinity, -Infinity],
      [1, NaN, 60000, -Infinity],
      [1, Infinity, Infinity, -Infinity],
    ]) {
      expect(judged(dtype, golden, tensorOf(dtype, wrong), { absolute: 1, relative: 1 }).kind).toBe('wrong-nonfinite')
    }
  })

  test('one NaN outweighs any number of wrong values', () => {
    const { kind, comparison } = judged('float32', [1, 2, 3], tensorOf('float32', [9, 9, NaN]))
    expect(kind).toBe('wrong-nonfinite')
    expect(comparison).toMatchObject({ mismatches: 3, index: [2], expected: '3', actual: 'NaN' })
    expect(comparison).not.toHaveProperty('limit')
  })

  test('golden beyond the largest value expects an infinity; at the threshold both are right within the bound', () => {
    expect(judged('float16', [65520], tensorOf('float16', [Infinity])).kind).toBe('correct')
    expect(judged('float16', [65519.99], tensorOf('float16', [65504])).kind).toBe('correct')
    expect(judged('float16', [65519.99], tensorOf('float16', [Infinity])).kind).toBe('wrong-nonfinite')
    expect(judged('float16', [65520], tensorOf('float16', [65504])).kind).toBe('wrong-nonfinite')
    const slack = { absolute: 0.1, relative: 0 }
    expect(judged('float16', [65519.99], tensorOf('float16', [Infinity]), slack).kind).toBe('correct')
    expect(judged('float16', [65520], tensorOf('float16', [65504]), slack).kind).toBe('correct')
  })
})

const floats = ['float16', 'bfloat16', 'float32'] as const
const ranges = { float16: 60000, bfloat16: 1e38, float32: 1e38 }

// The next value of the dtype away from zero.
function nextUp(dtype: (typeof floats)[number], value: number): number {
  const tensor = tensorOf(dtype, [value])
  const bits = dtype === 'float32' ? new Uint32Array(tensor.data.buffer) : new Uint16Array(tensor.data.buffer)
  bits[0] = bits[0]! + 1
  return toFloat64(tensor)[0]!
}

describe.each(floats)('%s values', (dtype) => {
  const value = fc.double({ noNaN: true, min: -ranges[dtype], max: ranges[dtype] })

  test('golden itself, rounded once, is accepted with no tolerance at all', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 20 }), (golden) => {
        expect(judged(dtype, golden, tensorOf(dtype, golden)).kind).toBe('correct')
      }),
    )
  })

  test('one element one unit off is rejected, at any position, and named', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 5000, size: 'max' }), fc.nat(), (golden, place) => {
        const at = place % golden.length
        const actual = toFloat64(tensorOf(dtype, golden))
        actual[at] = nextUp(dtype, actual[at]!)
        const judgement = judged(dtype, golden, tensorOf(dtype, [...actual]))
        expect(judgement).toMatchObject({ kind: 'wrong-value', comparison: { mismatches: 1, index: [at] } })
      }),
      { numRuns: 40 },
    )
  })

  test('a value within the bound is accepted before rounding, one just outside is rejected', () => {
    const bounds = fc.record({ relative: fc.constantFrom(0, 1e-6, 1e-3), absolute: fc.constantFrom(0, 1e-30, 1e-3) })
    fc.assert(
      fc.property(value, bounds, fc.double({ min: -1, max: 1, noNaN: true }), (golden, bound, share) => {
        const error = bound.absolute + bound.relative * Math.abs(golden)
        const inside = roundTo(dtype, golden + share * error)
        fc.pre(Number.isFinite(inside))
        expect(judged(dtype, [golden], tensorOf(dtype, [inside]), bound).kind).toBe('correct')
        const farthest = roundTo(dtype, Math.abs(golden) + error)
        const outside = Math.sign(golden) * nextUp(dtype, farthest)
        fc.pre(Number.isFinite(outside) && outside !== 0)
        expect(judged(dtype, [golden], tensorOf(dtype, [outside]), bound).kind).toBe('wrong-value')
      }),
      { numRuns: 300 },
    )
  })

  test('error and limit say by how much it failed', () => {
    const bound = { absolute: 0, relative: 4 * unitRoundoff[dtype] }
    const { comparison } = judged(dtype, [1, 2], tensorOf(dtype, [1, 3]), bound)
    expect(comparison).toMatchObject({ index: [1], expected: '2', actual: '3', error: 1 })
    expect(comparison!.limit).toBeGreaterThanOrEqual(8 * unitRoundoff[dtype])
    expect(comparison!.limit).toBeLessThan(32 * unitRoundoff[dtype])
  })
})

test('the scale carries bounds of sums that cancel', () => {
  const kernelCase = caseWith({ y: { dtype: 'float32', shape: [2] } })
  const golden = { y: { values: Float64Array.of(0, 0), scale: Float64Array.of(1000, 1) } }
  const task = taskWith({ absolute: 0, relative: 0, scaled: 1e-6 })
  expect(strictly(task, kernelCase, golden, { y: tensorOf('float32', [9e-4, 9e-7]) }, poison).kind).toBe('correct')
  expect(
    strictly(task, kernelCase, golden, { y: tensorOf('float32', [9e-4, 9e-6]) }, poison).comparison!.index,
  ).toEqual([1])
})

test('golden by blocks is judged like golden as an array, beyond one block', () => {
  const shape = [3, 5000]
  const kernelCase = caseWith({ y: { dtype: 'float32', shape } })
  const values = Float64Array.from({ length: sizeOf(shape) }, (_, i) => i * 0.37)
  const blocks = {
    length: values.length,
    block: (start: number, block: Float64Array) => block.set(values.subarray(start, start + block.length)),
    scaleBlock: (start: number, scale: Float64Array) => scale.fill(start),
  }
  const actual = tensorOf('float32', [...values], shape)
  actual.data[12_345] = -1
  for (const y of [{ values }, blocks]) {
    expect(strictly(taskWith(), kernelCase, { y }, { y: actual }, poison).comparison).toMatchObject({
      elements: 15_000,
      mismatches: 1,
      index: [2, 2345],
      actual: '-1',
    })
  }
})

const copy = (bits: number[]): Tensor => ({ dtype: 'float16', shape: [3], data: Uint16Array.from(bits) })

describe('exact outputs', () => {
  test.each<[DType, number[], number]>([
    ['bool', [0, 1, 1], 2],
    ['uint8', [0, 255, 7], 8],
    ['int32', [-5, 2 ** 31 - 1, 0], 1],
    ['int64', [2 ** 52, -1, 0], 1],
  ])('%s must be equal in every element', (dtype, values, wrong) => {
    const kernelCase = caseWith({ y: { dtype, shape: [3] } })
    const golden = { y: tensorOf(dtype, values) }
    expect(strictly(taskWith(), kernelCase, golden, { y: tensorOf(dtype, values) }, poison).kind).toBe('correct')
    const actual = tensorOf(dtype, values)
    // Encoding as bool would make 1 of every other value.
    const raw = dtype === 'bool' ? 'uint8' : dtype
    encode(Float64Array.of(wrong), { ...actual, dtype: raw, data: actual.data.subarray(2) })
    expect(strictly(taskWith(), kernelCase, golden, { y: actual }, poison).comparison).toMatchObject({
      mismatches: 1,
      index: [2],
      expected: String(values[2]),
      actual: String(wrong),
    })
  })

  test.each<DType>(['int64', 'uint64'])('%s differs in bits that no double holds', (dtype) => {
    const kernelCase = caseWith({ y: { dtype, shape: [2] } })
    const sideOf = (...values: bigint[]): Tensor => ({
      dtype,
      shape: [2],
      data: dtype === 'int64' ? BigInt64Array.from(values) : BigUint64Array.from(values),
    })
    const golden = { y: sideOf(2n ** 60n + 1n, 5n) }
    expect(strictly(taskWith(), kernelCase, golden, { y: sideOf(2n ** 60n + 1n, 5n) }, poison).kind).toBe('correct')
    expect(strictly(taskWith(), kernelCase, golden, { y: sideOf(2n ** 60n, 5n) }, poison).comparison).toMatchObject({
      mismatches: 1,
      index: [0],
      expected: '1152921504606846977',
      actual: '1152921504606846976',
    })
  })

  test('bit copies of floats: NaN equals NaN whatever its payload, zeros equal each other, the rest is exact', () => {
    const kernelCase = caseWith({ y: { dtype: 'float16', shape: [3] } })
    const golden = { y: tensorOf('float16', [NaN, 0, 1]) }
    expect(strictly(taskWith(), kernelCase, golden, { y: copy([0xffff, 0x8000, 0x3c00]) }, poison).kind).toBe('correct')
    expect(strictly(taskWith(), kernelCase, golden, { y: copy([0x7e00, 0, 0x3c01]) }, poison).kind).toBe('wrong-value')
    expect(strictly(taskWith(), kernelCase, golden, { y: copy([0, 0, 0x3c00]) }, poison).kind).toBe('wrong-nonfinite')
  })

  test('complex64 is compared part by part', () => {
    const kernelCase = caseWith({ y: { dtype: 'complex64', shape: [2] } })
    const values = Float64Array.of(1, 2, 3, 4)
    const actual: Tensor = { dtype: 'complex64', shape: [2], data: Float32Array.of(1, 2, 3, 5) }
    expect(strictly(taskWith(), kernelCase, { y: { values } }, { y: actual }, poison).comparison).toMatchObject({
      elements: 2,
      mismatches: 1,
      index: [1],
    })
  })
})

test('where several results are right, golden says which of them a candidate is measured against', () => {
  const kernelCase = caseWith({ y: { dtype: 'int32', shape: [2] } })
  const orders = [
    [3, 5],
    [5, 3],
  ].map((values) => tensorOf('int32', values))
  const nearestTo: GoldenChoice['nearestTo'] = ({ y }) =>
    orders.find((order) => y && 'data' in y && y.data[0] === order.data[0]) ?? orders[0]!
  const verdict = (values: number[]) =>
    strictly(taskWith(), kernelCase, { y: { ...orders[0]!, nearestTo } }, { y: tensorOf('int32', values) }, poison)
  expect(verdict([3, 5]).kind).toBe('correct')
  expect(verdict([5, 3]).kind).toBe('correct')
  expect(verdict([5, 5])).toMatchObject({ kind: 'wrong-value', comparison: { index: [1], expected: '3', actual: '5' } })
})

describe('the answer of the public benchmark', () => {
  const task: Task = {
    ...taskWith(),
    profiles: { strict: () => ({ absolute: 0, relative: 0 }), benchmark: publicDefault },
  }
  const kernelCase = caseWith({ y: { dtype: 'float32', shape: [2] }, z: { dtype: 'int32', shape: [2] } })
  const golden = { y: { values: Float64Array.of(1, 2) }, z: tensorOf('int32', [3, 4]) }
  const right = { y: tensorOf('float32', [1, 2]), z: tensorOf('int32', [3, 4]) }

  test('follows its own reference where the task has one, golden elsewhere', () => {
    expect(strictly(task, kernelCase, golden, right, poison)).toEqual({ kind: 'correct', benchmark: 'accepted' })
    const defective = { y: { values: Float64Array.of(1, 7) } }
    expect(strictly(task, kernelCase, golden, right, poison, defective)).toEqual({
      kind: 'correct',
      benchmark: 'rejected',
    })
    const same = { ...right, y: tensorOf('float32', [1, 7]) }
    expect(strictly(task, kernelCase, golden, same, poison, defective)).toMatchObject({
      kind: 'wrong-value',
      benchmark: 'accepted',
    })
    const exact = { z: tensorOf('int32', [3, 5]) }
    expect(strictly(task, kernelCase, golden, right, poison, exact)).toEqual({ kind: 'correct', benchmark: 'rejected' })
  })

  test('asks a rule about blocks of every tensor, and at the end when it counts', () => {
    const asked: [string, number[]][] = []
    const counting = (answer: boolean): Task => ({
      ...task,
      profiles: {
        ...task.profiles,
        benchmark: ({ output }) => ({
          block(expected) {
            asked.push([output, [...expected]])
            return true
          },
          end: () => answer,
        }),
      },
    })
    expect(strictly(counting(true), kernelCase, golden, right, poison).benchmark).toBe('accepted')
    expect(asked).toEqual([
      ['y', [1, 2]],
      ['z', [3, 4]],
    ])
    expect(strictly(counting(false), kernelCase, golden, right, poison).benchmark).toBe('rejected')
  })
})

const judging = (benchmark: BenchmarkRule): Task => ({
  ...taskWith(),
  profiles: { strict: () => ({ absolute: 0, relative: 0 }), benchmark },
})

/** Judges y; how many of its blocks the rule was shown, and its answer, the same when it is shown all of them. */
function answers(dtype: DType, golden: GoldenOutputs, y: Tensor, rule: BenchmarkRule) {
  let asked = 0
  const counting: BenchmarkRule = (context) => {
    const check = rule(context)
    const block: typeof check.block = (expected, actual) => {
      asked++
      return check.block(expected, actual)
    }
    return { ...check, block }
  }
  const kernelCase = caseWith({ y: { dtype, shape: y.shape.slice() } })
  const judgement = strictly(judging(counting), kernelCase, golden, { y }, poison)
  const all: BenchmarkRule = (context) => ({ block: rule(context).block })
  expect(judgement).toEqual(strictly(judging(all), kernelCase, golden, { y }, poison))
  return { asked, benchmark: judgement.benchmark }
}

describe('a rule that accepts the rounded reference need not be shown it', () => {
  test.each<DType>(['float16', 'bfloat16', 'float32', 'float64'])(
    'in %s; one bit or one infinity off is shown',
    (dtype) => {
      const values = Array.from({ length: 5000 }, (_, i) => (i % 2 === 0 ? 1 : -1) * 1.37 ** ((i % 60) - 30))
      values[7] = 0
      values[8] = 1
      const golden = { y: { values: Float64Array.from(values) } }
      expect(answers(dtype, golden, tensorOf(dtype, values), publicDefault)).toEqual({
        asked: 0,
        benchmark: 'accepted',
      })
      expect(answers(dtype, { y: tensorOf(dtype, values) }, tensorOf(dtype, values), publicDefault).asked).toBe(0)

      const off = tensorOf(dtype, values)
      const bytes = bytesView(off)
      bytes[4999 * dtypes[dtype].bytes] = bytes[4999 * dtypes[dtype].bytes]! ^ 1
      expect(answers(dtype, golden, off, publicDefault).asked).toBe(1)
      for (const value of [Infinity, NaN]) {
        values[3] = value
        const wild = { y: { values: Float64Array.from(values) } }
        expect(answers(dtype, wild, tensorOf(dtype, values), publicDefault)).toEqual({
          asked: 1,
          benchmark: 'rejected',
        })
        const copy = { y: tensorOf(dtype, values) }
        expect(answers(dtype, copy, tensorOf(dtype, values), publicDefault)).toEqual({
          asked: 1,
          benchmark: 'rejected',
        })
      }
    },
  )

  test('a tie is rounded right to the even neighbour, and to no other', () => {
    const tie = { y: { values: Float64Array.of(1 + 2 ** -11, 2 - 2 ** -11, -1 - 3 * 2 ** -11) } }
    const even = tensorOf('float16', [1, 2, -1 - 2 ** -9])
    const odd = tensorOf('float16', [1 + 2 ** -10, 2 - 2 ** -10, -1 - 2 ** -10])
    expect(answers('float16', tie, even, publicDefault)).toEqual({ asked: 0, benchmark: 'accepted' })
    expect(answers('float16', tie, odd, publicDefault).asked).toBe(1)
    const kernelCase = caseWith({ y: { dtype: 'float16', shape: [3] } })
    expect(strictly(taskWith(), kernelCase, tie, { y: even }, poison).kind).toBe('correct')
    expect(strictly(taskWith(), kernelCase, tie, { y: odd }, poison).comparison?.mismatches).toBe(3)
  })

  test('golden that rounds to an infinity is shown', () => {
    const golden = { y: { values: Float64Array.of(1e6) } }
    const result = answers('float16', golden, tensorOf('float16', [Infinity]), publicDefault)
    expect(result).toEqual({ asked: 1, benchmark: 'rejected' })
  })
})

describe('unwritten memory', () => {
  test.each<DType>(['float16', 'float32', 'int8', 'int64'])(
    'an untouched %s output is reported byte by byte',
    (dtype) => {
      const kernelCase = caseWith({ y: { dtype, shape: [10] } })
      const exact = dtypes[dtype].kind === 'int'
      const golden = exact ? { y: tensorOf(dtype, Array(10).fill(1)) } : { y: { values: new Float64Array(10).fill(1) } }
      const bytes = 10 * dtypes[dtype].bytes
      expect(
        strictly(taskWith(), kernelCase, golden, { y: poisoned(dtype, [10]) }, poison).comparison!.unwritten,
      ).toEqual({
        bytes,
        first: 0,
        last: bytes - 1,
      })
    },
  )

  test('a skipped tail is located', () => {
    const actual = poisoned('float16', [9])
    encode(new Float64Array(7).fill(1), actual)
    expect(judged('float16', Array<number>(9).fill(1), actual).comparison).toMatchObject({
      mismatches: 2,
      unwritten: { bytes: 4, first: 14, last: 17 },
    })
  })

  test.each([
    ['one wrong value everywhere', (): number => (poison[4]! << 24) >> 24],
    ['all values of a byte', (i: number): number => ((i * 89 + (i >> 8)) & 255) - 128],
  ])('int8 elements that equal the fill pattern by chance are not called unwritten: %s', (_, valueAt) => {
    const values = Array.from({ length: 4096 }, (__, i) => valueAt(i))
    const actual = tensorOf('int8', values)
    const survivors = bytesView(actual).filter((byte, i) => byte === poison[i & 7])
    expect(survivors.length).toBeGreaterThan(0)
    const wrong = tensorOf(
      'int8',
      values.map((value) => (value === 1 ? 2 : 1)),
    )
    const told = (y: Tensor) => strictly(taskWith(), caseOf(y), { y: wrong }, { y }, poison).comparison
    expect(told(actual)).not.toHaveProperty('unwritten')
    // a tail beside them that was skipped is, and it alone
    bytesView(actual).set(bytesView(poisoned('int8', [4096])).subarray(4000), 4000)
    expect(told(actual)).toMatchObject({ unwritten: { bytes: 96, first: 4000, last: 4095 } })
  })

  test('halves that equal the fill pattern by chance are not, every second one that was skipped is', () => {
    const length = 1 << 16
    const y = emptyTensor('float16', [length])
    words16(y.data).set(Uint16Array.from({ length }, (_, i) => i & 0x7bff))
    const golden = { y: { values: Float64Array.from(toFloat64(y), (value) => value + 8) } }
    const told = () => strictly(taskWith(), caseOf(y), golden, { y }, poison).comparison
    const skipped = bytesView(poisoned('float16', [length]))
    bytesView(y).set(skipped.subarray(2048, 2050), 2048)
    expect(told()).not.toHaveProperty('unwritten')
    for (let i = 0; i < length; i += 2) bytesView(y).set(skipped.subarray(2 * i, 2 * i + 2), 2 * i)
    expect(told()).toMatchObject({ unwritten: { bytes: length, first: 0, last: 2 * length - 3 } })
  })

  test('wrong values that were written are not called unwritten', () => {
    expect(judged('float16', [1, 1], tensorOf('float16', [2, 1])).comparison).not.toHaveProperty('unwritten')
  })

  test('poison that happens to be NaN does not stand for an expected NaN', () => {
    const nan = Uint8Array.of(0xff, 0x7f, 0xff, 0x7f, 0xff, 0x7f, 0xff, 0x7f)
    const actual = emptyTensor('float16', [2])
    bytesView(actual).set(nan.subarray(0, 4))
    const kernelCase = caseWith({ y: { dtype: 'float16', shape: [2] } })
    const golden = { y: { values: Float64Array.of(NaN, NaN) } }
    expect(strictly(taskWith(), kernelCase, golden, { y: actual }, nan).kind).toBe('wrong-nonfinite')
  })

  test('an in-place output starts as its input: poison bytes in it are just values', () => {
    const { comparison } = judged('float16', [1], poisoned('float16', [1]), undefined, taskWith(undefined, 'x'))
    expect(comparison).toBeDefined()
    expect(comparison).not.toHaveProperty('unwritten')
  })
})

test('a golden of the wrong length is an error of the spec, not of the candidate', () => {
  expect(() => judged('float16', [1, 2, 3], tensorOf('float16', [1, 2, 3]))).not.toThrow()
  const kernelCase = caseWith({ y: { dtype: 'float16', shape: [3] } })
  const golden = { y: { values: new Float64Array(2) } }
  expect(() => strictly(taskWith(), kernelCase, golden, { y: tensorOf('float16', [1, 2, 3]) }, poison)).toThrow(
    'golden of y has 2 values, the case needs 3',
  )
})

test('a strict answer without a place looks no further than the first wrong block', () => {
  const length = 20_000
  const kernelCase = caseWith({ y: { dtype: 'float32', shape: [length] } })
  const answer = (actual: Tensor) => {
    const seen: number[] = []
    const block = (start: number, values: Float64Array) => {
      seen.push(start)
      values.fill(1)
    }
    return {
      accepted: accepts(taskWith(), kernelCase, { y: { length, block } }, { y: actual }, poison, 'strict'),
      seen,
    }
  }
  const actual = tensorOf('float32', Array<number>(length).fill(1))
  expect(answer(actual)).toEqual({ accepted: true, seen: [0, 4096, 8192, 12288, 16384] })
  actual.data[5000] = 2
  expect(answer(actual)).toEqual({ accepted: false, seen: [0, 4096] })
  expect(accepts(taskWith(), kernelCase, { y: tensorOf('float32', [1]) }, {}, poison, 'strict')).toBe(false)
})

describe('quantised results', () => {
  const bound = { absolute: 0.01, relative: 0 }
  const kindOf = (golden: number, actual: number) => judged('int8', [golden], tensorOf('int8', [actual]), bound).kind

  test('next to a tie either integer is right, elsewhere only the nearest', () => {
    expect([kindOf(2.495, 2), kindOf(2.495, 3), kindOf(2.48, 2)]).toEqual(['correct', 'correct', 'correct'])
    expect([kindOf(2.48, 3), kindOf(2.495, 4), kindOf(-2.48, -3)]).toEqual(Array(3).fill('wrong-value'))
  })

  test('an exact tie goes to the even integer', () => {
    const kinds = [2, 3].map((actual) => judged('int8', [2.5], tensorOf('int8', [actual])).kind)
    expect(kinds).toEqual(['correct', 'wrong-value'])
  })

  test('the public rule compares with golden rounded', () => {
    const task: Task = { ...taskWith(bound), profiles: { strict: () => bound, benchmark: publicDefault } }
    const answer = (actual: number) => judged('int8', [2.3], tensorOf('int8', [actual]), bound, task).benchmark
    expect([answer(2), answer(3)]).toEqual(['accepted', 'rejected'])
  })
})

test('whoever says which result is nearest has copies: what it does to them is not compared', () => {
  const [wanted, y] = [tensorOf('float32', [1, 2]), tensorOf('float32', [3e38, 3e38])]
  const nearestTo: GoldenChoice['nearestTo'] = ({ y: shown }) => {
    if (shown && 'data' in shown) bytesView(shown).set(bytesView(wanted))
    return wanted
  }
  const judged = strictly(taskWith(), caseOf(y), { y: { ...wanted, nearestTo } }, { y }, poison)
  expect(judged.kind).toBe('wrong-value')
  expect([...y.data]).toEqual([...tensorOf('float32', [3e38, 3e38]).data])
})

test('a scale of another length than its values is the error of golden', () => {
  const y = tensorOf('float32', [1, 2])
  const golden = { y: { values: Float64Array.of(1, 2), scale: Float64Array.of(1) } }
  expect(() => judge(taskWith(), caseOf(y), golden, { y }, poison)).toThrow('golden of y has 2 values and a scale of 1')
})
