import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { hashOf } from '../cache/hash.ts'
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
  /** hash of names and contents */
  key: string
  /** what a tool may read, absolute; everything below the root when absent */
  readable?: string[]
}

/** Raised when a candidate's files cannot be read as sources. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

const sourceName = /\.(?:h|hh|hpp|hxx|inc|inl|ipp|tpp|def|c|cc|cpp|cxx)$|(?:^|\/)CMakeLists\.txt$/
const skipped = /(?:^|\/)(?:node_modules|\.[^/]+)(?:\/|$)/
const maxFiles = 4000
const maxBytes = 64 << 20

export const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

/** Reads every C++ source below `folder`. Links that leave the folder are not followed. Throws `SourceError`. */
export async function readSourceTree(folder: string, mark: string): Promise<SourceTree> {
  const root = await realpath(folder).catch((error: unknown) => {
    throw new SourceError(`cannot read ${folder}: ${messageOf(error)}`)
  })
  const names = (await readdir(root, { recursive: true })).filter(
    (name) => sourceName.test(name) && !skipped.test(name),
  )
  if (names.length > maxFiles) throw new SourceError(`${folder} holds more than ${maxFiles} source files`)
  const files: SourceFile[] = []
  let bytes = 0
  for (const name of names.sort()) {
    const path = join(root, name)
    const target = await realpath(path).catch(() => null)
    if (target === null || !isInside(target, root) || !(await stat(target)).isFile()) continue
    const text = await readFile(target).catch((error: unknown) => {
      throw new SourceError(`cannot read ${join(folder, name)}: ${messageOf(error)}`)
    })
    bytes += text.length
    if (bytes > maxBytes) throw new SourceError(`the sources below ${folder} exceed ${maxBytes >> 20} MiB`)
    files.push({ name, text })
  }
  return { root, mark, files, key: hashOf(...files.flatMap((file) => [file.name, file.text])) }
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
