import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { isFixedCase, roleOf } from '../candidates/index.ts'
import {
  FileError,
  foldersAbove,
  isOddName,
  isSkipped,
  listBelow,
  makeFolder,
  maxSources,
  readRegular,
  shownName,
} from '../files/index.ts'
import { codeOf } from '../model/index.ts'

/** One attempt at a task as a source of samples holds it. */
export interface ImportedSample {
  task: string
  /** where several suites have a task of that name */
  suite?: string | undefined
  sample: string
  /** who wrote it; null: nobody says */
  model: string | null
  /** relative path, with `/`, to content: `op_kernel/add.cpp` */
  files: ReadonlyMap<string, string | Buffer>
}

/** What was found at one place of a source: a sample, or why there is none, in one line. */
export type Finding = { place: string } & ({ sample: ImportedSample } | { reason: string })

/** Of one file, and of a sample: operators have some hundred kilobytes. */
export const maxFileBytes = 16 << 20
const maxSampleBytes = 64 << 20
/** Bytes: file systems take 255. */
const maxName = 200

/** Why nothing can be called so in a folder of candidates; undefined: it can. */
export function problemOfName(name: string): string | undefined {
  const isBad =
    name === '' || Buffer.byteLength(name) > maxName || /[/\\]/.test(name) || isSkipped(name) || isOddName(name)
  return isBad ? `${shownName(name).slice(0, 80)} is no name for a folder` : undefined
}

/** Why a file cannot have this path below the folder of a sample; undefined: it can. */
export function problemOfPath(path: string): string | undefined {
  const parts = path.split('/')
  if (parts.length <= 16 && parts.every((part) => problemOfName(part) === undefined)) return undefined
  return `${shownName(path).slice(0, 80)} is no path below the folder of a sample`
}

/** Why this cannot be a sample; undefined: it can be one. */
export function problemOf({ task, suite, sample, model, files }: ImportedSample): string | undefined {
  const names = [task, sample, suite, model].filter((name) => typeof name === 'string')
  const problem = [...names.map(problemOfName), ...[...files.keys()].map(problemOfPath)].find(
    (one) => one !== undefined,
  )
  if (problem !== undefined) return problem
  const split = names.find((name) => name.includes('='))
  if (split !== undefined) return `${split} is no name for a folder: compilers take no = in a path`
  const taken = names.find((name) => roleOf(name) !== undefined)
  if (taken !== undefined) return `nothing can be called ${taken}: that is the folder of ${roleOf(taken)}`
  if (isFixedCase(sample)) return `no sample can be called ${sample}: that is the folder of samples for one static case`
  const folders = new Set([...files.keys()].flatMap(foldersAbove))
  const both = [...files.keys()].find((path) => folders.has(path))
  if (both !== undefined) return `${shownName(both)} is a file and a folder`
  if (files.size > maxSources) return `has ${files.size} files: at most ${maxSources}`
  const sizes = [...files.values()].map((content) => Buffer.byteLength(content))
  if (Math.max(0, ...sizes) > maxFileBytes || sizes.reduce((sum, size) => sum + size, 0) > maxSampleBytes)
    return 'is larger than the sources of an operator can be'
  if (![...files.keys()].some((path) => /^op_kernel\/[^/]+\.cpp$/.test(path))) return 'has no .cpp file in op_kernel'
  return undefined
}

const digestOf = (files: ReadonlyMap<string, string | Buffer>): string => {
  const hash = createHash('sha256')
  for (const [path, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`${path}\0${Buffer.byteLength(content)}\0`).update(content)
  return hash.digest('hex')
}

const filesBelow = (folder: string): Map<string, Buffer> =>
  new Map(
    listBelow(folder)
      .filter(({ kind }) => kind === 'file')
      .map(({ name }) => [name, readRegular(join(folder, name), maxFileBytes)]),
  )

function isSame(folder: string, files: ReadonlyMap<string, string | Buffer>): boolean {
  try {
    return digestOf(filesBelow(folder)) === digestOf(files)
  } catch (error) {
    // nothing that was imported
    if (error instanceof FileError) return false
    throw error
  }
}

/** The folder of a sample: `<out>/<model>/<suite>/<task>/<sample>`, without model and suite `<out>/<task>/<sample>`. */
export const placeOf = (out: string, { model, suite, task, sample }: ImportedSample): string =>
  join(out, model ?? '', suite ?? '', task, sample)

/**
 * Writes a sample where candidates are looked for ({@link placeOf}). It is there as a whole or not at all, and nothing is
 * overwritten: `same` when it is there already, `taken` when another one is. Throws what the file system says.
 */
export function writeSample(out: string, imported: ImportedSample): 'written' | 'same' | 'taken' {
  const { files } = imported
  const folder = placeOf(out, imported)
  const taken = (): 'same' | 'taken' => (isSame(folder, files) ? 'same' : 'taken')
  // in another sample, the files of one would be sources of both
  if (foldersAbove(relative(out, folder)).some((above) => existsSync(join(out, above, 'op_kernel')))) return 'taken'
  if (existsSync(folder)) return taken()
  makeFolder(dirname(folder))
  const draft = mkdtempSync(join(dirname(folder), '.import-'))
  try {
    for (const [path, content] of files) {
      mkdirSync(dirname(join(draft, path)), { recursive: true })
      writeFileSync(join(draft, path), content)
    }
    renameSync(draft, folder)
    return 'written'
  } catch (error) {
    if (existsSync(folder) && (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST')) return taken()
    throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}
