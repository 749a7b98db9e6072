import { describe, expect, test, vi } from 'vitest'
import { judge } from '../plugin/compare/index.ts'
import { reasonToAccept } from './accepted-defects.ts'
import { casesOf } from './cases-of.ts'
import { reasonFor } from './legal-survivors.ts'
import { loadSpecs } from './load-specs.ts'
import { answersOf, posed } from './mutation-score.ts'
import { perfect, poison, trivialCandidates } from './trivial-candidates.ts'
import { typicalDefects } from './typical-defects.ts'

// Golden results of hundreds of cases, on machines that do other things as well.
vi.setConfig({ testTimeout: 60_000 })

const tasks = await loadSpecs()
const zeros = { 'all zeros': trivialCandidates['all zeros']! }

/** Tasks whose public rule or reference rejects the right result on rows of its own, and why. */
const rejectsGolden: Record<string, string> = {
  Addcmul: 'its reference rounds float16 after every step; where they cancel, one rounding is not within its limit',
  BatchNormV3: 'its reference rounds 16-bit types after every step, and normalises with the batch in inference as well',
  ForeachAddcdivList: 'its limit for float16 is below half a unit, and its reference rounds three times',
  ForeachAddcdivScalarList: 'its limit for float16 is below half a unit, and its reference rounds three times',
  ForeachSubList: 'its limit for float16 is below half a unit, and its reference rounds twice',
}

describe.each(tasks.map((task) => ({ name: task.interface.name, task })))('$name', ({ task }) => {
  test('accepts the golden result of every case, and so does the public rule on its own rows', () => {
    const answers = new Set<string>()
    // where rounding has to add up before the public rule rejects, cases are larger
    const largest = task.interface.name in rejectsGolden ? 2 ** 17 : 2 ** 15
    for (const kernelCase of casesOf(task, 30, largest)) {
      const inputs = task.draw(kernelCase)
      const golden = task.golden(inputs, kernelCase)
      const reference = task.reference?.(inputs, kernelCase)
      const judgement = judge(task, kernelCase, golden, perfect(kernelCase, golden), poison, reference)
      expect(judgement.strict.kind, JSON.stringify(kernelCase)).toBe('correct')
      if (kernelCase.name !== 'generated') answers.add(judgement.benchmark)
    }
    if (task.interface.name in rejectsGolden) expect(answers).toContain('rejected')
    else expect([...answers]).not.toContain('rejected')
  })

  test('every small static case rejects every trivial candidate, or there is a reason why it is right', () => {
    const accepted: string[] = []
    const cases = casesOf(task, 0, 2 ** 16)
    for (const kernelCase of cases) {
      const answers = answersOf(posed(task, kernelCase), 'strict', trivialCandidates)
      for (const [candidate, answer] of answers) {
        if (answer === 'rejected' || (answer === 'right' && reasonFor(task, kernelCase, candidate))) continue
        accepted.push(`${kernelCase.name}: ${candidate} ${answer}`)
      }
    }
    expect(accepted).toEqual([])
  })

  test.each(['standard', 'strict'] as const)(
    '%s rejects trivial candidates and typical defects, or says why',
    (profile) => {
      const accepted: string[] = []
      for (const kernelCase of casesOf(task, 0, 2 ** 13)) {
        const answers = answersOf(posed(task, kernelCase), profile, { ...trivialCandidates, ...typicalDefects })
        for (const [candidate, answer] of answers) {
          if (answer === 'rejected' || (answer === 'right' && candidate in typicalDefects)) continue
          const reason = answer === 'right' ? reasonFor : reasonToAccept
          if (!reason(task, kernelCase, candidate, profile)) accepted.push(`${kernelCase.name}: ${candidate} ${answer}`)
        }
      }
      expect(accepted).toEqual([])
    },
  )

  test('most generated cases reject zeros under the standard profile, where they are not right', () => {
    const answers = casesOf(task, 24, 2 ** 12)
      .filter(({ name }) => name === 'generated')
      .flatMap((kernelCase) => [...answersOf(posed(task, kernelCase), 'standard', zeros).values()])
      .filter((answer) => answer !== 'right')
    const surviving = answers.filter((answer) => answer === 'survives')
    // a scale that has lost touch with the result is that of many cases; cancellation is that of a few
    expect(3 * surviving.length, `${surviving.length} of ${answers.length}`).toBeLessThanOrEqual(answers.length)
  })

  test('some case rejects every trivial candidate that is not right for a reason', () => {
    const alive = new Set(Object.keys(trivialCandidates))
    for (const kernelCase of casesOf(task, 30, 2 ** 14)) {
      for (const [candidate, answer] of answersOf(posed(task, kernelCase), 'strict', trivialCandidates)) {
        if (answer === 'rejected' || (answer === 'right' && reasonFor(task, kernelCase, candidate))) {
          alive.delete(candidate)
        }
      }
      if (alive.size === 0) break
    }
    expect([...alive]).toEqual([])
  })
})
