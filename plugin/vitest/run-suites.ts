import { sharedTasks, suitesOf, type ResolvedSuite, type SharedTasks, type SuiteOptions } from '../suites/index.ts'

/** The suites of a run, and the names of tasks that several of them have. */
export interface RunSuites {
  suites: ResolvedSuite[]
  shared: SharedTasks
}

const known = new Map<string, RunSuites>()

/** Finds out once for all projects of a run: the specs of several suites have to be read for it. */
export function runSuites(options: SuiteOptions, root: string): RunSuites {
  const suites = suitesOf(options, root)
  const key = JSON.stringify(suites)
  const found = known.get(key) ?? { suites, shared: sharedTasks(suites) }
  known.set(key, found)
  return found
}

/** Looks at the specs again where a run begins anew, after an edit of the configuration for instance. */
export const forgetSuites = (): void => known.clear()
