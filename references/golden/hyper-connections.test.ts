import { describe, expect, test } from 'vitest'
import { encode, RandomStream, toFloat64 } from '../../plugin/inputs/index.ts'
import { emptyTensor, sizeOf, type Tensor } from '../../plugin/model/index.ts'
import type { GoldenTensor } from '../../plugin/task/index.ts'
import { mhcPost, mhcPre, sinkhorn } from './hyper-connections.ts'

const random = new RandomStream(7, 'hyper-connections')

function tensorOf(shape: readonly number[], at: (i: number) => number = () => random.next() / 2 ** 32 - 0.5): Tensor {
  const tensor = emptyTensor('float32', shape)
  encode(
    Float64Array.from({ length: sizeOf(shape) }, (_, i) => at(i)),
    tensor,
  )
  return tensor
}

const valuesOf = (golden: GoldenTensor): number[] => ('values' in golden ? [...golden.values] : [])

const attributes = { rms_eps: 0, pre_eps: 0, sinkhorn_eps: 0, post_mult: 2, repeats: 20 }

const identity = (i: number): number => (Math.floor((i % 16) / 4) === i % 4 ? 1 : 0)

describe('mHC post', () => {
  const [x, residual] = [tensorOf([2, 3]), tensorOf([2, 4, 3])]
  test('with the identity and no gate leaves the streams as they are', () => {
    const y = mhcPost(
      x,
      residual,
      tensorOf([2, 4], () => 0),
      tensorOf([2, 4, 4], identity),
    )
    expect(valuesOf(y)).toEqual([...toFloat64(residual)])
  })

  test('with gates of 1 adds the layer to each stream', () => {
    const y = valuesOf(
      mhcPost(
        x,
        residual,
        tensorOf([2, 4], () => 1),
        tensorOf([2, 4, 4], identity),
      ),
    )
    const [layer, before] = [toFloat64(x), toFloat64(residual)]
    for (let t = 0; t < 2; t++)
      for (let m = 0; m < 4; m++)
        for (let c = 0; c < 3; c++) {
          const i = (t * 4 + m) * 3 + c
          expect(y[i]).toBe(before[i]! + layer[t * 3 + c]!)
        }
  })

  test('mixes by columns of the matrix: a single 1 in row k and column m puts stream k into stream m', () => {
    // of the first token alone: row 2, column 0
    const mix = tensorOf([2, 4, 4], (i) => (i === 8 ? 1 : 0))
    const y = valuesOf(
      mhcPost(
        x,
        residual,
        tensorOf([2, 4], () => 0),
        mix,
      ),
    )
    expect(y.slice(0, 3)).toEqual([...toFloat64(residual)].slice(6, 9))
    expect(y.slice(3).every((value) => value === 0)).toBe(true)
  })
})

describe('Sinkhorn', () => {
  test('makes rows and columns sum to 1', () => {
    const matrix = sinkhorn(
      Array.from({ length: 16 }, () => 4 * (random.next() / 2 ** 32)),
      4,
      20,
      0,
    )
    for (let i = 0; i < 4; i++) {
      expect(matrix.slice(4 * i, 4 * i + 4).reduce((sum, value) => sum + value)).toBeCloseTo(1, 6)
      expect(matrix.filter((_, k) => k % 4 === i).reduce((sum, value) => sum + value)).toBeCloseTo(1, 12)
    }
  })

  test('once is the softmax of rows, then columns by their sums', () => {
    const [a, b] = [Math.exp(1) / (1 + Math.exp(1)), 0.5]
    const expected = [(1 - a) / (1 - a + b), a / (a + b), b / (1 - a + b), b / (a + b)]
    for (const [i, value] of sinkhorn([0, 1, 0, 0], 2, 1, 0).entries()) expect(value).toBeCloseTo(expected[i]!, 14)
  })
})

const zero = (shape: readonly number[]): Tensor => tensorOf(shape, () => 0)

describe('mHC pre', () => {
  test('without a projection has gates of a half, twice that, and a matrix of quarters', () => {
    const residual = tensorOf([2, 4, 3])
    const { post, comb, y } = mhcPre(residual, zero([24, 4, 3]), zero([3]), zero([24]), attributes)
    expect(valuesOf(post)).toEqual(Array(8).fill(1))
    for (const value of valuesOf(comb)) expect(value).toBeCloseTo(0.25, 12)
    const before = toFloat64(residual)
    for (let i = 0; i < 6; i++) {
      const [t, c] = [Math.floor(i / 3), i % 3]
      const sum = [0, 1, 2, 3].reduce((all, m) => all + before[(t * 4 + m) * 3 + c]!, 0)
      expect(valuesOf(y)[i]).toBeCloseTo(sum / 2, 12)
    }
  })

  test('is not changed by a factor of the streams but in what the layer is given', () => {
    const fn = tensorOf([24, 4, 3])
    const [scale, base] = [tensorOf([3], () => 1), tensorOf([24])]
    const values = Array.from({ length: 12 }, () => random.next() / 2 ** 32 - 0.5)
    const [one, eight] = [1, 8].map((factor) =>
      mhcPre(
        tensorOf([1, 4, 3], (i) => Math.fround(values[i]!) * factor),
        fn,
        scale,
        base,
        attributes,
      ),
    )
    for (const name of ['post', 'comb'] as const)
      for (const [i, value] of valuesOf(one![name]).entries()) expect(valuesOf(eight![name])[i]).toBeCloseTo(value, 12)
    for (const [i, value] of valuesOf(one!.y).entries()) expect(valuesOf(eight!.y)[i]).toBeCloseTo(8 * value, 12)
  })

  test('takes the first mixes for the layer, the next for what it returns, the others for the streams', () => {
    const base = (from: number, to: number): Tensor => tensorOf([24], (i) => (i >= from && i < to ? 30 : 0))
    const residual = tensorOf([1, 4, 3], () => 1)
    const of = (from: number, to: number) => mhcPre(residual, zero([24, 4, 3]), zero([3]), base(from, to), attributes)
    expect(valuesOf(of(0, 4).y)[0]).toBeCloseTo(4, 9)
    expect(valuesOf(of(4, 8).post)[0]).toBeCloseTo(2, 9)
    expect(valuesOf(of(4, 8).y)[0]).toBeCloseTo(2, 9)
    // a row of the matrix that wants its first column
    expect(valuesOf(of(8, 9).comb)[0]).toBeGreaterThan(0.9)
  })
})
