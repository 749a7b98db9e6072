import { realpath } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { hashOf } from '../cache/hash.ts'
import {
  FileError,
  isInside,
  isSkipped,
  isSource,
  listBelow,
  maxSources,
  megabytes,
  readRegular,
  shownName,
  type Listed,
} from '../files/index.ts'
import { messageOf } from '../model/index.ts'

export interface SourceFile {
  /** relative to the root */
  name: string
  text: Buffer
}

/** All sources below one folder of a candidate. `mark` stands for the folder wherever its place on disk must not matter. */
export interface SourceTree {
  /** absolute, symbolic links resolved */
  root: string
  mark: string
  files: SourceFile[]
  /** kinds and names of all else that lies there: a source may ask for it by `__has_include`, however that word is put together */
  others?: readonly string[]
  /** hash of names and contents, and of the names of others */
  key: string
  /** what a tool may read, absolute; everything below the root when absent */
  readable?: string[]
}

const maxBytes = 64 << 20
/** Of one source: nobody writes longer ones, and all of them are searched. */
const maxSourceBytes = 4 << 20

/** What a tree is read for. */
export interface TreeOptions {
  /**
   * Folders in the tree, absolute and real, that are the candidate's alone: whatever else lies in them than regular files
   * with plain names is refused. Elsewhere, where people keep what is none of their operator, it is left out.
   */
  own?: readonly string[]
}

/**
 * Reads every C++ source below `folder`; links are followed within it. Throws `FileError` for what cannot be read as a
 * source, before anything is opened.
 */
export async function readSourceTree(folder: string, mark: string, options: TreeOptions = {}): Promise<SourceTree> {
  const root = await realpath(folder).catch((error: unknown) => {
    throw new FileError(`cannot read ${shownName(folder)}: ${messageOf(error)}`)
  })
  const { own = [root] } = options
  const all = listBelow(root, { withSkipped: true })
  const listed = all.filter(({ name }) => !isSkipped(basename(name)))
  const links = await linksOf(root, listed)
  for (const entry of listed) check(root, entry, { own, links })
  const places = new Set(listed.flatMap(({ name, kind }) => (kind === 'file' ? [join(root, name)] : [])))
  const sources = listed.filter(
    ({ name, odd }) => isSource(name) && !odd && places.has(links.get(name) ?? join(root, name)),
  )
  if (sources.length > maxSources)
    throw new FileError(`${shownName(folder)} holds more than ${maxSources} source files`)
  const files: SourceFile[] = []
  let bytes = 0
  for (const { name } of sources) {
    const text = readRegular(links.get(name) ?? join(root, name), maxSourceBytes)
    bytes += text.length
    if (bytes > maxBytes) throw new FileError(`the sources below ${shownName(folder)} exceed ${megabytes(maxBytes)}`)
    files.push({ name, text })
  }
  const known = new Set(files.map(({ name }) => name))
  const others = options.own ? all.flatMap(({ name, kind }) => (known.has(name) ? [] : [`${kind} ${name}`])) : []
  const key = hashOf(...files.flatMap((file) => [file.name, file.text]), ...others)
  return { root, mark, files, others, key }
}

/** Where the links below a folder lead that stay in it, by their name. */
async function linksOf(root: string, listed: readonly Listed[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const { name } of listed.filter(({ kind, odd }) => kind === 'link' && !odd)) {
    const target = await realpath(join(root, name)).catch(() => null)
    if (target !== null && isInside(target, root)) found.set(name, target)
  }
  return found
}

function check(
  root: string,
  { name, kind, odd }: Listed,
  { own, links }: { own: readonly string[]; links: ReadonlyMap<string, string> },
): void {
  // the compiler would wait for it, wherever an include finds it
  if (kind === 'other') throw new FileError(`${shownName(name)} is no regular file: remove it`)
  if (!own.some((folder) => isInside(join(root, name), folder))) return
  if (odd) throw new FileError(`${shownName(name)} has a name that no source may have: rename it`)
  if (kind === 'link' && !links.has(name))
    throw new FileError(`${shownName(name)} links to a place outside of the candidate: put a copy there`)
}

/** Text in which the folders of the trees are replaced by their marks, so that it is the same wherever they lie. */
export const withMarks = (text: string, trees: readonly Pick<SourceTree, 'root' | 'mark'>[]): string =>
  trees.reduce((all, { root, mark }) => all.replaceAll(root, mark), text)

const foreignFolder = /(?:^|\/)arch(?:10|20|30|31|35|38|50|51)(?:\/|$)/

/** True for files in folders that operator repositories keep for other devices than Atlas A2 (`arch22`, `arch32`). */
export const isForeignArch = (name: string): boolean => foreignFolder.test(name)

/** The files of a tree that lie below `folder` (absolute), by their path relative to it. */
export function filesBelow(tree: SourceTree, folder: string): SourceFile[] {
  const prefix = relative(tree.root, folder)
  return tree.files.filter((file) => prefix === '' || file.name.startsWith(prefix + sep))
}
