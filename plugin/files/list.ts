import { isUtf8 } from 'node:buffer'
import { readdirSync, type Dirent } from 'node:fs'
import { join, sep } from 'node:path'
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
  /** the name itself where that is no UTF-8 */
  bytes?: Buffer
}

/** What is listed beside what can be a part of a candidate. */
export interface ListOptions {
  /** what {@link isSkipped} tells, and nothing below it */
  withSkipped?: boolean
  /** the same, and all that lies below it */
  belowSkipped?: boolean
  /** what lies below folders with odd names */
  belowOdd?: boolean
}

/** Folders within folders, and entries of all of them: real operators have 4 and some hundreds. */
const maxDepth = 32
const maxEntries = 20_000
/** With what is skipped: packages that are installed there have very many. */
const maxSkipped = 200_000

/**
 * Everything below a folder, sorted by name, by listing alone: nothing is opened and no link is followed. What has an odd
 * name is listed, and what is below it only where the options say so. Throws {@link FileError} for a folder that cannot be
 * listed, and where there is more than any operator has.
 */
export function listBelow(
  folder: string,
  { withSkipped = false, belowSkipped = false, belowOdd = false }: ListOptions = {},
): Listed[] {
  const all: Listed[] = []
  const most = belowSkipped ? maxSkipped : maxEntries
  const walk = (around: Listed | undefined, depth: number): void => {
    if (depth > maxDepth)
      throw new FileError(
        `${shownName(folder)} has folders deeper than ${maxDepth}: remove ${shownName(around?.name ?? '')}`,
      )
    for (const entry of entriesOf(around === undefined ? folder : pathOf(folder, around))) {
      const text = entry.name.toString()
      const skipped = isSkipped(text)
      if (skipped && !withSkipped && !belowSkipped) continue
      if (all.length === most)
        throw new FileError(`${shownName(folder)} holds more than ${most} files: leave what is no source elsewhere`)
      const listed = listedIn(around, entry)
      all.push(listed)
      if (entry.isDirectory() && (belowSkipped || !skipped) && (belowOdd || !listed.odd)) walk(listed, depth + 1)
    }
  }
  walk(undefined, 1)
  return all.sort((a, b) => (a.name < b.name ? -1 : 1))
}

function listedIn(around: Listed | undefined, entry: Dirent<Buffer>): Listed {
  const name = join(around?.name ?? '', entry.name.toString())
  const odd = around?.odd === true || isOddName(entry.name)
  const isText = around?.bytes === undefined && isUtf8(entry.name)
  const inside = around === undefined ? [] : [around.bytes ?? Buffer.from(around.name), Buffer.from(sep)]
  return { name, kind: kindOf(entry), odd, ...(!isText && { bytes: Buffer.concat([...inside, entry.name]) }) }
}

/** The path of what was listed below a folder, whatever its name is. */
export const pathOf = (folder: string, { name, bytes }: Listed): string | Buffer =>
  bytes === undefined ? join(folder, name) : Buffer.concat([Buffer.from(folder + sep), bytes])

function entriesOf(folder: string | Buffer): Dirent<Buffer>[] {
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
