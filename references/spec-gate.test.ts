import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { judge } from '../plugin/compare/index.ts'
import type { KernelCase } from '../plugin/model/index.ts'
import type { KernelTask } from '../plugin/task/index.ts'
import { largestArgument } from '../plugin/task/domain.ts'
import { perfect, poison, trivialCandidates } from './trivial-candidates.ts'

const tasks = vi.hoisted((): KernelTask[] => [])

// A spec registers tests when it is loaded; here it only hands over its definition.
vi.mock('vitest-npu', async () => {
  const builders = await import('../plugin/task/index.ts')
  const kernelSuite: typeof builders.defineTask = (name, definition) => {
    const task = builders.defineTask(name, definition)
    tasks.push(task)
    return task
  }
  return { ...builders, kernelSuite }
})

const root = join(import.meta.dirname, '../tasks')
const specs = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.spec.ts'))
for (const spec of specs.sort()) await import(join(root, spec))

// Static rows that are quick to compute, smallest first, and a few generated cases.
const casesOf = (task: KernelTask): KernelCase[] => [
  ...task.staticCases
    .filter((kernelCase) => largestArgument(kernelCase) <= 2 ** 20)
    .sort((one, other) => largestArgument(one) - largestArgument(other)),
  ...fc.sample(task.domain, { numRuns: 30, seed: 7 }),
]

describe.each(tasks.map((task) => ({ name: task.interface.name, task })))('$name', ({ task }) => {
  test('accepts the golden result of every case, and so does the public rule on its own rows', () => {
    for (const kernelCase of casesOf(task)) {
      const golden = task.golden(task.draw(kernelCase), kernelCase)
      const judgement = judge(task, kernelCase, golden, perfect(kernelCase, golden), poison)
      expect(judgement.kind, JSON.stringify(kernelCase)).toBe('correct')
      if (kernelCase.name !== 'generated') expect(judgement.benchmark).toBe('accepted')
    }
  })

  test('rejects every trivial candidate', () => {
    expect(survivors(task)).toEqual([])
  })
})

test('the gate has seen every spec', () => {
  expect(tasks.length).toBe(specs.length)
  expect(tasks.length).toBeGreaterThan(0)
})

// Names of the trivial candidates that no case rejects.
function survivors(task: KernelTask): string[] {
  const alive = new Map(Object.entries(trivialCandidates))
  const total = alive.size
  for (const kernelCase of casesOf(task)) {
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
