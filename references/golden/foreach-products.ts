import { roundBlock, toFloat64, type DType, type GoldenTensor, type Tensor } from 'vitest-npu'
import { addcdiv, addcmul, mapAll, mapPairs } from './elementwise.ts'
import { eachScalar, scalarFor, type List } from './foreach.ts'

/** x1[i] + scalar * x2[i] * x3[i], with the size of the product as scale; int32 wraps around. */
export const addcmulLists = (x1: List, x2: List, x3: List, scalars: Tensor): GoldenTensor[] =>
  x1.map((first, index) => addcmul(first, x2[index]!, x3[index]!, scalarFor(scalars, index)))

/** x1[i] + scalar * (x2[i] / x3[i]), with the size of the product as scale. */
export const addcdivLists = (x1: List, x2: List, x3: List, scalars: Tensor): GoldenTensor[] =>
  x1.map((first, index) => addcdiv(first, x2[index]!, x3[index]!, scalarFor(scalars, index)))

/** The same in the steps of the public reference: quotient and product rounded to the named dtypes, the sum to the second. */
export const addcdivListsInSteps = (
  x1: List,
  x2: List,
  x3: List,
  scalars: Tensor,
  steps: { quotient: DType; product: DType },
): GoldenTensor[] =>
  eachScalar(x1, scalars, (first, scalar, index) =>
    mapAll([first, x2[index]!, x3[index]!], (values, b, c) => {
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
