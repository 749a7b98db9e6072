import { decode, toFloat64, type GoldenTensor, type Tensor } from 'vitest-npu'
import { map } from './elementwise.ts'
import type { List } from './foreach.ts'

const BLOCK = 4096

/** The norm of all elements of each tensor, of order 1 or 2. */
export function norm(x: List, order: Tensor): GoldenTensor[] {
  const p = toFloat64(order)[0]!
  if (p !== 1 && p !== 2) throw new RangeError(`the order of the norm is ${p}, not 1 or 2`)
  const block = new Float64Array(BLOCK)
  return x.map((tensor) => {
    let sum = 0
    for (let start = 0; start < tensor.data.length; start += BLOCK) {
      const values = block.subarray(0, Math.min(BLOCK, tensor.data.length - start))
      decode(tensor, start, values)
      if (p === 1) for (let i = 0; i < values.length; i++) sum += Math.abs(values[i]!)
      else for (let i = 0; i < values.length; i++) sum += values[i]! * values[i]!
    }
    return { values: Float64Array.of(p === 1 ? sum : Math.sqrt(sum)) }
  })
}

/** The list times the scale: all zeros for scale 0. */
export function unscale(list: List, scale: Tensor): GoldenTensor[] {
  const factor = toFloat64(scale)[0]!
  return list.map((tensor) =>
    map(tensor, (values) => {
      for (let i = 0; i < values.length; i++) values[i] = factor === 0 ? 0 : values[i]! * factor
    }),
  )
}
