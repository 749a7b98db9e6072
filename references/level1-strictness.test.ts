/* oxlint-disable unicorn/consistent-function-scoping -- each kernel stands beside the promise that needs it */
import { describe, expect, test, vi } from 'vitest'
import { roundTo } from '../plugin/compare/round.ts'
import type { Attributes } from '../plugin/task/index.ts'
import { spence } from './golden/spence.ts'
import { half, single, verdictsOf, type Kernel } from './kernel-models.ts'
import { loadSpecs } from './load-specs.ts'

vi.setConfig({ testTimeout: 60_000 })

const tasks = new Map((await loadSpecs()).map((task) => [task.interface.name, task]))

type Only = (dtype: string) => boolean
const verdicts = (name: string, kernel: Kernel, only?: Only) => {
  const task = tasks.get(name)!
  return verdictsOf(task, task.interface.outputs[0]!.name, kernel, only)
}
const right = ['correct']
const wrong = expect.arrayContaining(['wrong-value'])
const is =
  (wanted: string): Only =>
  (dtype) =>
    dtype === wanted

/** Kernels of one argument, of two or of three, element by element. */
const one =
  (step: (x: number) => number): Kernel =>
  (inputs) =>
    [...Object.values(inputs)[0]!].map(step)
const two =
  (step: (x: number, y: number) => number): Kernel =>
  (inputs) => {
    const [x, y] = Object.values(inputs)
    return [...x!].map((value, i) => step(value, y![i]!))
  }
const three =
  (step: (x: number, y: number, z: number) => number): Kernel =>
  (inputs) => {
    const [x, y, z] = Object.values(inputs)
    return [...x!].map((value, i) => step(value, y![i]!, z![i]!))
  }

describe('comparisons', () => {
  test('Less is not <=, and LessEqual not <', () => {
    for (const dtype of ['bfloat16', 'float16', 'float32', 'int8', 'uint8', 'int32', 'int64']) {
      const lessEqual = two((x, y) => (x <= y ? 1 : 0))
      expect(verdicts('Less', lessEqual, is(dtype))).toEqual(wrong)
    }
    for (const dtype of ['float16', 'float32', 'int8', 'int32']) {
      const less = two((x, y) => (x < y ? 1 : 0))
      expect(verdicts('LessEqual', less, is(dtype))).toEqual(wrong)
    }
  })

  test('integers are not compared as float32, nor by a difference that wraps around', () => {
    const asFloat = two((x, y) => (single(x) < single(y) ? 1 : 0))
    for (const dtype of ['int32', 'int64']) expect(verdicts('Less', asFloat, is(dtype))).toEqual(wrong)
    const byDifference = two((x, y) => (((x - y) | 0) < 0 ? 1 : 0))
    expect(verdicts('Less', byDifference, is('int32'))).toEqual(wrong)
    expect(
      verdicts(
        'Less',
        two((x, y) => (x < y ? 1 : 0)),
      ),
    ).toEqual(right)
  })
})

describe('conditions', () => {
  test('NaN is not infinite, and the largest finite value is finite', () => {
    expect(
      verdicts(
        'IsInf',
        one((x) => (Number.isFinite(x) ? 0 : 1)),
      ),
    ).toEqual(wrong)
    const byLimit = one((x) => (Math.abs(x) < 65504 ? 1 : 0))
    for (const dtype of ['float16', 'float32']) expect(verdicts('IsFinite', byLimit, is(dtype))).toEqual(wrong)
  })

  test('every tensor of the list counts, and NaN among them', () => {
    const found = (values: Float64Array) => [...values].some((value) => !Number.isFinite(value))
    expect(verdicts('NonFiniteCheckOp', ({ tensor_list: first }) => [found(first!) ? 1 : 0])).toEqual(wrong)
  })
})

