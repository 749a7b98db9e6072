import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import * as builders from '../plugin/task/index.ts'
import type { KernelTask } from '../plugin/task/index.ts'

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
