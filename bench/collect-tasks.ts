import { defineTask, type KernelTask } from '../plugin/task/index.ts'

/** Stands in for the package in spec files: defines their tasks and registers no tests. */
export * from '../plugin/task/index.ts'

const tasks = new Map<string, KernelTask>()

export const kernelSuite: typeof defineTask = (name, definition) => {
  const task = defineTask(name, definition)
  tasks.set(name, task)
  return task
}

/** Every task whose spec was imported. */
export const tasksDefined = (): Map<string, KernelTask> => tasks

/** A task whose spec was imported. Throws for any other. */
export function taskNamed(name: string): KernelTask {
  const task = tasks.get(name)
  if (!task) throw new Error(`no imported spec defines ${name}`)
  return task
}