describe('element-wise arithmetic', () => {
  test('AbsMath: a modulus of float32 steps, not |re| + |im|', () => {
    const modulus =
      (size: (re: number, im: number) => number): Kernel =>
      ({ x }) =>
        [...x!].map((value, i) => (i % 2 === 0 ? size(value, x![i + 1]!) : 0))
    const steps = modulus((re, im) => single(Math.sqrt(single(single(re * re) + single(im * im)))))
    expect(verdicts('AbsMath', steps, is('complex64'))).toEqual(right)
    const sum = modulus((re, im) => Math.abs(re) + Math.abs(im))
    expect(verdicts('AbsMath', sum, is('complex64'))).toEqual(wrong)
    const asFloat = one((x) => Math.abs(single(x)))
    for (const dtype of ['int32', 'int64']) expect(verdicts('AbsMath', asFloat, is(dtype))).toEqual(wrong)
  })

  test('Neg: the smallest int8 stays', () => {
    const clamped = one((x) => Math.min(127, -x))
    expect(verdicts('Neg', clamped, is('int8'))).toEqual(wrong)
  })

  const ratio = (value: number | undefined) => value ?? NaN
  const combine =
    (term: (x1: number, x2: number) => number, round: (value: number) => number): Kernel =>
    ({ input_data: input, x1, x2, value }) =>
      [...input!].map((start, i) => round(start + round(round(term(x1![i]!, x2![i]!)) * ratio(value![0]))))

  test.each<[string, (x1: number, x2: number) => number]>([
    ['Addcdiv', (x1, x2) => x1 / x2],
    ['Addcmul', (x1, x2) => x1 * x2],
  ])('%s: steps in float32, in float16 also its own; no others', (name, term) => {
    expect(verdicts(name, combine(term, single), (dtype) => dtype !== 'int32')).toEqual(right)
    expect(verdicts(name, combine(term, half), is('float16'))).toEqual(right)
    const bfloat = (value: number) => roundTo('bfloat16', value)
    expect(verdicts(name, combine(term, bfloat), is('bfloat16'))).toEqual(wrong)
    expect(verdicts(name, combine(term, half), is('float32'))).toEqual(wrong)
    expect(
      verdicts(name, ({ input_data: input, x1, x2 }) => [...input!].map((start, i) => start + term(x1![i]!, x2![i]!))),
    ).toEqual(wrong)
  })

  test('Lerp: from either end in float32, not in float16', () => {
    const fromStart = three((start, end, weight) => single(start + single(weight * single(end - start))))
    const fromEnd = three((start, end, weight) => single(end - single(single(end - start) * single(1 - weight))))
    for (const form of [fromStart, fromEnd]) expect(verdicts('Lerp', form)).toEqual(right)
    const halves = three((start, end, weight) => half(start + half(weight * half(end - start))))
    expect(verdicts('Lerp', halves, is('float16'))).toEqual(wrong)
  })

  test('Muls: the factor is a float32', () => {
    const narrow: Kernel = ({ x, value }) => [...x!].map((item) => item * half(value![0]!))
    expect(verdicts('Muls', narrow, is('float16'))).toEqual(wrong)
    const asFloat: Kernel = ({ x, value }) => [...x!].map((item) => single(item * value![0]!))
    expect(verdicts('Muls', asFloat, (dtype) => dtype.includes('float') || dtype === 'complex64')).toEqual(right)
    expect(verdicts('Muls', asFloat, is('int32'))).toEqual(wrong)
  })

  test('Rsqrt: a root and a division in float32, not an estimate, not float16', () => {
    for (const error of [2 ** -23, -(2 ** -23)]) {
      const steps = one((x) => single((1 / single(Math.sqrt(x) * (1 + error))) * (1 + error)))
      expect(verdicts('Rsqrt', steps)).toEqual(right)
    }
    const estimate = one((x) => (1 / Math.sqrt(x)) * (1 + 2 ** -9))
    for (const dtype of ['float16', 'float32', 'bfloat16'])
      expect(verdicts('Rsqrt', estimate, is(dtype))).toEqual(wrong)
    expect(
      verdicts(
        'Rsqrt',
        one((x) => half(1 / half(Math.sqrt(x)))),
        is('float16'),
      ),
    ).toEqual(wrong)
  })

  test.each<[string, (x: number) => number]>([
    ['CosMath', Math.cos],
    ['SinMath', Math.sin],
    ['TanhMath', Math.tanh],
  ])('%s: a few units of 1 off in float32; not in float16, and not beyond', (name, exact) => {
    for (const error of [2 ** -22, -(2 ** -22)])
      expect(
        verdicts(
          name,
          one((x) => single(exact(x) + error)),
        ),
      ).toEqual(right)
    expect(
      verdicts(
        name,
        one((x) => exact(x) + 2 ** -18),
        is('float32'),
      ),
    ).toEqual(wrong)
    expect(
      verdicts(
        name,
        one((x) => half(exact(half(x)) + 2 ** -10)),
        is('float16'),
      ),
    ).toEqual(wrong)
  })

  test('sine and cosine: the argument is reduced with more of pi than a float32 holds', () => {
    const turn = single(2 * Math.PI)
    const reduce = (x: number) => single(x - single(Math.round(x / turn) * turn))
    expect(
      verdicts(
        'SinMath',
        one((x) => Math.sin(reduce(x))),
        is('float32'),
      ),
    ).toEqual(wrong)
    expect(
      verdicts(
        'CosMath',
        one((x) => Math.cos(reduce(x))),
        is('float32'),
      ),
    ).toEqual(wrong)
  })

  test('TanhMath: exponentials may be subtracted, but not overflow', () => {
    const bounded = one((x) => {
      const power = single(Math.exp(-2 * Math.abs(x)))
      return Math.sign(x) * single(single(1 - power) / single(1 + power))
    })
    expect(verdicts('TanhMath', bounded)).toEqual(right)
    const unbounded = one((x) => {
      const power = single(Math.exp(2 * x))
      return single(single(power - 1) / single(power + 1))
    })
    expect(verdicts('TanhMath', unbounded)).toContain('wrong-nonfinite')
  })

  test('Spence: reductions and series in float32', () => {
    const log = (x: number) => single(Math.log(x))
    const series = (z: number) => {
      let [power, sum] = [z, z]
      for (let k = 2; k < 24; k++) {
        power = single(power * z)
        sum = single(sum + single(power / (k * k)))
      }
      return sum
    }
    const dilogarithm = (x: number): number => {
      if (x === 0) return single(Math.PI ** 2 / 6)
      if (x > 1.5) return single(single(-0.5 * single(log(x) * log(x))) - dilogarithm(single(1 / x)))
      if (x >= 0.5) return series(single(1 - x))
      const rest = single(1 - x)
      return single(single(single(Math.PI ** 2 / 6) - single(log(x) * log(rest))) - series(x))
    }
    expect(verdicts('Spence', one(dilogarithm))).toEqual(right)
    expect(
      verdicts(
        'Spence',
        one((x) => spence(x) * (1 + 2 ** -10)),
        is('float32'),
      ),
    ).toEqual(wrong)
    expect(
      verdicts(
        'Spence',
        one((x) => half(half(-0.5 * half(half(Math.log(x)) ** 2)) - half(spence(1 / x)))),
        is('float16'),
      ),
    ).not.toEqual(right)
  })

  test('CastMath: fractions are cut off, high bits lost', () => {
    const nearest: Kernel = ({ x }, attrs) => [...x!].map((value) => (isInteger(attrs) ? Math.round(value) : value))
    expect(verdicts('CastMath', nearest, (dtype) => dtype.includes('float'))).toEqual(wrong)
    const clamped: Kernel = ({ x }, { dst_type: code }) =>
      [...x!].map((value) =>
        code === 2 ? Math.min(127, Math.max(-128, value)) : code === 4 ? Math.max(0, value) : value,
      )
    expect(verdicts('CastMath', clamped, (dtype) => dtype.includes('int'))).toEqual(wrong)
    const byFloat: Kernel = ({ x }, attrs) =>
      [...x!].map((value) => (attrs.dst_type === 27 ? single(value) : isInteger(attrs) ? Math.trunc(value) : value))
    expect(verdicts('CastMath', byFloat)).toEqual(right)
  })
  const isInteger = ({ dst_type: code }: Attributes) => [2, 3, 4, 6, 9].includes(Number(code))
})

