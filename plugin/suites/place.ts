import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const packagedTasks = fileURLToPath(new URL('../../tasks', import.meta.url))

/** Absolute folder of the specs: the one that is named, else `tasks` of the project, else the tasks of this package. */
export function tasksFolder(named: string | undefined, root: string): string {
  if (named !== undefined) return resolve(root, named)
  const own = resolve(root, 'tasks')
  return existsSync(own) ? own : packagedTasks
}
