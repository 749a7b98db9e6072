import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encode, toFloat64 } from '../inputs/index.ts'
import { emptyTensor, type Accuracy, type DType, type KernelCase, type Tensor } from '../model/index.ts'
import { absoluteAndRelative, errorShare, onlyOutputs, publicDefault, ulpScaled } from './benchmark.ts'
import { accepts, judge } from './judge.ts'
import { roundTo, unitRoundoff } from './round.ts'
import type { BenchmarkRule, ErrorBound, GoldenTensor, JudgedTask, Judgement } from './rules.ts'
import { exact } from './strict.ts'

const poison = Uint8Array.from([0x5a, 0xc3, 0x19, 0x7b, 0x5a, 0x3d, 0xe6, 0x42])

const none: ErrorBound = { absolute: 0, relative: 0 }
const small: ErrorBound = { absolute: 0, relative: 2 ** -24 }

interface Setting {
  strict?: ErrorBound
  benchmark?: BenchmarkRule
  /** a case of the public list, or a generated one */
  name?: string
}

const taskOf = ({ strict = none, benchmark = publicDefault }: Setting): JudgedTask => ({
  interface: {
    name: 'T',
    kernel: 't',
    suite: 'own',
    group: null,
    category: 'Math',
    inputs: [],
    outputs: [{ name: 'y', kind: 'tensor', required: true, dtypes: ['float32'] }],
    attrs: [],
  },
  profiles: { strict: () => strict, benchmark },
})

const caseOf = (dtype: DType, elements: number, name = 'static 0'): KernelCase => ({
  task: 'T',
  name,
  combination: 0,
  inputs: {},
  outputs: { y: { dtype, shape: [elements] } },
  attrs: {},
  seed: 1,
})

function tensorOf(dtype: DType, values: readonly number[]): Tensor {
  const components = dtype === 'complex64' ? values.length / 2 : values.length
  const tensor = emptyTensor(dtype, [components])
  encode(Float64Array.from(values), tensor)
  return tensor
}

/** Judges one output with golden given as real numbers, or as it is given. */
function judged(
  dtype: DType,
  golden: readonly number[] | GoldenTensor,
  actual: readonly number[],
  setting: Setting = {},
): Judgement {
  const y = 'length' in golden && !('block' in golden) ? { values: Float64Array.from(golden) } : golden
  const tensor = tensorOf(dtype, actual)
  const kernelCase = caseOf(dtype, tensor.shape[0]!, setting.name)
  const judgement = judge(taskOf(setting), kernelCase, { y }, { y: tensor }, poison)
  for (const profile of ['standard', 'strict'] as const) {
    const accepted = accepts(taskOf(setting), kernelCase, { y }, { y: tensor }, poison, profile)
    expect(accepted, profile).toBe(judgement[profile].kind === 'correct')
  }
  return judgement
}

const standard = (...outputs: Parameters<typeof judged>) => judged(...outputs).standard.kind

/** Two rules of one element, and one that is a function of its own. */
const rules: BenchmarkRule[] = [
  publicDefault,
  ulpScaled(2 ** -9),
  absoluteAndRelative(0.01),
  () => ({ block: () => true }),
]

const floats = ['float16', 'bfloat16', 'float32'] as const

/** Most doubles are tiny; these are what tensors hold. */
const usual = (largest: number) => fc.integer({ min: -(2 ** 24), max: 2 ** 24 }).map((n) => (n / 2 ** 24) * largest)

