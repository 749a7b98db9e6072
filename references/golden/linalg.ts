import { sizeOf, toFloat64, type GoldenTensor, emptyTensor, roundBlock, type Tensor } from 'vitest-npu'

/**
 * The vector product along `axis`, whose extent is 3. Integers wrap around; for floats the scale is the sum of the
 * magnitudes of the two products.
 */
export function cross(x: Tensor, y: Tensor, axis: number): GoldenTensor {
  if (x.dtype === 'int8' || x.dtype === 'int32') return crossOfIntegers(x, y, axis)
  const [left, right] = [toFloat64(x), toFloat64(y)]
  const values = new Float64Array(left.length)
  const scale = new Float64Array(left.length)
  eachComponent(x.shape, axis, (at, next, last) => {
    const [plus, minus] = [left[next]! * right[last]!, left[last]! * right[next]!]
    values[at] = plus - minus
    scale[at] = Math.abs(plus) + Math.abs(minus)
  })
  return { values, scale }
}

/** The same as the public reference computes it: each product and the difference are rounded to the dtype. */
export function crossInSteps(x: Tensor, y: Tensor, axis: number): GoldenTensor {
  if (x.dtype === 'int8' || x.dtype === 'int32') return crossOfIntegers(x, y, axis)
  const [left, right] = [toFloat64(x), toFloat64(y)]
  const values = new Float64Array(left.length)
  const subtracted = new Float64Array(left.length)
  eachComponent(x.shape, axis, (at, next, last) => {
    values[at] = left[next]! * right[last]!
    subtracted[at] = left[last]! * right[next]!
  })
  roundBlock(x.dtype, values)
  roundBlock(x.dtype, subtracted)
  for (let i = 0; i < values.length; i++) values[i] = values[i]! - subtracted[i]!
  return { values }
}

function crossOfIntegers(x: Tensor, y: Tensor, axis: number): Tensor {
  const result = emptyTensor(x.dtype, x.shape)
  const [left, right] = [x.data, y.data]
  eachComponent(x.shape, axis, (at, next, last) => {
    const plus = Math.imul(Number(left[next]), Number(right[last]))
    result.data[at] = (plus - Math.imul(Number(left[last]), Number(right[next]))) | 0
  })
  return result
}

// Component k of a product is made of the components k + 1 and k + 2, counted round.
function eachComponent(
  shape: readonly number[],
  axis: number,
  visit: (at: number, next: number, last: number) => void,
): void {
  const inner = sizeOf(shape.slice(axis + 1))
  for (let start = 0; start < sizeOf(shape); start += 3 * inner) {
    for (let i = start; i < start + inner; i++) {
      visit(i, i + inner, i + 2 * inner)
      visit(i + inner, i + 2 * inner, i)
      visit(i + 2 * inner, i, i + inner)
    }
  }
}
