import { type GoldenBlocks, type Tensor } from 'vitest-npu'
import { map } from './elementwise.ts'

const AT_ZERO = Math.PI ** 2 / 6

/** The integral of ln(t) / (1 - t) from 1 to x, for x >= 0: the dilogarithm of 1 - x. To about 1e-15 of its value. */
export function spence(x: number): number {
  if (x < 0) return NaN
  if (x === 0) return AT_ZERO
  if (x > 1.5) return -(Math.log(x) ** 2) / 2 - spence(1 / x)
  if (x < 0.5) return AT_ZERO - Math.log(x) * Math.log1p(-x) - spence(1 - x)
  return series(1 - x)
}

// z + z^2 / 4 + z^3 / 9 + …, |z| <= 1/2.
function series(z: number): number {
  let power = z
  let sum = z
  for (let k = 2; Math.abs(power) > Math.abs(sum) * 1e-17; k++) {
    power *= z
    sum += power / (k * k)
  }
  return sum
}

/** Spence's function of every element. */
export const spenceOf = (x: Tensor): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = spence(values[i]!)
  })
