import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandBytes, imageBytes, writeCommand, type Command } from '../../fixtures/instructions/command.ts'
import { families, programs } from '../../fixtures/instructions/draw.ts'
import { buildLimitMs, FixtureOperator, interfaceOf, startService } from '../../fixtures/operator.ts'
import { bytesView } from '../model/index.ts'
import type { KernelService } from '../service/service.ts'

let service: KernelService
beforeAll(async () => {
  service = await startService()
}, buildLimitMs)
afterAll(async () => await service.close())

/** Everything a launch leaves behind that a verdict may depend on. */
async function outcome(device: FixtureOperator, commands: readonly Command[]) {
  const words = new Int32Array((commandBytes / 4) * commands.length)
  const view = new DataView(words.buffer)
  commands.forEach((c, i) => writeCommand(view, i * commandBytes, c))
  const { result, y } = await device.run({
    x: { dtype: 'int32', shape: [words.length], data: words },
    y: { dtype: 'int32', shape: [(imageBytes / 4) * commands.length] },
    attrs: { blocks: commands.length },
  })
  // host time is the machine's, not the device's
  const { hostMs: _, ...facts } = { hostMs: 0, ...result }
  return { facts, y: Buffer.from(bytesView(y)).toString('base64') }
}

test('a launch gives the same bits, reports and latency each time', { timeout: 120_000 }, async () => {
  const device = await FixtureOperator.build(
    service,
    interfaceOf('Instructions', 'instructions', ['blocks'], ['int32']),
  )
  const names = Object.keys(families)
  const drawn = names.map((family) => fc.sample(programs(family, 1), { numRuns: 1, seed: 7 })[0] ?? [])
  const first = []
  for (const commands of drawn) first.push(await outcome(device, commands))
  expect(first.every(({ facts }) => facts.ok)).toBe(true)
  // in another order, so that each launch follows another one
  for (const i of [...drawn.keys()].reverse()) expect(await outcome(device, drawn[i] ?? []), names[i]).toEqual(first[i])
})

test('a launch that ends in a trap leaves nothing to the next', { timeout: 120_000 }, async () => {
  const attrs = ['defect', 'blocks']
  const device = await FixtureOperator.build(service, interfaceOf('Reports', 'reports', attrs, ['float32']))
  const x = { dtype: 'float32' as const, shape: [100], data: new Float32Array(100).fill(3) }
  const run = async (defect: number) => {
    const { result, y } = await device.run({ x, y: { dtype: 'float32', shape: [100] }, attrs: { defect, blocks: 4 } })
    const { hostMs: _, ...facts } = { hostMs: 0, ...result }
    return { facts, y: [...bytesView(y)] }
  }
  const start = 0x811c9dc5
  const key = Array.from('all buffers in use').reduce((h, c) => Math.imul(h ^ c.charCodeAt(0), 0x01000193), start) >>> 0
  const before = await run(0)
  const trapped = await run(key)
  expect(trapped.facts).toMatchObject({ ok: false, verdict: { kind: 'device-error' } })
  expect(await run(0)).toEqual(before)
  expect(await run(key)).toEqual(trapped)
})
