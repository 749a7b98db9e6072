import * as fc from 'fast-check'
import { attr, dim, tensor, type Row } from 'vitest-npu'
import { positionsOf, type Window } from '../../../references/golden/window.ts'
import { distant, type PublishedShapes } from '../family.ts'

/** A batch of images of one, two or three axes, by channel. */
export const images = (rank: number) => ({
  x: tensor({ dtype: 'float32', shape: ['B', 'C', ...names(rank, 'in')], draw: distant }),
})

/** What pooling makes of them. */
export const pooled = (rank: number) => ({
  y: tensor({ dtype: 'float32', shape: ['B', 'C', ...names(rank, 'out')] }),
})

const names = (rank: number, side: 'in' | 'out'): string[] =>
  Array.from({ length: rank }, (_, axis) => `${side}${axis}`)

export const poolingAttributes = { kernel_size: attr.int(), stride: attr.int(), padding: attr.int(0) }

interface PoolingAttributes {
  kernel_size: number
  stride: number
  padding: number
}

export const windowOf = ({ kernel_size: size, stride, padding }: PoolingAttributes, rank: number): Window => ({
  rank,
  size,
  stride,
  padding,
})

/** Elements of a window. */
export const windowSize = (attrs: Readonly<Record<string, unknown>>, rank: number): number =>
  Number(attrs['kernel_size']) ** rank

/** A public case: shapes of both sides, and the window. */
export const poolingCase = ({ judged }: PublishedShapes, attrs: PoolingAttributes): Row =>
  rowOf(judged[0]!, judged[1]!, judged.slice(2), attrs)

function rowOf(B: number, C: number, extents: readonly number[], attrs: PoolingAttributes): Row {
  const window = windowOf(attrs, extents.length)
  const axes = extents.flatMap((extent, axis): [string, number][] => [
    [`in${axis}`, extent],
    [`out${axis}`, positionsOf(extent, window)],
  ])
  return { B, C, ...Object.fromEntries<number>(axes), ...attrs }
}

/** Largest extents of generated cases, by the number of axes. */
const largest = [0, 4096, 256, 48]

/** Windows that fit into the padded image; at most half of one is padding, as in PyTorch. */
export const poolingDomain = (rank: number): fc.Arbitrary<Row> =>
  fc
    .record({
      B: dim({ max: 16 }),
      C: dim({ max: 64 }),
      extents: fc.tuple(...Array.from({ length: rank }, () => dim({ max: largest[rank]! }))),
      size: fc.integer({ min: 1, max: rank === 3 ? 4 : 11 }),
      stride: fc.integer({ min: 1, max: 5 }),
      padding: fc.nat(5),
    })
    .map(({ B, C, extents, size, stride, padding }) => {
      const kernel_size = Math.min(size, ...extents)
      return rowOf(B, C, extents, { kernel_size, stride, padding: padding % (Math.floor(kernel_size / 2) + 1) })
    })
