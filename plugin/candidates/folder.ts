import { existsSync, readdirSync, realpathSync, statSync, type Dirent } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isInside, isSkipped } from '../files/index.ts'

/** A folder that could not be listed; `message` is one line a person can act on. */
export class FolderError extends Error {
  override name = 'FolderError'
}

const reasons: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'is not a folder',
  EACCES: 'cannot be read (permission denied)',
  ELOOP: 'is a symbolic link that leads nowhere',
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

/** Entries of a folder, sorted by name so that every machine sees the same order. Throws {@link FolderError}. */
export function entriesOf(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    const code = codeOf(error)
    throw new FolderError(reasons[code] ?? `cannot be read (${code})`, { cause: error })
  }
}

/** Names of the visible sub-folders. Links are followed here, as people link checkouts into a candidate folder. */
export function foldersOf(path: string): string[] {
  return entriesOf(path)
    .filter((entry) => !isSkipped(entry.name))
    .filter((entry) => entry.isDirectory() || (entry.isSymbolicLink() && isFolder(join(path, entry.name))))
    .map((entry) => entry.name)
}

/** Names of the files of a folder. */
export const filesOf = (path: string): string[] =>
  entriesOf(path)
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)

/** true for a folder or a link to one; a broken link or an unreadable parent is no folder. */
export const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory()

/**
 * The real place of a file or folder, links resolved: where candidates lie is told by real paths alone. Of what is gone
 * it is the place where it would be.
 */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path))
  }
}

/** Does this path lead to that folder, or lie in it? */
export const isOnTheWay = (path: string, folder: string): boolean => isInside(path, folder) || isInside(folder, path)
