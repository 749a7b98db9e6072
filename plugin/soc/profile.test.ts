import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs, Launcher } from '../../fixtures/launcher.ts'
import { tileReply } from '../runner/protocol.ts'
import { socOf } from './devices.ts'
import { architecture, defaultSoc, socs, timing } from './profile.ts'

let launcher: Launcher
beforeAll(async () => {
  launcher = await Launcher.start()
}, buildLimitMs)
afterAll(async () => await launcher?.stop())

test('the default device has the published figures', () => {
  expect(defaultSoc).toBe('Ascend910B2')
  expect(socOf(defaultSoc)).toEqual({
    name: 'Ascend910B2',
    config: 'ascend910b',
    aicCores: 24,
    aivCores: 48,
    clockGHz: 1.8,
    l2Bytes: 201_326_592,
    hbmBytesPerNs: 1600,
  })
  expect(architecture).toMatchObject({ aiCore: 220, npuArch: 2201, ubBytes: 196_608, l1Bytes: 524_288 })
})

test('a name that is no device has no profile', () => {
  expect(() => socOf('Ascend1')).toThrow('no device profile of Ascend1')
})

// What is read of the sources here is what was compiled into the emulator.
describe.for(socs)('$name', (soc) => {
  test('is the device that host code plans for', async () => {
    const reply = await launcher.runner.request(
      {
        op: 'tile',
        host: await launcher.library('host/platform'),
        operator: 'Platform',
        soc: soc.name,
        inputs: [],
        outputs: [],
        attrs: [],
        timeoutMs: 4000,
      },
      tileReply,
    )
    if (!reply.ok) throw new Error(JSON.stringify(reply.failure))
    const bytes = Buffer.from(reply.result.tiling, 'base64')
    const told = Array.from({ length: bytes.length / 8 }, (_, i) => Number(bytes.readBigUInt64LE(8 * i)))
    const { ubBytes, l1Bytes, l0aBytes, l0bBytes, l0cBytes, systemBytes, npuArch } = architecture
    expect(told).toEqual([
      soc.aicCores,
      soc.aivCores,
      Math.round(soc.clockGHz * 1000),
      npuArch,
      ubBytes - systemBytes,
      l1Bytes - systemBytes,
      l0aBytes,
      l0bBytes,
      l0cBytes,
      soc.l2Bytes,
      Math.floor(soc.hbmBytesPerNs / soc.clockGHz / soc.aicCores),
      ubBytes,
      1024, // bias table
      1, // kinds of cores are apart
      24,
      0,
    ])
    expect(reply.result).toMatchObject({ blockDim: soc.aivCores, warnings: [] })
  })

  test('runs no more blocks at once than it has cores', async () => {
    const latencyOf = async (blockDim: number): Promise<number> => {
      const { reply } = await launcher.hostile('copies', { soc: soc.name, blockDim })
      if (!reply.ok) throw new Error(JSON.stringify(reply.failure))
      return reply.result.latencyNs
    }
    const once = (await latencyOf(1)) - timing.launchNs
    const waves = 10
    const more = (await latencyOf(2 * waves * soc.aivCores)) - (await latencyOf(waves * soc.aivCores))
    // copies of many cores are slower than those of one
    expect(more / once / waves).toBeGreaterThan(0.95)
    expect(more / once / waves).toBeLessThan(1.3)
  })

  test('is the device that kernels are launched on', async () => {
    const { reply } = await launcher.hostile('copies', { soc: soc.name, blockDim: soc.aivCores + 1 })
    if (!reply.ok) throw new Error(JSON.stringify(reply.failure))
    const { latencyNs, profile, reports } = reply.result
    expect(profile).toBe(`${soc.name} ${timing.version}`)
    const launchNs = timing.launchNs + timing.launchNsPerCore * (soc.aivCores + 1)
    expect(latencyNs).toBeGreaterThanOrEqual(launchNs)
    expect(latencyNs).toBeLessThan(launchNs + 1000)
    const waves = `block dim ${soc.aivCores + 1} exceeds the ${soc.aivCores} vector cores of ${soc.name}`
    expect(reports.map(({ message }) => message)).toContain(waves)
  })
})