describe.each(floats)('the standard profile on %s', (dtype) => {
  const value = fc.oneof(usual(2), usual(60_000), fc.double({ noNaN: true, min: -60_000, max: 60_000 }))
  const bounds = fc.record({
    absolute: fc.constantFrom(0, 1e-6, 1e-3),
    relative: fc.constantFrom(0, 2 ** -20, 2 ** -9, 2 ** -6),
    scaled: fc.constantFrom(0, 2 ** -12),
  })
  const names = fc.constantFrom('static 0', 'generated')
  const cases = fc.record({
    golden: fc.array(fc.tuple(value, usual(1)), { minLength: 1, maxLength: 3 }),
    size: fc.constantFrom(2 ** -24, 2 ** -14, 2 ** -11, 2 ** -9, 2 ** -4),
    strict: bounds,
    benchmark: fc.constantFrom(...rules),
    name: names,
  })

  test('accepts whatever strict accepts, and says how near it is', () => {
    const seen = new Set<Accuracy | undefined>()
    fc.assert(
      fc.property(cases, ({ golden, size, ...setting }) => {
        const values = golden.map(([wanted]) => wanted)
        const actual = golden.map(([wanted, share]) => roundTo(dtype, wanted + share * size * Math.abs(wanted)))
        const { standard: ours, strict, accuracy } = judged(dtype, values, actual, setting)
        if (strict.kind === 'correct') expect(ours.kind).toBe('correct')
        const rounded = values.every((wanted, i) => roundTo(dtype, wanted) === actual[i])
        const expected = strict.kind === 'correct' ? (rounded ? 'exact' : 'accurate') : 'within-tolerance'
        expect(accuracy).toBe(ours.kind === 'correct' ? expected : undefined)
        seen.add(accuracy)
      }),
      { numRuns: 400 },
    )
    expect(seen).toEqual(new Set(['accurate', 'exact', 'within-tolerance', undefined]))
  })

  test('is never looser than the public rule, but for a unit in the last place and the rounding', () => {
    const limits = fc.constantFrom(2 ** -16, 2 ** -10, 0.01)
    const ulp = dtype === 'float32' ? 0 : 2 * unitRoundoff[dtype]
    fc.assert(
      fc.property(value, usual(0.1), limits, (golden, off, limit) => {
        const actual = roundTo(dtype, golden + off)
        for (const benchmark of [ulpScaled(limit), absoluteAndRelative(limit)]) {
          if (standard(dtype, [golden], [actual], { strict: none, benchmark }) !== 'correct') continue
          const size = Math.abs(golden)
          const admitted = Math.max(ulp * size, limit * Math.max(1, size)) * (1 + 1e-9)
          const rounding = unitRoundoff[dtype] * (size + admitted)
          expect(Math.abs(actual - golden)).toBeLessThanOrEqual(admitted + rounding + 2 ** -24)
        }
      }),
      { numRuns: 400 },
    )
  })

  test('values of 1e-4 with an error of their own size are wrong, and so are those of one small element', () => {
    const golden = Array.from({ length: 64 }, (_, i) => 1e-4 * (1 + i / 64))
    const zeros = golden.map(() => 0)
    const { standard: ours, benchmark } = judged(dtype, golden, zeros, { strict: small })
    expect(ours).toMatchObject({ kind: 'wrong-value', comparison: { mismatches: 64 } })
    expect(benchmark).toBe('accepted')
    expect(standard(dtype, [1e-4], [0], { strict: small })).toBe('wrong-value')
    // an infinity says nothing of the others
    expect(standard(dtype, [1e-4, Infinity, NaN], [0, Infinity, NaN], { strict: small })).toBe('wrong-value')
  })

  test('where the tensor holds values about 1, an absolute error of the public limit is right near zero', () => {
    const golden = Array.from({ length: 64 }, (_, i) => (i === 9 ? 1e-5 : 1 + i / 64))
    const off = (error: number) => golden.map((wanted, i) => roundTo(dtype, i === 9 ? wanted + error : wanted))
    expect(judged(dtype, golden, off(0.9e-3), { strict: small }).accuracy).toBe('within-tolerance')
    expect(standard(dtype, golden, off(1.5e-3), { strict: small })).toBe('wrong-value')
    // the public benchmark has not seen generated values
    expect(standard(dtype, golden, off(0.9e-3), { strict: small, name: 'generated' })).toBe('wrong-value')
  })

  test('NaN and infinities are right by position only, whatever the limit', () => {
    const setting = { strict: small, benchmark: absoluteAndRelative(1, { nonFinite: 'accepted' }) }
    const golden = [1, NaN, Infinity, -Infinity]
    expect(standard(dtype, golden, golden, setting)).toBe('correct')
    for (const wrong of [
      [NaN, NaN, Infinity, -Infinity],
      [1, 1, Infinity, -Infinity],
      [1, NaN, -Infinity, -Infinity],
      [1, NaN, 60_000, -Infinity],
    ]) {
      expect(standard(dtype, golden, wrong, setting)).toBe('wrong-nonfinite')
    }
    const largest = { float16: 65_504, bfloat16: 2 ** 127 * (2 - 2 ** -7), float32: 2 ** 127 * (2 - 2 ** -23) }[dtype]
    const below = largest * (1 - 2 ** -30)
    expect(standard(dtype, [below], [Infinity], { ...setting, strict: none })).toBe('wrong-nonfinite')
    expect(judged(dtype, golden, golden, setting).accuracy).toBe('exact')
  })

  test('moves are exact', () => {
    const golden = tensorOf(dtype, [1, 2, 3])
    const next = 2 * (1 + 2 * unitRoundoff[dtype])
    const setting = { strict: { absolute: 1, relative: 1 }, benchmark: absoluteAndRelative(1) }
    expect(standard(dtype, golden, [1, 2, 3], setting)).toBe('correct')
    for (const name of ['static 0', 'generated'])
      expect(standard(dtype, golden, [1, next, 3], { ...setting, name })).toBe('wrong-value')
  })

  test('what strict wants exact and the dtype holds is exact as well, however golden is given', () => {
    const next = 2 * (1 + 2 * unitRoundoff[dtype])
    for (const name of ['static 0', 'generated']) {
      expect(standard(dtype, [1, 2, 3], [1, next, 3], { strict: none, name })).toBe('wrong-value')
      expect(standard(dtype, [1, 2, 3], [1, next, 3], { strict: small, name })).toBe('correct')
      // what has to be rounded is arithmetic
      expect(standard(dtype, [1, 2 * (1 + 1e-9), 3], [1, next, 3], { strict: none, name })).toBe('correct')
    }
  })
})

