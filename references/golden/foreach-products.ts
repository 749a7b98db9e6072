import { decode, roundBlock, toFloat64, type DType, type GoldenTensor, type Tensor } from 'vitest-npu'
import { mapPairs } from './elementwise.ts'
import { eachScalar, int32, words, type List } from './foreach.ts'

type Combine = (values: Float64Array, second: Float64Array, third: Float64Array) => void

// Element-wise over three tensors of one size, as values and as scale.
function mapTriples(x1: Tensor, x2: Tensor, x3: Tensor, value: Combine, scale?: Combine): GoldenTensor {
  let [second, third] = [new Float64Array(0), new Float64Array(0)]
  const load = (start: number, length: number) => {
    if (second.length !== length) [second, third] = [new Float64Array(length), new Float64Array(length)]
    decode(x2, start, second)
    decode(x3, start, third)
  }
  const through = (apply: Combine) => (start: number, values: Float64Array) => {
    load(start, values.length)
    decode(x1, start, values)
    apply(values, second, third)
  }
  return { length: x1.data.length, block: through(value), ...(scale && { scaleBlock: through(scale) }) }
}

/**
 * x1[i] + scalar * x2[i] * x3[i]; int32 wraps around. The scale is the size of the product, and what of a factor is lost
 * where a float16 product of the two others is subnormal.
 */
export const addcmul = (x1: List, x2: List, x3: List, scalars: Tensor): GoldenTensor[] =>
  eachScalar(x1, scalars, (first, scalar, index) => {
    const [second, third] = [x2[index]!, x3[index]!]
    if (first.dtype === 'int32') {
      const [factors, others] = [words(second), words(third)]
      return int32(first, (values) => {
        for (let i = 0; i < values.length; i++) {
          values[i] = values[i]! + Math.imul(Math.imul(scalar, factors[i]!), others[i]!)
        }
      })
    }
    const lost = first.dtype === 'float16' ? 2 ** -14 : 2 ** -126
    return mapTriples(
      first,
      second,
      third,
      (values, b, c) => {
        for (let i = 0; i < values.length; i++) values[i] = values[i]! + scalar * b[i]! * c[i]!
      },
      (scale, b, c) => {
        for (let i = 0; i < scale.length; i++) {
          const [left, right] = [Math.abs(b[i]!), Math.abs(c[i]!)]
          scale[i] = Math.abs(scalar) * left * right + lost * (Math.abs(scalar) + left + right)
        }
      },
    )
  })

/** x1[i] + scalar * (x2[i] / x3[i]), with the scale of the product. */
export const addcdiv = (x1: List, x2: List, x3: List, scalars: Tensor): GoldenTensor[] =>
  eachScalar(x1, scalars, (first, scalar, index) => {
    const lost = first.dtype === 'float16' ? 2 ** -14 : 2 ** -126
    return mapTriples(
      first,
      x2[index]!,
      x3[index]!,
      (values, b, c) => {
        for (let i = 0; i < values.length; i++) values[i] = values[i]! + scalar * (b[i]! / c[i]!)
      },
      (scale, b, c) => {
        for (let i = 0; i < scale.length; i++) {
          scale[i] = Math.abs(scalar * (b[i]! / c[i]!)) + lost * (1 + Math.abs(scalar))
        }
      },
    )
  })

/** The same in the steps of the public reference: quotient and product rounded to the named dtypes, the sum to the second. */
export const addcdivInSteps = (
  x1: List,
  x2: List,
  x3: List,
  scalars: Tensor,
  steps: { quotient: DType; product: DType },
): GoldenTensor[] =>
  eachScalar(x1, scalars, (first, scalar, index) =>
    mapTriples(first, x2[index]!, x3[index]!, (values, b, c) => {
      for (let i = 0; i < b.length; i++) b[i] = b[i]! / c[i]!
      roundBlock(steps.quotient, b)
      for (let i = 0; i < b.length; i++) b[i] = b[i]! * scalar
      roundBlock(steps.product, b)
      for (let i = 0; i < values.length; i++) values[i] = values[i]! + b[i]!
      roundBlock(steps.product, values)
    }),
  )

/** x1[i] + weight * (x2[i] - x1[i]). The scale is the size of what is added. */
export function lerp(x1: List, x2: List, weight: Tensor): GoldenTensor[] {
  const share = toFloat64(weight)[0]!
  return x1.map((left, index) => ({
    ...mapPairs(left, x2[index]!, (values, others) => {
      for (let i = 0; i < values.length; i++) values[i] = (1 - share) * values[i]! + share * others[i]!
    }),
    scaleBlock: mapPairs(left, x2[index]!, (values, others) => {
      for (let i = 0; i < values.length; i++) {
        values[i] = Math.max(1, Math.abs(share)) * (Math.abs(values[i]!) + Math.abs(others[i]!))
      }
    }).block,
  }))
}
