import { describe, expect, test } from 'vitest'
import type { LaunchResult } from '../model/index.ts'
import { deviceTime, LaunchFailure } from './device-time.ts'

const launched = (latencyNs: number): LaunchResult => ({
  ok: true,
  latencyNs,
  hostMs: 0,
  addsFloats: false,
  source: 'emulated',
  profile: 'Ascend910B2 v1',
  pipes: {},
  reports: [],
  blockDim: 1,
  tilingKey: 0,
  log: '',
})

const quiet = new AbortController().signal

describe('the latency of a kernel', () => {
  test('is the time the device tells, in nanoseconds, however long the host waits', async () => {
    const times = [1000, 3000, 2000]
    let launches = 0
    const latency = await deviceTime(
      async () => {
        await new Promise((done) => setTimeout(done, 5))
        return launched(times[launches++] ?? 0)
      },
      3,
      quiet,
    )
    expect(launches).toBe(3)
    expect(latency).toMatchObject({ unit: 'ns', mean: 2000, p50: 2000, min: 1000, max: 3000, samples: 3 })
    expect(latency).toMatchObject({ source: 'emulated', profile: 'Ascend910B2 v1' })
  })

  test('of a deterministic device has no spread, and no figure is NaN', async () => {
    const latency = await deviceTime(async () => launched(1234.5), 1, quiet)
    expect(latency).toMatchObject({ mean: 1234.5, sd: 0, rme: 0, samples: 1 })
  })

  test('is not computed from launches that failed', async () => {
    const failed: LaunchResult = { ok: false, verdict: { kind: 'timeout', limitMs: 5 }, reports: [], log: '' }
    const timing = deviceTime(async () => failed, 3, quiet)
    await expect(timing).rejects.toBeInstanceOf(LaunchFailure)
    await expect(timing).rejects.toMatchObject({ verdict: { kind: 'timeout' } })
  })
})
