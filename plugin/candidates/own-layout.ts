import { basename, join } from 'node:path'
import { foldersOf } from './folder.ts'
import { isProject, merge, readProject, type Found } from './project.ts'

/**
 * `<Operator>/op_kernel` (one sample, named after the folder that was searched) and `<Operator>/<sample>/op_kernel`.
 * `path` is the operator's folder.
 */
export function readOperator(path: string, task: string, label: string): Found {
  const nested = foldersOf(path)
    .filter((name) => isProject(join(path, name)))
    .map((name) => readProject(join(path, name), task, name))
  const parts = isProject(path) ? [readProject(path, task, label), ...nested] : nested
  if (parts.length > 0) return merge(parts)
  return { samples: [], ignored: [{ path, reason: `neither ${basename(path)}/op_kernel nor a sample with op_kernel` }] }
}
