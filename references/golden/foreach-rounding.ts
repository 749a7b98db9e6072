import { toFloat64, type GoldenTensor, type Tensor } from 'vitest-npu'
import { map } from './elementwise.ts'
import type { List } from './foreach.ts'

/** How each round mode of ForeachRoundOffNumber treats a block. */
const roundings: Record<number, (values: Float64Array) => void> = {
  1: (values) => {
    for (let i = 0; i < values.length; i++) values[i] = toEven(values[i]!)
  },
  2: (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.floor(values[i]!)
  },
  3: (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.ceil(values[i]!)
  },
  4: (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.sign(values[i]!) * Math.round(Math.abs(values[i]!))
  },
  5: (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.trunc(values[i]!)
  },
  7: (values) => {
    for (let i = 0; i < values.length; i++) values[i] = values[i]! - Math.trunc(values[i]!)
  },
}

function toEven(value: number): number {
  const nearest = Math.round(value)
  return nearest - value === 0.5 && nearest % 2 !== 0 ? nearest - 1 : nearest
}

/** Rounds to whole numbers: 1 nearest, ties to even; 2 down; 3 up; 4 nearest, ties away from zero; 5 towards zero; 7 the fraction. */
export function roundOff(x: List, mode: Tensor): GoldenTensor[] {
  const way = toFloat64(mode)[0]!
  const rounding = roundings[way]
  if (!rounding) throw new RangeError(`round mode ${way} has no published meaning`)
  return x.map((tensor) => map(tensor, rounding))
}
