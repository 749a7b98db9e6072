import { decode, roundBlock, type GoldenBlocks, type Tensor } from 'vitest-npu'
import { erfc } from './erf.ts'
import { map, mapAll, mapFrom } from './elementwise.ts'

/** Which form of GELU: by the error function, or by the approximation with tanh. */
export type GeluForm = 'erf' | 'tanh'

/** The function of one element: GELU, or its derivative. */
type OfElement = (x: number) => number

const SQRT_2_PI = 0.7978845608028654
const CUBIC = 0.044715

const phi = (x: number): number => (Math.exp((-x * x) / 2) * SQRT_2_PI) / 2
const cumulative = (x: number): number => erfc(-x * Math.SQRT1_2) / 2
// 0.5 (1 + tanh(t)) is 1 / (1 + e^-2t): this is 2t.
const exponent = (x: number): number => 2 * SQRT_2_PI * (x + CUBIC * x * x * x)

/** x * P(X <= x) for a standard normal X, or 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))). */
export const geluOf: Record<GeluForm, OfElement> = {
  erf: (x) => x * cumulative(x),
  tanh: (x) => x / (1 + Math.exp(-exponent(x))),
}

/** The derivatives of both forms. */
export const geluSlopeOf: Record<GeluForm, OfElement> = {
  erf: (x) => cumulative(x) + x * phi(x),
  tanh(x) {
    const [rise, rest] = [1 / (1 + Math.exp(-exponent(x))), 1 / (1 + Math.exp(exponent(x)))]
    return rise + x * rise * rest * 2 * SQRT_2_PI * (1 + 3 * CUBIC * x * x)
  },
}

/** GELU of every element, in the exact form by default. The scale is |x|: 1 + erf(x / sqrt 2) cancels for negative x. */
export const gelu = (x: Tensor, form: GeluForm = 'erf'): GoldenBlocks => {
  const of = geluOf[form]
  return {
    ...map(x, (values) => {
      for (let i = 0; i < values.length; i++) values[i] = of(values[i]!)
    }),
    scaleBlock(start, scale) {
      decode(x, start, scale)
      for (let i = 0; i < scale.length; i++) scale[i] = Math.abs(scale[i]!)
    },
  }
}

/** dy times the derivative of the tanh form of GELU. The scale is the size of its two terms, an error of the exponent included. */
export const geluGrad = (dy: Tensor, x: Tensor): GoldenBlocks => {
  const of = geluSlopeOf.tanh
  return {
    ...mapAll([dy, x], (values, others) => {
      for (let i = 0; i < values.length; i++) values[i] = values[i]! * of(others[i]!)
    }),
    scaleBlock: mapAll([dy, x], (values, others) => {
      for (let i = 0; i < values.length; i++) {
        const at = exponent(others[i]!)
        const [rise, rest] = [1 / (1 + Math.exp(-at)), 1 / (1 + Math.exp(at))]
        values[i] = Math.abs(values[i]!) * rise * (1 + 3 * Math.abs(at) * rest) * (1 + Math.abs(at) * rest)
      }
    }).block,
  }
}

/** x / (1 + e^(-factor x)). The scale is |y| (1 + |factor x|): the rounding of the exponent included. */
export const swish = (x: Tensor, factor: number): GoldenBlocks => ({
  ...map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = values[i]! / (1 + Math.exp(-factor * values[i]!))
  }),
  scaleBlock(start, scale) {
    decode(x, start, scale)
    for (let i = 0; i < scale.length; i++) {
      const at = factor * scale[i]!
      scale[i] = Math.abs(scale[i]! / (1 + Math.exp(-at))) * (1 + Math.abs(at))
    }
  },
})

/** The same in the steps of the public reference: factor * x, its sigmoid and the product, each rounded to the dtype. */
export const swishInSteps = (x: Tensor, factor: number): GoldenBlocks => {
  let gates = new Float64Array(0)
  return map(x, (values) => {
    if (gates.length !== values.length) gates = new Float64Array(values.length)
    for (let i = 0; i < values.length; i++) gates[i] = factor * values[i]!
    roundBlock(x.dtype, gates)
    for (let i = 0; i < gates.length; i++) gates[i] = 1 / (1 + Math.exp(-gates[i]!))
    roundBlock(x.dtype, gates)
    for (let i = 0; i < values.length; i++) values[i] = values[i]! * gates[i]!
    roundBlock(x.dtype, values)
  })
}

const FAST = 1.702

/** x * sigmoid(1.702 x). */
export const fastGelu = (x: Tensor): GoldenBlocks => swish(x, FAST)

/**
 * dy times the derivative of x * sigmoid(1.702 x). The scale is the size of its terms with the rounding of the exponent,
 * and what is lost where a float16 exponential is subnormal.
 */
export const fastGeluGrad = (dy: Tensor, x: Tensor): GoldenBlocks => {
  const lost = x.dtype === 'float16' ? 2 ** -14 : 2 ** -126
  return {
    ...mapAll([dy, x], (values, others) => {
      for (let i = 0; i < values.length; i++) {
        const at = FAST * others[i]!
        const [gate, rest] = [1 / (1 + Math.exp(-at)), 1 / (1 + Math.exp(at))]
        values[i] = values[i]! * gate * (1 + at * rest)
      }
    }),
    scaleBlock: mapAll([dy, x], (values, others) => {
      for (let i = 0; i < values.length; i++) {
        const at = FAST * others[i]!
        const [gate, rest] = [1 / (1 + Math.exp(-at)), 1 / (1 + Math.exp(at))]
        const size = Math.abs(at)
        values[i] = Math.abs(values[i]!) * (gate * (1 + size * rest) * (1 + size) + lost * (1 + size))
      }
    }).block,
  }
}

/**
 * s * x2 * t3, doubled where s = sigmoid(x1 * t1) is not below t2; x2 has one row, shared by all. The scale counts
 * float16 roundings, that of the exponent included.
 */
export function mulSigmoid(x1: Tensor, x2: Tensor, [t1, t2, t3]: readonly [number, number, number]): GoldenBlocks {
  const width = x2.data.length
  const row = new Float64Array(width)
  decode(x2, 0, row)
  const compute = (scaled: boolean) => (values: Float64Array, start: number) => {
    let column = start % width
    for (let i = 0; i < values.length; i++) {
      const at = t1 * values[i]!
      const gate = 1 / (1 + Math.exp(-at))
      const value = gate * (gate < t2 ? 1 : 2) * row[column]! * t3
      values[i] = scaled ? Math.abs(value) * (5 + Math.abs(at) / (1 + Math.exp(at))) : value
      if (++column === width) column = 0
    }
  }
  return { ...mapFrom(x1, compute(false)), scaleBlock: mapFrom(x1, compute(true)).block }
}
