import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs, FixtureOperator, interfaceOf, startService } from '../../fixtures/operator.ts'
import { encode } from '../inputs/encode.ts'
import { toFloat64 } from '../inputs/decode.ts'
import { emptyTensor, type DType, type Tensor } from '../model/index.ts'
import type { KernelService } from '../service/service.ts'

const xTypes: DType[] = ['float16', 'bfloat16', 'float32', 'int8', 'float16', 'bfloat16']
const yTypes: DType[] = ['float32', 'float32', 'float32', 'int32', 'float16', 'bfloat16']

let service: KernelService
let device: FixtureOperator
beforeAll(async () => {
  service = await startService()
  const attrs = ['m', 'n', 'k', 'firstK', 'transposed', 'relu']
  device = await FixtureOperator.build(service, interfaceOf('Products', 'products', attrs, xTypes, yTypes))
}, buildLimitMs)
afterAll(async () => await service.close())

interface Product {
  combination: number
  m: number
  n: number
  k: number
  /** steps of k before which the sum is split in two; 0 for one step */
  firstK: number
  transposed: boolean
  relu: boolean
  seed: number
}

/** Elements of one fractal along k. */
const widths: Partial<Record<DType, number>> = { float32: 8, int8: 32 }

/** Any length, those around a fractal more often. */
const size = (max: number) => fc.oneof(fc.integer({ min: 1, max }), fc.constantFrom(1, 15, 16, 17, 32))

function product(combination: number): fc.Arbitrary<Product> {
  const dtype = xTypes[combination] ?? 'float16'
  return fc
    .record({
      m: size(60),
      n: size(60),
      k: size(120),
      share: fc.integer({ min: 0, max: 3 }),
      transposed: dtype === 'float32' || dtype === 'int8' ? fc.constant(true) : fc.boolean(),
      relu: dtype === 'int8' ? fc.constant(false) : fc.boolean(),
      seed: fc.integer({ min: 1, max: 2 ** 31 }),
    })
    .map(({ share, ...rest }) => {
      // a row alone is read in whole fractals, so its second step starts at one
      const unit = rest.m === 1 ? 512 : (widths[dtype] ?? 16)
      const firstK = Math.floor((rest.k * share) / 4 / unit) * unit
      return { ...rest, combination, firstK: firstK < rest.k ? firstK : 0 }
    })
}

/** Values of a few bits around 0, some of them large, of which every dtype holds the int8 ones exactly. */
function inputs({ combination, m, n, k, seed }: Product): Tensor {
  const dtype = xTypes[combination] ?? 'float16'
  const tensor = emptyTensor(dtype, [m * k + k * n])
  let state = seed
  const values = Float64Array.from({ length: tensor.data.length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    const integer = (state >>> 24) - 128
    return dtype === 'int8' ? integer : integer / 37 + (state & 0xffff) / 2 ** 20
  })
  encode(values, tensor)
  return tensor
}

const roundings: Partial<Record<DType, number>> = { float32: 2 ** -24, float16: 2 ** -11, bfloat16: 2 ** -8 }

/** The first element beyond the bound that summing k products in float32 in any order keeps. */
function difference(p: Product, x: Tensor, y: Tensor): string | undefined {
  const [values, actual] = [toFloat64(x), toFloat64(y)]
  const b = (i: number, column: number): number =>
    values[p.m * p.k + (p.transposed ? column * p.k + i : i * p.n + column)] ?? NaN
  for (let row = 0; row < p.m; row++) {
    for (let column = 0; column < p.n; column++) {
      let [sum, size] = [0, 0]
      for (let i = 0; i < p.k; i++) {
        const term = (values[row * p.k + i] ?? NaN) * b(i, column)
        sum += term
        size += Math.abs(term)
      }
      const wanted = p.relu ? Math.max(0, sum) : sum
      const rounding = roundings[y.dtype]
      const limit = rounding === undefined ? 0 : p.k * 2 ** -24 * size + rounding * Math.abs(wanted) + 2 ** -25
      const value = actual[row * p.n + column] ?? NaN
      if (!(Math.abs(value - wanted) <= limit))
        return `[${row}, ${column}] is ${value}, should be ${wanted} +- ${limit}`
    }
  }
  return undefined
}

describe('the cube core multiplies matrices of any size', () => {
  test.each(xTypes.map((from, i) => [from, yTypes[i], i] as const))(
    '%s to %s',
    { timeout: 60_000 },
    async (_, to = 'float32', combination) => {
      await fc.assert(
        fc.asyncProperty(product(combination), async (p) => {
          const x = inputs(p)
          const { combination, seed: _, transposed, relu, ...sizes } = p
          const attrs = { ...sizes, transposed: transposed ? 1 : 0, relu: relu ? 1 : 0 }
          const { result, y } = await device.run({ x, y: { dtype: to, shape: [p.m, p.n] }, attrs, combination })
          expect(result).toMatchObject({ ok: true, reports: [] })
          expect(difference(p, x, y)).toBeUndefined()
        }),
        { numRuns: 25 },
      )
    },
  )
})
