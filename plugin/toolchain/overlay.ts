import { link, mkdir, readdir, realpath, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FileError, isInside, isSkipped, shownName } from '../files/index.ts'
import { reading } from './reading-time.ts'
import type { SourceTree } from './sources.ts'
import { isGarbled } from './text.ts'

/**
 * Makes a view of the trees below `folder`, each file under its whole path, in which files are changed: every include finds there
 * what it would find in the trees themselves, from whichever file and by whichever folder. What is the same is linked. False, and
 * nothing is written, where no file is changed.
 */
export async function viewOf(
  trees: readonly SourceTree[],
  folder: string,
  change: (source: string) => string,
): Promise<boolean> {
  const copies = reading('kernel', () => changed(trees, change))
  if (copies.size === 0) return false
  const made = new Map<string, string>()
  for (const entry of trees.flatMap(entriesOf)) {
    try {
      await place(entry, { copies, made }, folder)
    } catch (error) {
      if (codeOf(error) !== 'ENAMETOOLONG') throw error
      throw new FileError(`${shownName(basename(entry.path))} lies too deep: shorten its path`)
    }
  }
  return true
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

interface Entry {
  root: string
  /** absolute */
  path: string
  isFolder: boolean
}

async function place(
  { root, path, isFolder }: Entry,
  { copies, made }: { copies: ReadonlyMap<string, string>; made: Map<string, string> },
  folder: string,
): Promise<void> {
  const there = join(folder, path)
  await mkdir(isFolder ? there : dirname(there), { recursive: true })
  if (isFolder) return
  const real = await realpath(path).catch(() => path)
  const isLink = real !== path && isInside(real, root)
  const copy = isLink ? undefined : copies.get(path)
  // a link stays one to the same file, which may have a copy
  try {
    if (copy === undefined) await symlink(isLink ? join(folder, real) : real, there)
    else await writeCopy(path, copy, { there, made })
  } catch (error) {
    // two trees may hold the same file
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** Names of one file stay that: compilers read a file once that says so, and g++ goes by its time. `made`: copies by their file. */
async function writeCopy(
  path: string,
  copy: string,
  { there, made }: { there: string; made: Map<string, string> },
): Promise<void> {
  const { dev, ino, atime, mtime } = await stat(path)
  const file = `${dev} ${ino}`
  const known = made.get(file)
  if (known !== undefined) return await link(known, there)
  await writeFile(there, copy)
  await utimes(there, atime, mtime)
  made.set(file, there)
}

function changed(trees: readonly SourceTree[], change: (source: string) => string): Map<string, string> {
  const copies = new Map<string, string>()
  for (const { root, files } of trees) {
    for (const { name, text } of files) {
      const source = text.toString('utf8')
      const copy = change(source)
      if (copy === source) continue
      if (isGarbled(text)) throw new FileError(`${shownName(name)} is no UTF-8: save it as such`)
      copies.set(join(root, name), copy)
    }
  }
  return copies
}

/** All that lies in a tree: what is no source may be asked for, too. What is skipped is linked as a whole. */
function entriesOf({ root, files, others = [] }: SourceTree): Entry[] {
  const listed = others.map((other) => {
    const name = other.slice(other.indexOf(' ') + 1)
    return { name, isFolder: other.startsWith('folder ') && !isSkipped(basename(name)) }
  })
  const sources = files.map(({ name }) => ({ name, isFolder: false }))
  return [...sources, ...listed].map(({ name, isFolder }) => ({ root, path: join(root, name), isFolder }))
}

/** A folder that is searched, in the view of the trees where it is a part of one. */
export async function folderInView(path: string, trees: readonly SourceTree[], view: string): Promise<string> {
  const real = await realpath(path).catch(() => path)
  return trees.some(({ root }) => isInside(real, root)) ? join(view, real) : path
}

/** Makes a folder of links to all that lies in another one: g++ searches a folder once, where it comes last. */
export async function linksTo(folder: string, path: string): Promise<void> {
  await mkdir(path)
  for (const name of await readdir(folder)) await symlink(join(folder, name), join(path, name))
}
