import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findSamples } from '../candidates/index.ts'
import type { Sample, TaskInterface } from '../model/index.ts'
import type { ResolvedSuite } from './suite.ts'

/** Names of tasks that several suites of a run have, with those suites. */
export type SharedTasks = Readonly<Record<string, readonly string[]>>

type Task = Pick<TaskInterface, 'suite' | 'name'>

/** The operator that speedup of a task is measured against, in the folder of its suite. */
export function baselineOf(task: Task, suites: readonly ResolvedSuite[], shared: SharedTasks): Sample | undefined {
  const folder = folderOf(task, suites)
  if (!folder) return undefined
  const served = suites.filter(({ baseline }) => baseline === folder)
  // a folder that serves one suite has nothing to tell apart
  const { samples } = findSamples([folder], { suites: served, task, shared: served.length > 1 ? shared : {} })
  return samples.find((sample) => sample.suite === task.suite) ?? samples[0]
}

/** The folder of the operator whose host part completes a candidate of a task that is a kernel only. */
export function defaultHostOf(task: Task, suites: readonly ResolvedSuite[], shared: SharedTasks): string | undefined {
  const folder = folderOf(task, suites)
  if (!folder) return undefined
  const named = join(folder, task.suite, task.name)
  if (existsSync(named)) return named
  const others = suites.filter(({ name, baseline }) => baseline === folder && name !== task.suite)
  return others.length > 0 && shared[task.name] ? undefined : join(folder, task.name)
}

const folderOf = ({ suite }: Task, suites: readonly ResolvedSuite[]): string | null | undefined =>
  suites.find(({ name }) => name === suite)?.baseline
