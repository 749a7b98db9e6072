import { describe, expect, test } from 'vitest'
import type { Finding, Judgement } from '../compare/rules.ts'
import type { Answer, Comparison, Report } from '../model/index.ts'
import { decide } from './decide.ts'

const comparison: Comparison = { output: 'y', elements: 8, mismatches: 1, index: [0], expected: '1', actual: '2' }
const correct: Finding = { kind: 'correct' }
const wrong: Finding = { kind: 'wrong-value', comparison }
const far: Finding = { kind: 'wrong-nonfinite', comparison: { ...comparison, mismatches: 8 } }
const judgement = (standard: Finding, strict: Finding, benchmark: Answer): Judgement => ({
  standard,
  strict,
  benchmark,
})
const right = judgement(correct, correct, 'accepted')
const report = (severity: Report['severity']): Report => ({
  code: 'X',
  severity,
  message: '',
  core: 'AIV 0',
  instruction: 'Add',
  count: 1,
})

describe.each(['standard', 'strict'] as const)('the %s profile', (profile) => {
  test('right values with an error of the device are a hazard, with a warning correct', () => {
    expect(decide(right, [report('warning'), report('error')], { profile }).kind).toBe('hazard')
    expect(decide(right, [report('warning')], { profile }).kind).toBe('correct')
  })

  test('right values with a warning are a hazard where warnings fail, and an error comes first', () => {
    const rules = { profile, warnings: 'fail' } as const
    expect(decide(right, [report('warning')], rules)).toEqual({ kind: 'hazard', report: report('warning') })
    expect(decide(right, [report('warning'), report('error')], rules)).toEqual({
      kind: 'hazard',
      report: report('error'),
    })
    expect(decide(right, [], rules).kind).toBe('correct')
    expect(decide(right, [report('warning')], { ...rules, profile: 'benchmark' }).kind).toBe('correct')
  })

  test('wrong values are wrong whatever the benchmark accepts, and come before a hazard', () => {
    expect(decide(judgement(wrong, wrong, 'accepted'), [report('error')], { profile })).toEqual(wrong)
  })
})

test('each profile decides by its own finding, with its own worst element', () => {
  const tolerated = judgement(correct, wrong, 'rejected')
  expect(decide(tolerated, [], { profile: 'standard' })).toEqual(correct)
  expect(decide(tolerated, [], { profile: 'strict' })).toEqual(wrong)
  expect(decide(tolerated, [report('error')], { profile: 'standard' }).kind).toBe('hazard')
  const different = judgement(wrong, far, 'accepted')
  expect(decide(different, [], { profile: 'standard' })).toEqual(wrong)
  expect(decide(different, [], { profile: 'strict' })).toEqual(far)
})

describe('the benchmark profile', () => {
  test('takes the answer of the public rule, its defects included', () => {
    expect(decide(judgement(wrong, wrong, 'accepted'), [], { profile: 'benchmark' }).kind).toBe('correct')
    expect(decide(judgement(correct, wrong, 'rejected'), [], { profile: 'benchmark' })).toEqual(wrong)
  })

  test('never passes what the public rule rejects', () => {
    expect(decide(judgement(correct, correct, 'rejected'), [], { profile: 'benchmark' }).kind).not.toBe('correct')
  })
})
