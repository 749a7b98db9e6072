import { expect, test } from 'vitest'
import type { FailedLaunch, Measured } from '../model/index.ts'
import { LaunchFailure } from './device-time.ts'
import { inTurn } from './measured-latency.ts'

const { signal } = new AbortController()
const times = (cold: number, warm: number) => ({ cold: [cold, cold, cold + 3], warm: [warm, warm] })
const measured = (driftPercent: number): Measured => ({
  ok: true,
  times: times(1000, 500),
  baseline: times(2000, 800),
  driftPercent,
  profile: 'Ascend910B2, CANN 8.3',
})

test('cold times are the latency, and warm ones stand beside it', async () => {
  const found = await inTurn(measured(1.9), signal)
  expect(found).toMatchObject({
    latency: {
      mean: 1001,
      samples: 3,
      source: 'measured',
      profile: 'Ascend910B2, CANN 8.3',
      warm: { mean: 500, samples: 2 },
    },
    baseline: { mean: 2001, warm: { mean: 800 } },
  })
})

test('times do not hold where the baseline drifts', async () => {
  expect(await inTurn(measured(2.1), signal)).toEqual({
    rejected: 'no latency: the times of the baseline drifted by 2.1 % while it was taken',
  })
})

test('a launch that fails is the failure of whose it was', async () => {
  const failed: FailedLaunch = { ok: false, verdict: { kind: 'timeout', limitMs: 5 }, reports: [], log: '' }
  await expect(inTurn({ of: 'artifact', ...failed }, signal)).rejects.toThrow(LaunchFailure)
  expect(await inTurn({ of: 'baseline', ...failed }, signal)).toEqual({
    rejected: 'no latency: the baseline ended as timeout while it was timed',
  })
})
