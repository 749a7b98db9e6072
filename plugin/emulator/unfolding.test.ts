import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'
import { encode } from '../inputs/encode.ts'
import { toFloat64 } from '../inputs/decode.ts'
import { emptyTensor, type DType, type Tensor } from '../model/index.ts'

const xTypes: DType[] = ['float16', 'float32', 'int8']
const yTypes: DType[] = ['float32', 'float32', 'int32']

const ways = { left: 0, turned: 1, right: 2 }

/** A convolution's matrix, and the part of it that one instruction loads. */
const defaults = {
  way: 0,
  height: 5,
  width: 7,
  channels: 16,
  padLeft: 0,
  padRight: 0,
  padTop: 0,
  padBottom: 0,
  strideW: 1,
  strideH: 1,
  filterW: 1,
  filterH: 1,
  dilationW: 1,
  dilationH: 1,
  kStart: 0,
  kExtension: 16,
  mStart: 0,
  mExtension: 16,
  repeats: 1,
  repeatStride: 0,
  repeatMode: 0,
}
type Unfolding = typeof defaults

const attrs = [...Object.keys(defaults), 'mapElements', 'identity']

const device = useOperator(interfaceOf('Unfolding', 'unfolding', attrs, xTypes, yTypes))

const lanesOf = (combination: number): number => [16, 8, 32][combination] ?? 16

const places = (size: number, pads: number, filter: number, dilation: number, stride: number): number =>
  Math.floor((size + pads - ((filter - 1) * dilation + 1)) / stride) + 1

/** Element (row, column) of the matrix; 3 is what lies around the map. */
function element(u: Unfolding, map: Float64Array, lanes: number, row: number, column: number): number {
  const across = places(u.width, u.padLeft + u.padRight, u.filterW, u.dilationW, u.strideW)
  const down = places(u.height, u.padTop + u.padBottom, u.filterH, u.dilationH, u.strideH)
  if (row >= across * down) return 0
  const points = u.filterW * u.filterH
  const block = Math.min(Math.floor(column / (points * lanes)), Math.floor(u.channels / lanes))
  const width = Math.min(lanes, u.channels - block * lanes)
  const within = column - block * points * lanes
  const [point, channel] = [Math.floor(within / width), within % width]
  const h = Math.floor(row / across) * u.strideH - u.padTop + Math.floor(point / u.filterW) * u.dilationH
  const w = (row % across) * u.strideW - u.padLeft + (point % u.filterW) * u.dilationW
  if (h < 0 || h >= u.height || w < 0 || w >= u.width) return 3
  return map[u.height * u.width * block * lanes + (h * u.width + w) * width + channel] ?? NaN
}

async function wrong(combination: number, given: Partial<Unfolding>): Promise<string | undefined> {
  const u = { ...defaults, ...given }
  const lanes = lanesOf(combination)
  const mapElements = Math.ceil((u.height * u.width * u.channels) / 32) * 32
  const rows = u.mExtension * (u.repeatMode === 0 ? u.repeats : 1)
  const columns = u.kExtension * (u.repeatMode === 1 ? u.repeats : 1)
  const identity = Math.max(rows, columns)
  const dtype = xTypes[combination] ?? 'float16'
  const x: Tensor = emptyTensor(dtype, [mapElements + identity * identity])
  const values = new Float64Array(x.data.length)
  for (let i = 0; i < mapElements; i++) values[i] = ((i * 37 + (i >> 4) * 11) % 251) - 125
  for (let i = 0; i < identity; i++) values[mapElements + i * identity + i] = 1
  encode(values, x)
  const shape = [rows * columns]
  const to = yTypes[combination] ?? 'float32'
  const all = { ...u, mapElements, identity }
  const { result, y } = await device.run({ x, y: { dtype: to, shape }, attrs: all, combination })
  expect(result).toMatchObject({ ok: true, reports: [] })
  const actual = toFloat64(y)
  const map = toFloat64(x)
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      const down = u.repeatMode === 0
      const row = u.mStart + (down ? Math.floor(i / u.mExtension) * u.repeatStride * 16 + (i % u.mExtension) : i)
      const column = u.kStart + (down ? j : Math.floor(j / u.kExtension) * u.repeatStride * lanes + (j % u.kExtension))
      const wanted = element(u, map, lanes, row, column)
      const value = u.way === ways.turned ? actual[j * rows + i] : actual[i * columns + j]
      if (value !== wanted) return `[${i}, ${j}] is ${value}, should be ${wanted}`
    }
  }
  return undefined
}

describe('feature maps are unfolded', () => {
  test.each(
    [0, 1, 2].flatMap((combination) =>
      (['left', 'turned', 'right'] as const).flatMap((way) =>
        combination === 2 && way !== 'left' ? [] : [[combination, way] as const],
      ),
    ),
  )('types %i, %s', { timeout: 60_000 }, async (combination, way) => {
    const lanes = lanesOf(combination)
    const filters = fc.record({
      height: fc.integer({ min: 2, max: 9 }),
      width: fc.integer({ min: 2, max: 9 }),
      blocks: fc.integer({ min: 1, max: 2 }),
      padLeft: fc.integer({ min: 0, max: 3 }),
      padRight: fc.integer({ min: 0, max: 3 }),
      padTop: fc.integer({ min: 0, max: 3 }),
      padBottom: fc.integer({ min: 0, max: 3 }),
      strideW: fc.integer({ min: 1, max: 3 }),
      strideH: fc.integer({ min: 1, max: 3 }),
      filterW: fc.integer({ min: 1, max: 2 }),
      filterH: fc.integer({ min: 1, max: 2 }),
      dilationW: fc.integer({ min: 1, max: 2 }),
      dilationH: fc.integer({ min: 1, max: 2 }),
      kStart: fc.integer({ min: 0, max: 2 }),
      kBlocks: fc.integer({ min: 1, max: 2 }),
      mStart: fc.integer({ min: 0, max: 20 }),
      mBlocks: fc.integer({ min: 1, max: 3 }),
    })
    const property = fc.asyncProperty(filters, async ({ blocks, kBlocks, mBlocks, kStart, ...u }) => {
      fc.pre(u.height + u.padTop + u.padBottom > (u.filterH - 1) * u.dilationH)
      fc.pre(u.width + u.padLeft + u.padRight > (u.filterW - 1) * u.dilationW)
      const columns = u.filterW * u.filterH * blocks
      const first = Math.min(kStart, columns - 1)
      const place = { kStart: first * lanes, kExtension: Math.min(kBlocks, columns - first) * lanes }
      const all = { ...u, ...place, way: ways[way], channels: blocks * lanes, mExtension: mBlocks * 16 }
      expect(await wrong(combination, all)).toBeUndefined()
    })
    await fc.assert(property, { numRuns: 20 })
  })

  test.each([
    ['four channels', { channels: 4, filterW: 3, filterH: 2, kExtension: 16 }],
    ['four more channels than a block', { channels: 20, filterW: 2, filterH: 2, kStart: 48, kExtension: 32 }],
    ['repeats downwards', { mExtension: 16, repeats: 2, repeatStride: 1, height: 8 }],
    ['repeats with a step', { mExtension: 16, repeats: 2, repeatStride: 2, height: 9 }],
    ['repeats sidewards', { channels: 64, repeats: 2, repeatStride: 2, repeatMode: 1 }],
  ])('with %s', async (_, given) => {
    expect(await wrong(0, given)).toBeUndefined()
  })
})
