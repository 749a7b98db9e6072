import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildLimitMs, FixtureOperator, interfaceOf, startService } from '../../fixtures/operator.ts'
import type { KernelService } from '../service/service.ts'

const length = 128
const x = Float32Array.from({ length }, (_, i) => i % 64)
const task = interfaceOf('DryRun', 'dry_run', ['way'], ['float32'])

let service: KernelService
beforeAll(async () => {
  service = await startService()
  await FixtureOperator.build(service, task)
}, buildLimitMs)
afterAll(async () => {
  await service.close()
})

// Whether a kernel has to compute is known of its process from then on: each way has one of its own.
const ways = ['nothing', 'tensor', 'pointer', 'register', 'stored', 'global memory', 'flag']
test.each(ways)('%s: a kernel that reads what it has computed begins anew, and is right', async (name) => {
  const own = await startService()
  try {
    const operator = await FixtureOperator.build(own, task)
    for (const attempt of ['first', 'second']) {
      const problem = { x: { dtype: 'float32' as const, shape: [length], data: x }, attrs: { way: ways.indexOf(name) } }
      const { result, y } = await operator.run({ ...problem, y: { dtype: 'float32', shape: [length] } })
      expect(result, attempt).toMatchObject({ ok: true, reports: [] })
      // what the launch before has printed is not told again
      expect(result.log).toBe('core 0 begins\ncore 1 begins\n')
      const expected = Float32Array.from(x, (value) => value + value)
      expected[0] = expected[64] = name === 'register' ? 100 : 2
      expect(y.data, attempt).toEqual(expected)
    }
  } finally {
    await own.close()
  }
})
