import { describe, expect, test, vi } from 'vitest'
import { judge } from '../plugin/compare/index.ts'
import type { KernelTask } from '../plugin/task/index.ts'
import { casesOf } from './cases-of.ts'
import { loadSpecs } from './load-specs.ts'
import { perfect, poison, trivialCandidates } from './trivial-candidates.ts'

// Golden results of hundreds of cases, on machines that do other things as well.
vi.setConfig({ testTimeout: 60_000 })

const tasks = await loadSpecs()

/** Tasks whose public rule or reference rejects the right result on rows of its own, and why. */
const rejectsGolden: Record<string, string> = {
  Addcmul: 'its reference rounds float16 after every step; where they cancel, one rounding is not within its limit',
  BatchNormV3: 'its reference rounds 16-bit types after every step, and normalises with the batch in inference as well',
  ForeachAddcdivList: 'its limit for float16 is below half a unit, and its reference rounds three times',
  ForeachAddcdivScalarList: 'its limit for float16 is below half a unit, and its reference rounds three times',
  ForeachSubList: 'its limit for float16 is below half a unit, and its reference rounds twice',
}

/** Trivial candidates that do their task. */
const doTheirTask: Record<string, string[]> = {
  ForeachZeroInplace: ['all zeros'],
}

describe.each(tasks.map((task) => ({ name: task.interface.name, task })))('$name', ({ task }) => {
  test('accepts the golden result of every case, and so does the public rule on its own rows', () => {
    const answers = new Set<string>()
    for (const kernelCase of casesOf(task, 30, 2 ** 17)) {
      const inputs = task.draw(kernelCase)
      const golden = task.golden(inputs, kernelCase)
      const reference = task.reference?.(inputs, kernelCase)
      const judgement = judge(task, kernelCase, golden, perfect(kernelCase, golden), poison, reference)
      expect(judgement.kind, JSON.stringify(kernelCase)).toBe('correct')
      if (kernelCase.name !== 'generated') answers.add(judgement.benchmark)
    }
    if (task.interface.name in rejectsGolden) expect(answers).toContain('rejected')
    else expect([...answers]).not.toContain('rejected')
  })

  test('rejects every trivial candidate', () => {
    expect(survivors(task)).toEqual(doTheirTask[task.interface.name] ?? [])
  })
})

// Names of the trivial candidates that no case rejects.
function survivors(task: KernelTask): string[] {
  const alive = new Map(Object.entries(trivialCandidates))
  const total = alive.size
  for (const kernelCase of casesOf(task, 30, 2 ** 17)) {
    const inputs = task.draw(kernelCase)
    const golden = task.golden(inputs, kernelCase)
    for (const [name, candidate] of alive) {
      const { kind } = judge(task, kernelCase, golden, candidate(kernelCase, inputs, golden), poison)
      if (kind !== 'correct') alive.delete(name)
    }
    if (alive.size === 0) break
  }
  console.log(`${task.interface.name}: spec mutation score ${total - alive.size}/${total}`)
  return [...alive.keys()]
}
