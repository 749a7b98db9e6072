import { join } from 'node:path'
import { foldersOf } from '../candidates/folder.ts'
import { stages } from '../ledger/index.ts'
import { dtypeNames } from '../model/index.ts'

/** `TensorCreation` and `tensor creation` become `tensor-creation`: tags hold no blanks and no operators. */
export const tagOf = (kind: 'stage' | 'category' | 'dtype', name: string): string =>
  `${kind}/${name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase()}`

/**
 * Every tag a suite may use, for `--tags-filter`. Vitest wants them declared before it reads a spec, so categories are
 * the folders below `<tasks>/<level>/`.
 */
export function declaredTags(tasks: string, levels: readonly string[]): string[] {
  const categories = new Set(levels.flatMap((level) => listOf(join(tasks, level))))
  return [
    ...stages.map((stage) => tagOf('stage', stage)),
    ...[...categories].map((category) => tagOf('category', category)),
    ...dtypeNames.map((dtype) => tagOf('dtype', dtype)),
  ]
}

/** No folder, no tags: a user's own projects need not have levels. */
function listOf(path: string): string[] {
  try {
    return foldersOf(path)
  } catch {
    return []
  }
}