describe.each([
  ['float16', 2 ** -10],
  ['bfloat16', 2 ** -7],
] as const)('%s', (dtype, ulp) => {
  const tight = ulpScaled(2 ** -16)

  test.each(['static 0', 'generated'])('one unit in the last place is right, two are not: %s', (name) => {
    for (const sign of [-1, 1]) {
      const off = (units: number) => standard(dtype, [sign], [sign * (1 + units * ulp)], { strict: small, name })
      const wide = { strict: small, benchmark: tight, name }
      expect(off(1)).toBe('correct')
      expect(standard(dtype, [sign], [sign * (1 + ulp)], wide)).toBe('correct')
      expect(standard(dtype, [sign], [sign * (1 + 2 * ulp)], wide)).toBe('wrong-value')
      expect(off(3)).toBe('wrong-value')
    }
  })

  test('the smallest value next to it is right where golden is smaller still', () => {
    const smallest = dtype === 'float16' ? 2 ** -24 : 2 ** -133
    const setting = { strict: small, name: 'generated' }
    expect(standard(dtype, [0.7 * smallest, 1], [0, 1], setting)).toBe('correct')
    expect(standard(dtype, [1.7 * smallest, 1], [0, 1], setting)).toBe('wrong-value')
  })
})

describe('the scale of golden', () => {
  const golden = { values: Float64Array.of(2 ** -10, 1), scale: Float64Array.of(0.5, 1) }
  const tiny = ulpScaled(2 ** -12)
  const near = (error: number, setting: Setting = {}) =>
    standard('float32', golden, [2 ** -10 + error, 1], { strict: small, benchmark: tiny, ...setting })

  test('admits what cancels', () => {
    expect(near(2 ** -13)).toBe('correct')
    expect(near(2 ** -12)).toBe('wrong-value')
  })

  test('counts in generated cases as well, by the steps of a vendor', () => {
    expect(near(2 ** -14, { name: 'generated' })).toBe('correct')
    expect(near(2 ** -13, { name: 'generated' })).toBe('wrong-value')
  })

  test('never goes beyond the public rule', () => {
    const large = { ...golden, scale: Float64Array.of(1000, 1) }
    const at = (error: number) => standard('float32', large, [2 ** -10 + error, 1], { strict: small, benchmark: tiny })
    expect(at(2 ** -12)).toBe('correct')
    expect(at(2 ** -11)).toBe('wrong-value')
  })

  test('is that of the right element, in any block and however golden is given', () => {
    const length = 10_000
    const values = Float64Array.from({ length }, () => 2 ** -10)
    const scale = Float64Array.from({ length }, (_, i) => (i === 9000 ? 0.5 : 2 ** -10))
    const blocks = {
      length,
      block: (start: number, block: Float64Array) => block.set(values.subarray(start, start + block.length)),
      scaleBlock: (start: number, block: Float64Array) => block.set(scale.subarray(start, start + block.length)),
    }
    const off = (at: number) => [...values].map((value, i) => (i === at ? value + 2 ** -13 : value))
    for (const y of [{ values, scale }, blocks]) {
      expect(standard('float32', y, off(9000), { strict: small, benchmark: tiny })).toBe('correct')
      expect(judged('float32', y, off(8999), { strict: small, benchmark: tiny }).standard).toMatchObject({
        comparison: { index: [8999], mismatches: 1 },
      })
    }
  })
})

/** An error of an element of 1.5. */
const step = (error: number, benchmark: BenchmarkRule, name = 'static 0') =>
  standard('float32', [1.5, 1000], [1.5 + error, 1000], { strict: small, benchmark, name })

