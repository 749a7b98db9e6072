import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { makeFolder } from '../files/index.ts'
import { dtypeNames, qualifiedName, taskInterface, type Combination, type TaskInterface } from '../model/index.ts'

const dtypeList = z.array(z.enum(dtypeNames))

const remembered = z.object({
  task: taskInterface,
  combinations: z.array(z.object({ inputs: dtypeList, outputs: dtypeList })),
})

/** What a build needs to know of a task. */
export interface SavedInterface {
  task: TaskInterface
  combinations: Combination[]
}

type Task = Pick<TaskInterface, 'suite' | 'name'>

const fileOf = (folder: string, task: Task): string => join(folder, `${qualifiedName(task)}.json`)

/**
 * Notes the interface of a task that a worker has read from its spec. The main process never runs a spec; from the
 * second run on it can so have candidates built before their spec's turn comes. A folder that cannot be written costs
 * that head start only.
 */
export function saveInterface(folder: string, value: SavedInterface): void {
  const path = fileOf(folder, value.task)
  const text = JSON.stringify(value)
  try {
    if (readText(path) === text) return
    makeFolder(dirname(path))
    writeFileSync(`${path}.${process.pid}.tmp`, text)
    renameSync(`${path}.${process.pid}.tmp`, path)
  } catch {
    // nothing is lost: the worker asks for the build itself
  }
}

/**
 * The interface a task had in an earlier run. It may be out of date: then the build it leads to is merely of no use.
 */
export function savedInterface(folder: string, task: Task): SavedInterface | undefined {
  const text = readText(fileOf(folder, task))
  if (text === undefined) return undefined
  try {
    const parsed = remembered.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
