import { toFloat64, type Tensor } from 'vitest-npu'
import type { Scaled } from './norm.ts'

/** What an optimiser takes from a parameter, and the size of what that is made of. */
export interface Step {
  step: number
  size: number
}

/** param - step, element by element. The scale is |param| and the size of the step. */
export function update(param: Tensor, stepOf: (index: number) => Step): Scaled {
  const values = toFloat64(param)
  const scale = new Float64Array(values.length)
  for (let i = 0; i < values.length; i++) {
    const { step, size } = stepOf(i)
    scale[i] = Math.abs(values[i]!) + size
    values[i] = values[i]! - step
  }
  return { values, scale }
}

/** sqrt(sum of squares). */
export function euclideanNorm(values: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]! * values[i]!
  return Math.sqrt(sum)
}
