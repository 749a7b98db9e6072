import { readdirSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../model/index.ts'
import { isOddName, isSkipped, shownName } from './name.ts'
import { FileError } from './read.ts'

/** One entry below a folder. */
export interface Listed {
  /** relative to the folder */
  name: string
  kind: 'file' | 'folder' | 'link' | 'other'
  /** its name, or that of a folder around it, is not one that files of a candidate can have */
  odd: boolean
}

/** Folders within folders, and entries of all of them: real operators have 4 and some hundreds. */
const maxDepth = 32
const maxEntries = 20_000

/**
 * Everything below a folder, sorted by name, by listing alone: nothing is opened and no link is followed. What has an odd
 * name is listed, and nothing below it; what is skipped ({@link isSkipped}) only where `withSkipped` says so, in the same way.
 * Throws {@link FileError} for a folder that cannot be listed, and where there is more than any operator has.
 */
export function listBelow(folder: string, { withSkipped = false } = {}): Listed[] {
  const all: Listed[] = []
  const walk = (inside: string, depth: number): void => {
    if (depth > maxDepth)
      throw new FileError(`${shownName(folder)} has folders deeper than ${maxDepth}: remove ${shownName(inside)}`)
    for (const entry of entriesOf(join(folder, inside))) {
      const text = entry.name.toString()
      const skipped = isSkipped(text)
      if (skipped && !withSkipped) continue
      if (all.length === maxEntries)
        throw new FileError(
          `${shownName(folder)} holds more than ${maxEntries} files: leave what is no source elsewhere`,
        )
      const name = join(inside, text)
      const odd = isOddName(entry.name)
      all.push({ name, kind: kindOf(entry), odd })
      if (entry.isDirectory() && !odd && !skipped) walk(name, depth + 1)
    }
  }
  walk('', 1)
  return all.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function entriesOf(folder: string): Dirent<Buffer>[] {
  try {
    return readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })
  } catch (error) {
    throw new FileError(`cannot read ${shownName(folder)}: ${messageOf(error)}`)
  }
}

function kindOf(entry: Dirent<Buffer>): Listed['kind'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}
