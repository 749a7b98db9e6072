import {
  sharedTasks,
  suitesByTask,
  suitesOf,
  type ResolvedSuite,
  type SharedTasks,
  type SuiteOptions,
} from '../suites/index.ts'

/** The suites of a run, and what their tasks are called. */
export interface RunSuites {
  suites: ResolvedSuite[]
  /** those of a name that several suites have */
  shared: SharedTasks
  /** all of them */
  tasks: string[]
}

const known = new Map<string, RunSuites>()

/** Finds out once for all projects of a run: the specs of several suites have to be read for it. */
export function runSuites(options: SuiteOptions, root: string): RunSuites {
  const suites = suitesOf(options, root)
  const key = JSON.stringify(suites)
  const found = known.get(key)
  if (found) return found
  const owners = suitesByTask(suites)
  const run: RunSuites = { suites, shared: sharedTasks(owners), tasks: [...owners.keys()] }
  known.set(key, run)
  return run
}

/** Looks at the specs again where a run begins anew, after an edit of the configuration for instance. */
export const forgetSuites = (): void => known.clear()
