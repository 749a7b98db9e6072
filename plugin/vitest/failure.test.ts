import { describe, expect, test } from 'vitest'
import type { Report, Verdict } from '../model/index.ts'
import { KernelFailure, type FailureContext } from './failure.ts'

const report: Report = {
  code: 'ErrorSync1',
  severity: 'error',
  message: 'Mul reads xLocal too early',
  hint: 'EnQue the tensor',
  core: 'AIV 3',
  instruction: 'Mul',
  file: '/home/me/Rms/op_kernel/rms.cpp',
  line: 118,
  count: 1,
}

const failure = (verdict: Verdict, change: Partial<FailureContext> = {}): KernelFailure =>
  new KernelFailure({
    verdict,
    reports: [],
    sampleRoot: '/home/me/Rms',
    profile: 'strict',
    facts: [],
    log: '',
    reproduce: 'npx vitest run x',
    at: '    at /home/me/tasks/rms.spec.ts:5:1',
    ...change,
  })

const error = (message: string, line: number) => ({
  severity: 'error' as const,
  message,
  file: 'op_kernel/a.cpp',
  line,
})

describe('a failure tells the engineer', () => {
  test('which output is wrong, how much of it, where it is worst and what was never written', () => {
    const comparison = {
      output: 'y',
      elements: 1984,
      mismatches: 31,
      index: [30, 63],
      expected: '0.8413',
      actual: '0.0000',
      error: 0.841312,
      limit: 0.00123456,
      unwritten: { bytes: 62, first: 3906, last: 3967 },
    }
    expect(failure({ kind: 'wrong-value', comparison }, { facts: ['case: x float16[31, 64]'] }).stack)
      .toBe(`wrong-value: \
y: 31 of 1 984 elements outside strict tolerance; worst y[30, 63]: expected 0.8413, got 0.0000 (|err| 0.841, limit 0.00123)
  the kernel never wrote 62 bytes of y, the first at 3906, the last at 3967
  case: x float16[31, 64]
  reproduce: npx vitest run x
    at /home/me/tasks/rms.spec.ts:5:1`)
  })

  test('which other profiles take the values that are wrong', () => {
    const comparison = { output: 'y', elements: 4, mismatches: 1, index: [0], expected: '1', actual: '2' }
    const answers = { standard: 'accepted', strict: 'rejected', benchmark: 'accepted' } as const
    const wrong: Verdict = { kind: 'wrong-value', comparison }
    expect(failure(wrong, { answers }).message).toContain('\n  accepted under standard and benchmark tolerance\n')
    const rejected = { ...answers, standard: 'rejected', benchmark: 'rejected' } as const
    expect(failure(wrong, { answers: rejected }).message).not.toContain('accepted')
    expect(failure({ kind: 'hazard', report }, { answers }).message).not.toContain('accepted')
  })

  test('the line of the kernel first, then the line of the spec', () => {
    const lines = failure({ kind: 'device-error', report }).stack?.split('\n') ?? []
    expect(lines.filter((line) => line.startsWith('    at '))).toEqual([
      '    at /home/me/Rms/op_kernel/rms.cpp:118:1',
      '    at /home/me/tasks/rms.spec.ts:5:1',
    ])
  })

  test('the defect that decided once, and the other reports beside it', () => {
    const other = { ...report, code: 'WarnRead1', severity: 'warning' as const, line: 20 }
    const { message } = failure({ kind: 'hazard', report }, { reports: [report, other] })
    expect(message.match(/ErrorSync1/g)).toHaveLength(1)
    expect(message).toContain('warning WarnRead1 at op_kernel/rms.cpp:20 (AIV 3, Mul)')
  })

  test('both sides of a race, each with its line', () => {
    const race = { ...report, other: { instruction: 'DataCopy', file: '/home/me/Rms/op_kernel/load.h', line: 7 } }
    const { message } = failure({ kind: 'hazard', report: race })
    expect(message).toContain('ErrorSync1 at op_kernel/rms.cpp:118 (AIV 3, Mul)')
    expect(message).toContain('the other side: DataCopy at op_kernel/load.h:7')
  })

  test('how many more reports there are when there are many', () => {
    const reports = Array.from({ length: 9 }, (_, line) => ({ ...report, line }))
    expect(failure({ kind: 'timeout', limitMs: 20 }, { reports }).message).toContain('and 5 more')
  })

  test('the place outside the candidate by its whole path', () => {
    const diagnostics = [{ severity: 'error' as const, message: 'no', file: '/opt/include/a.h', line: 3 }]
    const { message } = failure({ kind: 'compile-failed', stage: 'host', class: 'syntax', diagnostics, log: '' })
    expect(message).toContain('the host part failed (syntax)\n  /opt/include/a.h:3: no')
  })

  test('first what the card does not have, whatever else the compiler says before', () => {
    const diagnostics = [
      error('use of undeclared identifier tmp', 3),
      error('Clamp exists in Ascend C, but not on Atlas A2 (Ascend 910B)', 9),
    ]
    const { message, stack } = failure({
      kind: 'compile-failed',
      stage: 'kernel',
      class: 'scope',
      diagnostics,
      log: '',
    })
    expect(message.indexOf('Clamp exists')).toBeGreaterThan(0)
    expect(message.indexOf('Clamp exists')).toBeLessThan(message.indexOf('undeclared identifier'))
    expect(stack).toContain('op_kernel/a.cpp:9')
  })

  test('the end of the log when the compiler named no place', () => {
    const log = Array.from({ length: 30 }, (_, i) => `line ${i}`).join('\n')
    const { message } = failure({ kind: 'compile-failed', stage: 'link', class: 'link', diagnostics: [], log })
    expect(message).toContain('line 29')
    expect(message).not.toContain('line 1\n')
  })
})
