import { expect, test } from 'vitest'
import { accuracy, type Assessment } from '../model/index.ts'
import { assessmentOf, bothOf } from './assessment.ts'

const right: Assessment = {
  answers: { standard: 'accepted', strict: 'accepted', benchmark: 'accepted' },
  accuracy: 'exact',
}

test('an assessment has the answers of a judgement, and no places', () => {
  const comparison = { output: 'y', elements: 8, mismatches: 1, index: [0], expected: '1', actual: '2' }
  const strict = { kind: 'wrong-value', comparison } as const
  const judgement = { standard: { kind: 'correct' }, strict, benchmark: 'accepted' } as const
  expect(assessmentOf({ ...judgement, accuracy: 'within-tolerance' })).toEqual({
    answers: { standard: 'accepted', strict: 'rejected', benchmark: 'accepted' },
    accuracy: 'within-tolerance',
  })
  expect(assessmentOf({ ...judgement, standard: strict })).not.toHaveProperty('accuracy')
})

test.each(['standard', 'strict', 'benchmark'] as const)('what %s rejects once it rejects together', (profile) => {
  const other: Assessment = { ...right, answers: { ...right.answers, [profile]: 'rejected' } }
  for (const both of [bothOf(right, other), bothOf(other, right)]) expect(both?.answers).toEqual(other.answers)
})

test('so does each revision of the benchmark, for itself', () => {
  const withRevisions = (old: 'accepted' | 'rejected', now: 'accepted' | 'rejected'): Assessment => ({
    answers: { ...right.answers, revisions: { old, now } },
  })
  const both = bothOf(withRevisions('accepted', 'accepted'), withRevisions('accepted', 'rejected'))
  expect(both?.answers).toEqual(withRevisions('accepted', 'rejected').answers)
  expect(bothOf(right, right)?.answers).not.toHaveProperty('revisions')
})

test('two cases are as accurate as the worse one, and not at all where one is wrong', () => {
  const { answers } = right
  for (const [i, one] of accuracy.options.entries())
    for (const [j, other] of accuracy.options.entries())
      expect(bothOf({ answers, accuracy: one }, { answers, accuracy: other })?.accuracy).toBe(
        accuracy.options[Math.max(i, j)],
      )
  expect(bothOf(right, { answers })).not.toHaveProperty('accuracy')
  expect(bothOf(undefined, right)).toBe(right)
  expect(bothOf(right, undefined)).toBe(right)
})