describe('vectors', () => {
  const elements = (x: Float64Array, { n, incx }: Attributes) =>
    Array.from({ length: Number(n) }, (_, i) => x[i * Number(incx)]!)

  test('Sasum: float32 sums, one after the other; signs and strides matter', () => {
    const sum = (values: number[]) => values.reduce((total, value) => single(total + Math.abs(value)), 0)
    expect(verdicts('Sasum', ({ x }, attrs) => [sum(elements(x!, attrs))])).toEqual(right)
    expect(verdicts('Sasum', ({ x }, attrs) => [sum(elements(x!, { ...attrs, incx: 1 }))])).toEqual(wrong)
    expect(
      verdicts('Sasum', ({ x }, attrs) => [elements(x!, attrs).reduce((total, value) => total + value, 0)]),
    ).toEqual(wrong)
    expect(verdicts('Sasum', ({ x }) => [sum([...x!])])).toEqual(wrong)
  })

  test('Snrm2: the root of a float32 sum of all squares', () => {
    const squares = (values: number[]) => values.reduce((total, value) => single(total + single(value * value)), 0)
    expect(verdicts('Snrm2', ({ x }, attrs) => [single(Math.sqrt(squares(elements(x!, attrs))))])).toEqual(right)
    const halves: Kernel = ({ x }, attrs) => {
      const values = elements(x!, attrs)
      const cut = Math.floor(values.length / 2)
      return [Math.sqrt(squares(values.slice(0, cut))) + Math.sqrt(squares(values.slice(cut)))]
    }
    expect(verdicts('Snrm2', halves)).toEqual(wrong)
  })

  test.each([
    ['Isamax', 1],
    ['Isamin', -1],
    ['Icamax', 1],
    ['Icamin', -1],
  ])('%s: the first, counted from 1; padding does not count', (name, sign) => {
    const complex = name.startsWith('Ic')
    const sizes = (x: Float64Array, attrs: Attributes) => {
      if (!complex) return elements(x, attrs).map(Math.abs)
      return Array.from({ length: Number(attrs.n) }, (_, i) => single(Math.abs(x[2 * i]!) + Math.abs(x[2 * i + 1]!)))
    }
    const first = (values: number[]) => values.indexOf(sign > 0 ? Math.max(...values) : Math.min(...values))
    expect(verdicts(name, ({ x }, attrs) => [first(sizes(x!, attrs)) + 1])).toEqual(right)
    expect(verdicts(name, ({ x }, attrs) => [first(sizes(x!, attrs))])).toEqual(wrong)
    const last: Kernel = ({ x }, attrs) => {
      const values = sizes(x!, attrs)
      return [values.lastIndexOf(values[first(values)]!) + 1]
    }
    expect(verdicts(name, last)).toEqual(wrong)
    if (sign > 0) return
    const padded: Kernel = ({ x }, attrs) => {
      const values = sizes(x!, attrs)
      return [first([...values, ...Array.from({ length: -values.length & 7 }, () => 0)]) + 1]
    }
    expect(verdicts(name, padded)).toEqual(wrong)
  })

  test('ComplexMatDot: float32 products, no conjugate', () => {
    const multiply =
      (sign: number): Kernel =>
      ({ matx: x, maty: y }) =>
        [...x!].map((value, i) =>
          i % 2 === 0
            ? single(single(value * y![i]!) - single(x![i + 1]! * sign * y![i + 1]!))
            : single(single(x![i - 1]! * sign * y![i]!) + single(value * y![i - 1]!)),
        )
    expect(verdicts('ComplexMatDot', multiply(1))).toEqual(right)
    expect(verdicts('ComplexMatDot', multiply(-1))).toEqual(wrong)
  })
})

