import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs, Launcher } from '../../fixtures/launcher.ts'
import { tileReply } from '../device/protocol.ts'

let launcher: Launcher
beforeAll(async () => {
  launcher = await Launcher.start()
}, buildLimitMs)
afterAll(async () => await launcher?.stop())

/** What a host library of `fixtures/host` puts into its tiling data for a shape, as words. */
async function tile(library: string, operator: string, shape: number[]) {
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

describe('the tiling helpers of the softmax family', () => {
  const [m, k] = [24, 128]
  /** Rows of [m, k] split into parts of `rows`; blocks of results have `block` elements. */
  const split = (rows: number, block: number): number[] => {
    const tail = m % rows
    const shape = [m, k, m * k, m, block, m * block]
    return [...shape, rows, k, rows * k, rows, block, rows * block, Math.floor(m / rows), tail, tail * k, tail * block]
  }

  test('tell sizes in bytes, and none for a type that is not supported', async () => {
    const { words } = await tile('host/norm_sizes', 'Sizes', [2, 12, k])
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
    const { words, key, warnings } = await tile('host/norm_sizes', 'Sizes', [2, 12, k])
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