describe('what the public benchmark does not say', () => {
  test.each([
    ['outputs that it never looks at', onlyOutputs([], absoluteAndRelative(1))],
    ['a rule without a form as data', (() => ({ block: () => true })) satisfies BenchmarkRule],
  ])('%s are held to the steps of a vendor', (_, benchmark) => {
    expect(step(2 ** -13, benchmark)).toBe('correct')
    expect(step(2 ** -12, benchmark)).toBe('wrong-value')
  })

  test('generated cases are, whatever the public limit', () => {
    expect(step(2 ** -12, absoluteAndRelative(1))).toBe('correct')
    expect(step(2 ** -12, absoluteAndRelative(1), 'generated')).toBe('wrong-value')
  })
})

describe('quantised results', () => {
  const golden = Array.from({ length: 2500 }, (_, i) => (i % 100) + 0.3)
  const right = golden.map(Math.round)
  const off = (count: number, by: number) => right.map((value, i) => (i < count ? value + by : value))
  const answer = (actual: number[], benchmark = errorShare(1e-3)) =>
    judged('int8', golden, actual, { strict: { absolute: 0.01, relative: 0 }, benchmark })

  test('are right off by one in the share of the public rule, and never farther off', () => {
    expect(answer(right).accuracy).toBe('exact')
    expect(answer(off(2, 1))).toMatchObject({ accuracy: 'within-tolerance', strict: { kind: 'wrong-value' } })
    expect(answer(off(2, -1)).accuracy).toBe('within-tolerance')
    expect(answer(off(3, 1)).standard.kind).toBe('wrong-value')
    expect(answer(off(1, 2)).standard.kind).toBe('wrong-value')
  })

  test('are exact under a rule without a share', () => {
    expect(answer(off(1, 1), absoluteAndRelative(1)).standard.kind).toBe('wrong-value')
  })
})

test.each<DType>(['int32', 'int64', 'bool', 'int8'])('%s given exactly is exact, whatever the public rule', (dtype) => {
  const setting = { strict: exact({ case: caseOf(dtype, 1), output: 'y', dtype }), benchmark: absoluteAndRelative(1) }
  expect(judged(dtype, tensorOf(dtype, [1, 0]), [1, 0], setting).accuracy).toBe('exact')
  expect(standard(dtype, tensorOf(dtype, [1, 0]), [1, 1], setting)).toBe('wrong-value')
})

test('complex numbers are judged part by part', () => {
  const kernelCase = caseOf('complex64', 2)
  const golden = { y: { values: Float64Array.of(1, 0.5, 1, 1) } }
  const task = taskOf({ strict: small, benchmark: absoluteAndRelative(1e-3) })
  const of = (im: number) =>
    judge(task, kernelCase, golden, { y: tensorOf('complex64', [1, im, 1, 1]) }, poison).standard.kind
  expect(of(0.5008)).toBe('correct')
  expect(of(0.502)).toBe('wrong-value')
})

test('the worst element is that of the profile, with its own bound', () => {
  const golden = [1, 1, 1]
  const { standard: ours, strict } = judged('float32', golden, [1.0005, 1.01, 1], { strict: small })
  expect(strict).toMatchObject({ comparison: { mismatches: 2, index: [1] } })
  expect(ours).toMatchObject({ comparison: { mismatches: 1, index: [1], limit: expect.closeTo(1e-3, 6) } })
})

test('all blocks and all tensors count', () => {
  const golden = Array.from({ length: 10_000 }, () => 1)
  const off = (errors: Record<number, number>) => golden.map((value, i) => value + (errors[i] ?? 0))
  const accuracyOf = (errors: Record<number, number>) =>
    judged('float32', golden, off(errors), { strict: { absolute: 0, relative: 2 ** -22 } })
  expect(accuracyOf({ 5: 2 ** -23 })).toMatchObject({ accuracy: 'accurate' })
  // right in the first block, and wrong in a later one
  expect(accuracyOf({ 5: 5e-4, 9000: 0.1 }).standard).toMatchObject({ comparison: { index: [9000], mismatches: 1 } })

  const spec = { dtype: 'float32' as const, shape: [1] }
  const kernelCase = { ...caseOf('float32', 1), outputs: { y: [spec, spec] } }
  const list = { y: [{ values: Float64Array.of(1) }, { values: Float64Array.of(1) }] }
  const near = [tensorOf('float32', [1 + 2 ** -23]), tensorOf('float32', [1])]
  const task = taskOf({ strict: { absolute: 0, relative: 2 ** -23 } })
  for (const y of [near, near.toReversed()])
    expect(judge(task, kernelCase, list, { y }, poison)).toMatchObject({ accuracy: 'accurate' })
})

