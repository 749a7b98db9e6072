import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs, Launcher } from '../../fixtures/launcher.ts'
import { bitsOfFloat } from '../../fixtures/library_norm/call.ts'
import { tileReply } from '../runner/protocol.ts'

let launcher: Launcher
beforeAll(async () => {
  launcher = await Launcher.start()
}, buildLimitMs)
afterAll(async () => await launcher?.stop())

/** What a host library of `fixtures/host` puts into its tiling data for a shape, as words. */
async function tileOf(library: string, operator: string, shape: number[]) {
  const tensor = { dtype: 'float32', shape }
  const request = {
    op: 'tile' as const,
    host: await launcher.library(library),
    operator,
    soc: 'Ascend910B2',
    inputs: [tensor],
    outputs: [tensor],
    attrs: [],
    timeoutMs: 4000,
  }
  const reply = await launcher.runner.request(request, tileReply)
  if (!reply.ok) throw new Error(JSON.stringify(reply.failure))
  const bytes = Buffer.from(reply.result.tiling, 'base64')
  const words = Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32LE(i * 4))
  return { words, key: reply.result.tilingKey, warnings: reply.result.warnings }
}

describe('the tiling helpers of the softmax family', { timeout: 60_000 }, () => {
  const [m, k] = [24, 128]
  /** Rows of [m, k] split into parts of `rows`; blocks of results have `block` elements. */
  const split = (rows: number, block: number): number[] => {
    const tail = m % rows
    const shape = [m, k, m * k, m, block, m * block]
    return [...shape, rows, k, rows * k, rows, block, rows * block, Math.floor(m / rows), tail, tail * k, tail * block]
  }

  test('tell sizes in bytes, and none for a type that is not supported', async () => {
    const { words } = await tileOf('host/norm_sizes', 'Sizes', [2, 12, k])
    const row = { softmax: 8 + k + 64, half: 16 + k + 64, flash: 4 * 16 + 2 * k, grad: 2 * 16 + 3 * k + 64 }
    const flashV3 = (5 * 8 + 2 * k + 64) * 4
    expect(words.slice(0, 14)).toEqual([
      m * row.softmax * 4,
      row.half * 4,
      m * row.flash * 4,
      row.softmax * 4,
      m * row.softmax * 4,
      8 * row.softmax * 4,
      8 * (8 + 64) * 4,
      m * row.grad * 4,
      row.softmax * 4,
      m * flashV3,
      flashV3,
      m * row.half * 4,
      row.softmax * 4,
      0,
    ])
  })

  test('split the rows so that they fit, the same in both forms of the struct', async () => {
    const { words, key, warnings } = await tileOf('host/norm_sizes', 'Sizes', [2, 12, k])
    const tilings = Array.from({ length: 7 }, (_, i) => words.slice(16 + 16 * i, 32 + 16 * i))
    expect(tilings).toEqual([
      split(8, 8),
      split(8, 8),
      split(7, 16),
      split(8, 8),
      split(6, 8),
      split(5, 16),
      split(8, 8),
    ])
    expect(key).toEqual(1)
    expect(warnings).toEqual([])
  })
})

describe('the helpers of the normalisations and quantisations', { timeout: 60_000 }, () => {
  const [b, s, h, originalH] = [2, 12, 128, 120]
  const rows = b * s
  const tile = async () => await tileOf('host/row_sizes', 'RowSizes', [b, s, h, originalH])

  test('tell sizes in bytes', async () => {
    const { words } = await tile()
    const results = rows * 4
    // rows of half are padded to 128 elements, those of float take 120
    const normalized = (row: number) => ({ most: (2 * row + 2 * rows * row) * 4, least: 2 * row * 4 })
    expect(words.slice(0, 24)).toEqual([
      3 * rows * h * 4 + 2 * results,
      3 * h * 4 + 2 * results,
      normalized(h).most + results,
      2 * normalized(h).least + results,
      normalized(originalH).most,
      normalized(originalH).least,
      1,
      (2 * rows * h + 32) * 4,
      (2 * h + 8) * 4,
      0,
      0,
      0,
      (h / 64) * 768,
      768,
      (128 + 2 * h) * 4,
      1024,
      2 * rows * h,
      512,
      (64 + rows * h + h + 8) * 4,
      (64 + h + h + 8) * 4,
      (2 * h + 64 * rows) * 4,
      80 * rows * 4,
      rows * h * 4,
      0,
    ])
  })

  test('split the rows so that they fit', async () => {
    const { words, key, warnings } = await tile()
    const all = rows * h
    const [layerNorm, rmsNorm, separate] = [words.slice(24, 50), words.slice(50, 62), words.slice(62, 88)]
    const six = 6 * h
    const ends = [all / six, six, 0, all, 6, 0, rows, six, 6]
    const shape = [b, s, h, originalH]
    const places = [0, rows, rows, rows, 2500, six, 2 * rows, 2 * rows + six, 2 * rows + 2 * six]
    expect(layerNorm).toEqual([...shape, all, rows, 3, ...places, ...ends, bitsOfFloat(1 / originalH)])
    expect(rmsNorm).toEqual([...shape, bitsOfFloat(1 / originalH), 9 * h, 9, 16, 2, 18 * h, 6 * h, 6])
    // nine rows of two buffers behind the variances of all rows
    const nine = 9 * h
    const split = [2, nine, 6 * h, 18 * h, 9, 6, 18, nine, 9]
    const of = [rows, originalH, 0, 0, 0, 0, all, rows, 2, 0, rows, 2500, nine, rows, rows + nine, 0]
    expect(separate).toEqual([...of, ...split, bitsOfFloat(1 / originalH)])
    expect(key).toEqual(1)
    expect(warnings).toEqual([])
  })
})

