import { foldersOf } from '../candidates/folder.ts'
import { stages } from '../ledger/index.ts'
import { dtypeNames } from '../model/index.ts'
import { specFolders, type ResolvedSuite } from '../suites/index.ts'

/** `TensorCreation` and `tensor creation` become `tensor-creation`: tags hold no blanks and no operators. */
export const tagOf = (kind: 'stage' | 'category' | 'dtype', name: string): string =>
  `${kind}/${name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase()}`

/**
 * Every tag a suite may use, for `--tags-filter`. Vitest wants them declared before it reads a spec, so categories are
 * the folders below those of the groups.
 */
export function declaredTags(suites: readonly ResolvedSuite[]): string[] {
  const categories = new Set(suites.flatMap(specFolders).flatMap(({ path }) => listOf(path)))
  return [
    ...stages.map((stage) => tagOf('stage', stage)),
    ...[...categories].map((category) => tagOf('category', category)),
    ...dtypeNames.map((dtype) => tagOf('dtype', dtype)),
  ]
}

/** No folder, no tags: the specs of a user's own projects may lie anywhere. */
function listOf(path: string): string[] {
  try {
    return foldersOf(path)
  } catch {
    return []
  }
}