describe('poison that the limits would cover', () => {
  test('is not forgiven in a quantised output', () => {
    const golden = [...Array.from({ length: 1999 }, () => 3.2), 0x5a + 1.3]
    const actual = tensorOf('int8', [...golden.slice(0, -1).map(Math.round), 0x5a])
    const bytes = Uint8Array.of(0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a)
    const task = taskOf({ strict: small, benchmark: errorShare(1e-2) })
    const of = (poisoned: Uint8Array) =>
      judge(task, caseOf('int8', 2000), { y: { values: Float64Array.from(golden) } }, { y: actual }, poisoned)
    expect(of(poison).standard.kind).toBe('correct')
    expect(of(bytes).standard).toMatchObject({ comparison: { unwritten: { bytes: 1 } } })
  })
})

const half = (value: number) => roundTo('float16', value)
const bfloat = (value: number) => roundTo('bfloat16', value)
const sum = (values: readonly number[], round: (value: number) => number) =>
  values.reduce((total, value) => round(total + value), 0)
const rows = (values: readonly number[]) => Array.from({ length: 64 }, (_, r) => values.slice(8 * r, 8 * r + 8))

describe('arithmetic that vendors ship is right within tolerance, and not by strict', () => {
  const xs = Array.from({ length: 512 }, (_, i) => half((((i * 37) % 511) / 128 - 2) * 0.99))
  const bs = xs.map(bfloat)

  interface Shipped {
    dtype: DType
    golden: readonly number[]
    scale?: readonly number[]
    actual: readonly number[]
    strict?: ErrorBound
  }
  const shipped: [string, Shipped][] = [
    [
      'a scalar rounded to half',
      { dtype: 'float16', golden: xs.map((x) => x * Math.fround(1.2)), actual: xs.map((x) => half(x * half(1.2))) },
    ],
    [
      'e^x - 1 in half',
      { dtype: 'float16', golden: xs.map(Math.expm1), actual: xs.map((x) => half(half(Math.exp(x)) - 1)) },
    ],
    [
      'three roundings to bfloat16',
      {
        dtype: 'bfloat16',
        golden: bs.map((x) => x * 1.375 * 0.7 * 1.3),
        actual: bs.map((x) => bfloat(bfloat(bfloat(x * 1.375) * 0.7) * 1.3)),
        strict: { absolute: 0, relative: 2 ** -22 },
      },
    ],
    [
      'means in half',
      {
        dtype: 'float16',
        golden: rows(xs).map((row) => sum(row, Number) / 8),
        scale: rows(xs).map((row) => sum(row.map(Math.abs), Number) / 8),
        actual: rows(xs).map((row) => half(sum(row, half) / 8)),
      },
    ],
    [
      'a product stored in half before the addition',
      {
        dtype: 'float16',
        golden: xs.map((x, i) => xs[(i * 3) % 512]! + x * 0.3),
        scale: xs.map((x, i) => Math.abs(xs[(i * 3) % 512]!) + Math.abs(x * 0.3)),
        actual: xs.map((x, i) => half(xs[(i * 3) % 512]! + half(x * 0.3))),
      },
    ],
    [
      'a function of the library in float32',
      {
        dtype: 'float32',
        golden: xs.map((x) => Math.exp(x)),
        actual: xs.map((x, i) => Math.exp(x) * (1 + (i % 2 === 0 ? 1 : -1) * 2 ** -13.5)),
        strict: { absolute: 0, relative: 2 ** -21 },
      },
    ],
  ]
  test.each(shipped)('%s', (_, { dtype, golden, scale, actual, strict = small }) => {
    const y = { values: Float64Array.from(golden), ...(scale && { scale: Float64Array.from(scale) }) }
    const judgement = judged(dtype, y, [...actual], { strict })
    expect(judgement).toMatchObject({ strict: { kind: 'wrong-value' }, accuracy: 'within-tolerance' })
  })

  test('and the same done carelessly is wrong', () => {
    const truncated = xs.map((x) => {
      const tensor = tensorOf('float32', [x * 1.2])
      new Uint32Array(tensor.data.buffer)[0]! &= 0xffff0000
      return toFloat64(tensor)[0]!
    })
    expect(
      standard(
        'float32',
        xs.map((x) => x * 1.2),
        truncated,
        { strict: small },
      ),
    ).toBe('wrong-value')
    expect(
      standard(
        'float16',
        xs.map((x) => x * 1.2),
        truncated.map(half),
        { strict: small },
      ),
    ).toBe('wrong-value')
  })
})