describe('the helpers of the gradients, GroupNorm, BatchNorm and DeepNorm', { timeout: 60_000 }, () => {
  const [b, s, h, originalH] = [2, 12, 128, 120]
  const rows = b * s
  const all = rows * h
  const tile = async () => await tileOf('host/set_sizes', 'SetSizes', [b, s, h, originalH])

  test('tell sizes in bytes, and none for shapes that are refused', async () => {
    const { words } = await tile()
    const [group, batch] = [4 * 48, 15 * 64]
    expect(words.slice(0, 16)).toEqual([
      4 * h * h * 4,
      4 * all * 4,
      // the sizes for half count halves, although the function works in float
      9 * h * h * 2,
      9 * all * 2,
      4 * all * 4,
      4 * h * 4,
      3 * 6 * group * 4 + 64,
      3 * group * 4 + 64,
      1,
      3 * batch * 4 + 512,
      3 * 15 * 64 + 512,
      0,
      1,
      3 * all * 4 + 2 * rows * 4,
      3 * h * 4 + 2 * rows * 4,
      0,
    ])
  })

  test('split what they are given so that it fits', async () => {
    const { words, key, warnings } = await tile()
    let at = 16
    const next = (count: number): number[] => words.slice(at, (at += count))
    const sixteen = 16 * h
    const buffers = [0, 1, 2, 3, 4, 5, 0, 0, 0].flatMap((buffer) => [buffer * sixteen, sixteen])
    const gradient = [50000, b, s, h, originalH, sixteen, 16, 1, 8 * h, 8, ...buffers]
    expect(next(30)).toEqual([...gradient, bitsOfFloat(1 / originalH), bitsOfFloat(2 / originalH)])
    const three = 3 * h
    const beta = [1250, b, s, h, originalH, all, rows, three, 2, 8, 0, all, 0, three, 3]
    expect(next(20)).toEqual([...beta, 0, h, 2 * h, 2 * h + three, 0])
    const batches = [15, 64, 0, 64, 1750, 480, 128, 608, 1088, 2, 0, 64, 0, 64, 480, 32, bitsOfFloat(1 / 15), 4, 4, 4]
    expect(next(20)).toEqual(batches)
    const shape = [b, s, h, h, all, rows, 3, 0, rows, rows, rows, 7500]
    const split = [sixteen, 0, sixteen, 2 * sixteen, 1, sixteen, 8 * h, sixteen, 16, 8, 16, sixteen, 16]
    expect(next(26)).toEqual([...shape, ...split, bitsOfFloat(1 / h)])
    const group = 4 * 48
    const four = 4 * group
    const image = [2, 12, 35, 3, 4, 48, group, 6 * group, 6, 3, 0, 8, 8, 8, 2496]
    const parts = [four, 16, 16 + four, 16 + 2 * four, 1, four, 2 * group, four, 4, 2, 4, four, 4]
    expect(next(29)).toEqual([...image, ...parts, bitsOfFloat(1 / 140)])
    expect((next(1)[0] ?? 0) & 0xff).toEqual(1)
    expect(key).toEqual(1)
    expect(warnings).toEqual([])
  })
})
