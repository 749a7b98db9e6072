import { join } from 'node:path'
import type { Sample } from '../model/index.ts'
import { entriesOf, FolderError } from './folder.ts'

const source = /\.(cpp|cc|cxx|h|hpp|inl)$/

/** true for the name of a C++ file that a candidate may consist of. */
export const isSource = (path: string): boolean => source.test(path)

/**
 * Absolute paths of a candidate's C++ files, kernels first. Links are not followed; an unreadable folder holds none.
 */
export const sourcesOf = (sample: Sample): string[] => [
  ...walk(sample.kernelDir),
  ...(sample.hostDir ? walk(sample.hostDir) : []),
]

function walk(folder: string): string[] {
  try {
    return entriesOf(folder).flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return walk(path)
      return entry.isFile() && isSource(entry.name) ? [path] : []
    })
  } catch (error) {
    if (error instanceof FolderError) return []
    throw error
  }
}
