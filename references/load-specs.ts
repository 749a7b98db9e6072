import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { vi } from 'vitest'
import type { KernelCase } from '../plugin/model/index.ts'
import * as builders from '../plugin/task/index.ts'
import type { KernelTask } from '../plugin/task/index.ts'
import { largestArgument } from '../plugin/task/fit.ts'

const root = join(import.meta.dirname, '../tasks')

/** Every spec of the repository as a task, without registering its tests. */
export async function loadSpecs(): Promise<KernelTask[]> {
  const tasks: KernelTask[] = []
  const kernelSuite: typeof builders.defineTask = (name, definition) => {
    const task = builders.defineTask(name, definition)
    tasks.push(task)
    return task
  }
  vi.doMock('vitest-npu', () => ({ ...builders, kernelSuite }))
  const specs = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.spec.ts'))
  for (const spec of specs.sort()) await import(join(root, spec))
  if (tasks.length !== specs.length) throw new Error(`${specs.length} specs define ${tasks.length} tasks`)
  return tasks
}

/** Static rows and generated cases of at most `limit` elements per argument; the static ones first, smallest first. */
export function casesOf(task: KernelTask, generated: number, limit: number): KernelCase[] {
  const isSmall = (kernelCase: KernelCase) => largestArgument(kernelCase) <= limit
  return [
    ...task.staticCases.filter(isSmall).sort((one, other) => largestArgument(one) - largestArgument(other)),
    ...fc.sample(task.domain.filter(isSmall), { numRuns: generated, seed: 7 }),
  ]
}
