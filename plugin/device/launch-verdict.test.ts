import { expect, test } from 'vitest'
import { launchVerdict, tilingVerdict, trapOf } from './launch-verdict.ts'

test('an early exit is never mistaken for success', () => {
  expect(launchVerdict({ kind: 'died', signal: '', exitCode: 0 }, 20_000)).toEqual({
    kind: 'crashed',
    signal: '',
    message: 'the kernel called exit(0)',
  })
})

const crashed = (address: string) =>
  tilingVerdict('Add', { kind: 'died', signal: 'SIGSEGV', exitCode: null, address }, 1)

const faultAt = (address: string) => launchVerdict({ kind: 'died', signal: 'SIGSEGV', exitCode: null, address }, 1)

test('each way a launch can fail has its verdict', () => {
  expect(launchVerdict({ kind: 'died', signal: 'SIGSEGV', exitCode: null, address: '0x10' }, 1)).toMatchObject({
    kind: 'crashed',
    message: 'the kernel crashed: SIGSEGV at address 0x10',
  })
  expect(faultAt('x + 4 (8 bytes long)')).toMatchObject({
    message: expect.stringMatching(/; inputs cannot be written$/),
  })
  expect(faultAt('x + 8 (8 bytes long)')).toMatchObject({ message: expect.stringMatching(/bytes long\)$/) })
  expect(launchVerdict({ kind: 'timeout' }, 20_000)).toEqual({ kind: 'timeout', limitMs: 20_000 })
  expect(launchVerdict({ kind: 'rejected', message: 'takes 4 addresses' }, 1)).toMatchObject({ kind: 'device-error' })
  const message = 'the latency -1 ns is implausible'
  const implausible = { kind: 'malformed', code: 'ImplausibleLatency', message } as const
  expect(launchVerdict(implausible, 1)).toMatchObject({
    kind: 'device-error',
    report: { code: 'ImplausibleLatency', severity: 'error', message },
  })
  expect(tilingVerdict('Add', implausible, 1)).toEqual({ kind: 'tiling-failed', message })
  expect(tilingVerdict('Add', { kind: 'timeout' }, 2000)).toEqual({
    kind: 'tiling-failed',
    message: 'the tiling function of Add did not return within 2 s',
  })
  expect(crashed('null + 8')).toMatchObject({
    message: expect.stringMatching(/crashed: SIGSEGV .*; GetData of a tensor/),
  })
  expect(crashed('0x10')).toMatchObject({ message: 'the tiling function of Add crashed: SIGSEGV at address 0x10' })
})

const report = (code: string, severity: 'error' | 'warning') => ({
  code,
  severity,
  message: '',
  hint: '',
  core: 'AIV 0',
  instruction: 'Add',
  count: 1,
})

test('only a launch that was stopped has a trap; its last error says why', () => {
  const reports = [report('A', 'error'), report('B', 'error'), report('C', 'warning')]
  const answer = {
    trapped: true,
    latencyNs: 0,
    hostMs: 0,
    addsFloats: false,
    polls: false,
    meets: false,
    profile: '',
    pipes: {},
    coverage: [],
    reached: { aiv: '', aic: '' },
    reports: [],
  }
  expect(trapOf(answer, reports)?.code).toBe('B')
  expect(trapOf({ ...answer, trapped: false }, reports)).toBeNull()
})