describe('creation', () => {
  const length = ({ start, end, step }: Record<string, Float64Array>) => Math.ceil((end![0]! - start![0]!) / step![0]!)

  test('Arange: start + i * step in float32; adding the step again and again drifts', () => {
    const direct: Kernel = (inputs) =>
      Array.from({ length: length(inputs) }, (_, i) => single(inputs.start![0]! + single(i * inputs.step![0]!)))
    for (const dtype of ['float32', 'float16', 'bfloat16', 'int32'])
      expect(verdicts('Arange', direct, is(dtype))).toEqual(right)
    // past 32 bits a float cannot tell neighbours apart
    expect(verdicts('Arange', direct, is('int64'))).toContain('wrong-value')
    const exact: Kernel = (inputs) =>
      Array.from({ length: length(inputs) }, (_, i) => inputs.start![0]! + i * inputs.step![0]!)
    expect(verdicts('Arange', exact, is('int64'))).toEqual(right)
    const drifting: Kernel = (inputs) => {
      let value = inputs.start![0]!
      return Array.from({ length: length(inputs) }, (_, i) =>
        i === 0 ? value : (value = single(value + inputs.step![0]!)),
      )
    }
    expect(verdicts('Arange', drifting, is('float32'))).toEqual(wrong)
    const narrow: Kernel = (inputs) =>
      Array.from({ length: length(inputs) }, (_, i) => half(inputs.start![0]! + half(i * inputs.step![0]!)))
    expect(verdicts('Arange', narrow, is('float16'))).toEqual(wrong)
  })
})
