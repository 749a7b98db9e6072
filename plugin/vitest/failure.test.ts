import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { neutralValue, type Report, type Verdict, type Writer, type WrongElement } from '../model/index.ts'
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

const frames = (verdict: Verdict): string[] => failure(verdict).stack?.match(/^ {4}at .*$/gm) ?? []

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
  reproduce: npx vitest run x`)
  })

  test('who has written a wrong element last, some others, and where they lie', () => {
    const file = '/home/me/Rms/op_kernel/rms.cpp'
    const own = { instruction: 'DataCopyPad', core: 'AIV 3', file, line: 41, writes: 1 }
    const at = (index: number, writer: Writer | null = own): WrongElement => ({
      index: [index],
      expected: '1',
      actual: String(index),
      writer,
    })
    const comparison = {
      output: 'y',
      elements: 64,
      mismatches: 40,
      index: [9],
      expected: '1',
      actual: '9',
      pattern: 'exactly y[0..39]',
      examples: [
        at(9),
        at(0, { ...own, core: 'AIV 7' }),
        at(1),
        at(5, null),
        at(38, { ...own, core: 'AIV 4' }),
        at(39, { ...own, line: 50, writes: 3, atomic: true }),
      ],
    }
    const wrong = failure({ kind: 'wrong-value', comparison })
    expect(wrong.message).toBe(`\
y: 40 of 64 elements outside strict tolerance; worst y[9]: expected 1, got 9
  written last by DataCopyPad at op_kernel/rms.cpp:41 (AIV 3)
  also y[0]: expected 1, got 0; by AIV 7
  also y[5]: expected 1, got 5; no instruction has written it
  also y[39]: expected 1, got 39; written last by DataCopyPad at op_kernel/rms.cpp:50 (AIV 3, the last of 3 writes, atomic)
  the wrong elements are exactly y[0..39]
  reproduce: npx vitest run x`)
    expect(frames({ kind: 'wrong-value', comparison })).toEqual([`    at ${file}:41:1`])
    // what nothing has written is written nowhere
    const unwritten = { ...comparison, examples: [at(9, null), at(0)] }
    expect(frames({ kind: 'wrong-value', comparison: unwritten })).toEqual([])
    expect(failure({ kind: 'wrong-value', comparison: unwritten }).message).toContain(
      '\n  no instruction has written it\n',
    )
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

  test('the line of the kernel, and that of the spec where it is our fault', () => {
    expect(frames({ kind: 'device-error', report })).toEqual(['    at /home/me/Rms/op_kernel/rms.cpp:118:1'])
    expect(frames({ kind: 'infrastructure', message: 'golden' })).toEqual(['    at /home/me/tasks/rms.spec.ts:5:1'])
  })

  test('in few words what another test has told of already', () => {
    const facts = ['smallest failing case: x float16[1]']
    const { message } = failure({ kind: 'hazard', report }, { knownFrom: 'static 0', reports: [report, report], facts })
    expect(message).toBe(
      'error ErrorSync1 at op_kernel/rms.cpp:118 (AIV 3, Mul): Mul reads xLocal too early\n  the same as in static 0\n  smallest failing case: x float16[1]\n  reproduce: npx vitest run x',
    )
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

describe('the lines around the place', () => {
  const folder = mkdtempSync(join(tmpdir(), 'npu-frame-'))
  const root = join(folder, 'Rms')
  afterAll(() => rmSync(folder, { recursive: true }))
  const frame = (file: string, line: number): string | undefined =>
    failure({ kind: 'device-error', report: { ...report, file, line } }, { sampleRoot: root }).codeFrame

  test('are shown, and obeyed by nobody', () => {
    mkdirSync(join(root, 'op_kernel'), { recursive: true })
    const file = join(root, 'op_kernel/rms.cpp')
    writeFileSync(file, 'one\r\n::error::\u001B[31mtwo\n中文\nfour\nfive\nsix')
    expect(frame(file, 3)).toBe(
      [
        '      1| one',
        String.raw`      2| \x3a:error::\x1b[31mtwo`,
        '>     3| 中文',
        '      4| four',
        '      5| five',
      ].join('\n'),
    )
    expect(frame(file, 99)).toBeUndefined()
  })

  test('are those of the candidate, whatever a #line directive or a link says', () => {
    symlinkSync('/etc/passwd', join(root, 'op_kernel/linked.cpp'))
    writeFileSync(join(folder, 'secret.h'), 'secret')
    for (const file of ['/etc/passwd', join(root, 'op_kernel/linked.cpp'), join(root, '../secret.h'), '/dev/zero'])
      expect(frame(file, 1), file).toBeUndefined()
  })
})

test('no line of a failure is a command or holds an escape, whatever the candidate says', () => {
  const text = fc
    .array(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 4 }),
        fc.constantFrom(
          '\n',
          '\r',
          '::error::',
          '::error ',
          '::stop-commands::x',
          '##[group]',
          '##vso[a]',
          '\u001B[2J',
          ' ',
        ),
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join(''))
  const reports = fc.record({
    code: text,
    severity: fc.constantFrom('error' as const, 'warning' as const),
    message: text,
    hint: text,
    core: text,
    instruction: text,
    file: text,
    line: fc.integer({ min: 1, max: 9 }),
    count: fc.integer({ min: 1, max: 3 }),
    other: fc.record({ instruction: text, file: text }),
  })
  const diagnostics = fc.array(fc.record({ severity: fc.constant('error' as const), message: text, file: text }))
  const verdicts = fc.oneof(
    fc.record({ kind: fc.constantFrom('device-error' as const, 'hazard' as const), report: reports }),
    fc.record({ kind: fc.constant('tiling-failed' as const), message: text }),
    fc.record({ kind: fc.constant('crashed' as const), signal: text, message: text }),
    fc.record({
      kind: fc.constant('compile-failed' as const),
      stage: fc.constant('kernel' as const),
      class: fc.constant('syntax' as const),
      diagnostics,
      log: text,
    }),
  )
  fc.assert(
    fc.property(fc.record({ verdict: verdicts, reports: fc.array(reports, { maxLength: 3 }), log: text }), (said) => {
      const { stack = '', codeFrame = '' } = failure(said.verdict, neutralValue(said))
      for (const line of `${stack}\n${codeFrame}`.split(/[\n\r\u0085\u2028\u2029]/)) {
        expect(line.trim()).not.toMatch(/^::(?:error|stop-commands)(?:::|\s)/)
        expect(line).not.toMatch(/##(?:\[|vso\[)|(?!\t)\p{Cc}/u)
      }
    }),
    { numRuns: 500 },
  )
})
