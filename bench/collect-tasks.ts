import { placeOf, suitesOf } from '../plugin/suites/index.ts'
import { defineTask, type KernelTask } from '../plugin/task/index.ts'

/** Stands in for the package in spec files: defines their tasks and registers no tests. */
export * from '../plugin/task/index.ts'

const tasks = new Map<string, KernelTask>()
const specs = new Map<string, string>()
const suites = suitesOf({}, process.cwd())

export const kernelSuite: typeof defineTask = (name, definition) => {
  const spec = /(\/[^\s:()]+\.spec\.ts)/.exec(new Error('who calls?').stack ?? '')?.[1] ?? ''
  const task = defineTask(name, definition, placeOf(spec, suites))
  tasks.set(name, task)
  specs.set(name, spec)
  return task
}

/** Every task whose spec was imported. */
export const tasksDefined = (): Map<string, KernelTask> => tasks

/** The file of the spec of a task. Throws for one whose spec was not imported. */
export function specFileOf(name: string): string {
  const spec = specs.get(taskNamed(name).interface.name)
  if (!spec) throw new Error(`${name} is defined outside of a spec`)
  return spec
}

/** A task whose spec was imported. Throws for any other. */
export function taskNamed(name: string): KernelTask {
  const task = tasks.get(name)
  if (!task) throw new Error(`no imported spec defines ${name}`)
  return task
}
