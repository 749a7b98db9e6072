import { isUtf8 } from 'node:buffer'
import { statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { hashOf } from '../cache/hash.ts'
import {
  escapeRegExp,
  FileError,
  isInside,
  isSkipped,
  isSource,
  listBelow,
  maxSources,
  megabytes,
  pathOf,
  readRegular,
  shownName,
  type Listed,
} from '../files/index.ts'
import { messageOf } from '../model/index.ts'
import type { Compiler } from './compiler.ts'

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
  /**
   * Kinds and names of all else that lies there, and where links lead: a source may ask for it by `__has_include`, however that
   * word is put together.
   */
  others?: readonly string[]
  /** hash of names and contents, and of others */
  key: string
  /** what a tool may read, absolute; everything below the root when absent */
  readable?: string[]
}

const maxBytes = 8 << 20
/** Of one source: nobody writes longer ones, and all of them are searched. */
const maxSourceBytes = 2 << 20

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
  const all = listBelow(root, { withSkipped: true, belowOdd: true })
  const listed = all.filter(({ name }) => !isSkipped(basename(name)))
  const leads = await leadsOf(root, all)
  const links = linksWithin(root, leads)
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
  const unread = all.filter(({ name }) => !known.has(name)).map((entry) => toldEntry(entry))
  const others = options.own ? [...unread, ...leads.map((lead) => toldLead(root, lead))] : []
  const key = hashOf(
    files.flatMap((file) => [file.name, file.text]),
    others,
  )
  return { root, mark, files, others, key }
}

/** A name as a part of a key: what is no UTF-8 has one as well, which is none of another. */
const exact = (bytes: Buffer): string => (isUtf8(bytes) ? bytes.toString() : `\0${bytes.toString('hex')}`)

const exactName = ({ name, bytes }: Listed): string => (bytes === undefined ? name : exact(bytes))

const toldEntry = (entry: Listed): string => `${entry.odd ? 'odd ' : ''}${entry.kind} ${exactName(entry)}`

/** A link, and the real path that it leads to; null: it leads nowhere. */
interface Lead {
  link: Listed
  target: Buffer | null
}

const leadsOf = async (root: string, all: readonly Listed[]): Promise<Lead[]> =>
  await Promise.all(
    all
      .filter(({ kind }) => kind === 'link')
      .map(async (link) => ({ link, target: await realpath(pathOf(root, link), 'buffer').catch(() => null) })),
  )

/** Where links lead that stay in the folder, by their names, for those that can be a part of a candidate. */
function linksWithin(root: string, leads: readonly Lead[]): Map<string, string> {
  const found = new Map<string, string>()
  for (const { link, target } of leads) {
    const path = target?.toString()
    if (!link.odd && path !== undefined && isInside(path, root)) found.set(link.name, path)
  }
  return found
}

/** Of a link its name says little: what a source finds below it, or reads twice by it, follows from where it leads. */
const toldLead = (root: string, { link, target }: Lead): string => {
  if (target === null) return JSON.stringify(['link', exactName(link)])
  const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory() ?? false
  return JSON.stringify(['link', exactName(link), isFolder, relative(root, exact(target))])
}

/**
 * Sources that a compiler takes for one where `#pragma once` says that it is to be read once. For clang these are the names of one
 * file, for g++ files of the same content that were changed in the same second.
 */
export function sameFiles(trees: readonly SourceTree[], family: Compiler['family']): string[] {
  const all = trees.flatMap(({ root, mark, files }) =>
    files.map(({ name, text }) => ({ path: join(root, name), name: `${mark}/${name}`, text })),
  )
  const lengths = new Map<number, number>()
  for (const { text } of all) lengths.set(text.length, (lengths.get(text.length) ?? 0) + 1)
  const first = new Map<string, string>()
  return all.flatMap(({ path, name, text }) => {
    // files of different contents are not the same, and of nothing it does not matter how often it is read
    if (text.length === 0 || lengths.get(text.length) === 1) return []
    const facts = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (facts === undefined) return []
    const { dev, ino, mtimeNs } = facts
    const file = family === 'clang' ? `${dev} ${ino}` : `${mtimeNs / 1_000_000_000n} ${hashOf(text)}`
    const known = first.get(file)
    if (known === undefined) first.set(file, name)
    return known === undefined ? [] : [JSON.stringify(['same', known, name])]
  })
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

type Place = Pick<SourceTree, 'root' | 'mark'>

/**
 * Text in which the folders of the trees are replaced by their marks, so that it is the same wherever they lie. A mark that was
 * written there is spelled otherwise: it names another place.
 */
export function withMarks(text: string, trees: readonly Place[]): string {
  const words = [...trees.map(({ root }) => root), ...trees.map(({ mark }) => mark), '\0']
  const pattern = new RegExp(words.map(escapeRegExp).join('|'), 'g')
  return text.replace(pattern, (word) => trees.find(({ root }) => root === word)?.mark ?? `\0${word.slice(1)}\0`)
}

/** Macros by whose values a source can tell where a tree lies: their marks are not all of them. */
export const tellingPlaces = (defines: readonly string[], trees: readonly Place[]): string[] =>
  defines.filter((define) => trees.some(({ root }) => define.includes(root)))

const foreignFolder = /(?:^|\/)arch(?:10|20|30|31|35|38|50|51)(?:\/|$)/

/** True for files in folders that operator repositories keep for other devices than Atlas A2 (`arch22`, `arch32`). */
export const isForeignArch = (name: string): boolean => foreignFolder.test(name)

/** The files of a tree that lie below `folder` (absolute), by their path relative to it. */
export function filesBelow(tree: SourceTree, folder: string): SourceFile[] {
  const prefix = relative(tree.root, folder)
  return tree.files.filter((file) => prefix === '' || file.name.startsWith(prefix + sep))
}
