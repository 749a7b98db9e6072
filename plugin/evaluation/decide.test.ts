import { describe, expect, test } from 'vitest'
import type { Comparison, Report } from '../model/index.ts'
import { decide } from './decide.ts'

const comparison: Comparison = { output: 'y', elements: 8, mismatches: 1, index: [0], expected: '1', actual: '2' }
const report = (severity: Report['severity']): Report => ({
  code: 'X',
  severity,
  message: '',
  core: 'AIV 0',
  instruction: 'Add',
  count: 1,
})

describe('the strict profile', () => {
  test('right values with an error of the device are a hazard, with a warning correct', () => {
    const right = { kind: 'correct', benchmark: 'accepted' } as const
    expect(decide(right, [report('warning'), report('error')], { profile: 'strict' }).kind).toBe('hazard')
    expect(decide(right, [report('warning')], { profile: 'strict' }).kind).toBe('correct')
  })

  test('right values with a warning are a hazard where warnings fail, and an error comes first', () => {
    const right = { kind: 'correct', benchmark: 'accepted' } as const
    const rules = { profile: 'strict', warnings: 'fail' } as const
    expect(decide(right, [report('warning')], rules)).toEqual({ kind: 'hazard', report: report('warning') })
    expect(decide(right, [report('warning'), report('error')], rules)).toEqual({
      kind: 'hazard',
      report: report('error'),
    })
    expect(decide(right, [], rules).kind).toBe('correct')
    expect(decide(right, [report('warning')], { ...rules, profile: 'benchmark' }).kind).toBe('correct')
  })

  test('wrong values are wrong whatever the benchmark accepts, and come before a hazard', () => {
    const wrong = { kind: 'wrong-value', comparison, benchmark: 'accepted' } as const
    expect(decide(wrong, [report('error')], { profile: 'strict' })).toEqual({ kind: 'wrong-value', comparison })
  })

  test('a wrong result without a place is our failure, not a pass', () => {
    expect(decide({ kind: 'wrong-nonfinite', benchmark: 'accepted' }, [], { profile: 'strict' }).kind).toBe(
      'infrastructure',
    )
  })
})

describe('the benchmark profile', () => {
  test('takes the answer of the public rule, its defects included', () => {
    expect(decide({ kind: 'wrong-value', comparison, benchmark: 'accepted' }, [], { profile: 'benchmark' }).kind).toBe(
      'correct',
    )
    expect(decide({ kind: 'wrong-value', comparison, benchmark: 'rejected' }, [], { profile: 'benchmark' }).kind).toBe(
      'wrong-value',
    )
  })

  test('never passes what the public rule rejects', () => {
    expect(decide({ kind: 'correct', benchmark: 'rejected' }, [], { profile: 'benchmark' }).kind).not.toBe('correct')
  })
})
