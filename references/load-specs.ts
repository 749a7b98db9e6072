import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import * as builders from '../plugin/task/index.ts'
import type { TaskPlace } from '../plugin/model/index.ts'
import { placeOf, suitesOf } from '../plugin/suites/index.ts'
import type { KernelTask } from '../plugin/task/index.ts'

const root = join(import.meta.dirname, '../tasks')
const suites = suitesOf({ tasks: root }, root)

/** Every spec of the repository as a task, without registering its tests. */
export async function loadSpecs(): Promise<KernelTask[]> {
  const tasks: KernelTask[] = []
  // that of the spec that is being imported
  let place: TaskPlace | undefined
  const kernelSuite: typeof builders.defineTask = (name, definition) => {
    const task = builders.defineTask(name, definition, place)
    tasks.push(task)
    return task
  }
  vi.doMock('vitest-npu', () => ({ ...builders, kernelSuite }))
  const specs = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.spec.ts'))
  for (const spec of specs.sort()) {
    place = placeOf(join(root, spec), suites)
    await import(join(root, spec))
  }
  if (tasks.length !== specs.length) throw new Error(`${specs.length} specs define ${tasks.length} tasks`)
  return tasks
}
