import { once } from 'node:events'
import {
  closeSync,
  createReadStream,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { crc32, createInflateRaw } from 'node:zlib'
import { list, type ReadEntry } from 'tar'
import { openPromise } from 'yauzl'
import { isSkipped, shownName } from '../files/index.ts'
import { messageOf } from '../model/index.ts'
import { maxFileBytes, problemOfPath, type Finding } from './sample.ts'
import { isSourceFile } from './source-name.ts'

/** What an archive unpacks to, at most, and how many of its refused entries are told. */
const most = { bytes: 2 ** 30, entries: 100_000, told: 100 }
type Most = typeof most

/** An archive that unpacks to more than any set of samples has. */
export class TooLargeError extends Error {
  override name = 'TooLargeError'
}

/** How much has come out of an archive. Throws {@link TooLargeError} when it is too much. */
class Budget {
  readonly #most: Most
  #bytes = 0
  #entries = 0
  readonly #folders = new Set<string>()

  constructor(limits: Most) {
    this.#most = limits
  }

  take(bytes: number): void {
    this.#bytes += bytes
    this.#entries++
    this.#check()
    this.allow(this.#bytes)
  }

  /** Those around a file: each costs as much as an entry does. */
  takeFolders(path: string): void {
    for (let folder = dirname(path); folder !== '.' && !this.#folders.has(folder); folder = dirname(folder))
      this.#folders.add(folder)
    this.#check()
  }

  #check(): void {
    if (Math.max(this.#entries, this.#folders.size) > this.#most.entries) throw this.#exceeded()
  }

  /** Of the whole of what is unpacked, with what is between its files. */
  allow(bytes: number): void {
    if (bytes > this.#most.bytes) throw this.#exceeded()
  }

  #exceeded(): Error {
    return new TooLargeError(
      `unpacks to more than ${this.#most.bytes / 2 ** 30} GiB or ${this.#most.entries} entries or folders: split it`,
    )
  }
}

export const isArchive = (path: string): boolean => /\.(?:zip|tar|tar\.gz|tgz)$/i.test(path)

/** Where a link leads in the place of a source that was refused: the sample that it belongs to would be another one without it. */
export const leftOut = '/dev/null/left-out'

/**
 * Unpacks what can be a source of a zip or tar archive into a folder; of other files, the folders around them alone. What is left
 * out, and why an archive was read in part only, comes back: an entry whose name leads out of the folder, a link, a file larger
 * than a source can be. In the place of a source there is a link to {@link leftOut} then. Throws {@link TooLargeError}, before anything of it is unpacked.
 */
export async function unpack(path: string, shown: string, folder: string, limits = most): Promise<Finding[]> {
  const findings: Finding[] = []
  let refused = 0
  const tell = (name: string, reason: string): void => {
    if (++refused > limits.told) return
    findings.push({ place: `${shown}: ${shownName(name).slice(0, 120)}`, reason })
  }
  const refuse = (name: string, reason: string): void => {
    tell(name, reason)
    if (problemOfPath(name) !== undefined || !isSourceFile(name)) return
    try {
      place(name, (target) => symlinkSync(leftOut, target))
    } catch {
      // a file is where its folder would be, or a folder in its place: neither is a sample
    }
  }
  const place = (name: string, put: (target: string) => void): void => {
    const target = join(folder, name)
    mkdirSync(dirname(target), { recursive: true })
    rmSync(target, { force: true })
    put(target)
  }
  const kept = new Set<string>()
  const keep = (name: string, content: Buffer): void => {
    if (!isSourceFile(name)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      return
    }
    place(name, (target) => writeFileSync(target, content))
    if (kept.has(name)) tell(name, 'is there more than once: the last is kept')
    kept.add(name)
  }
  const copy = (name: string, from: string): void => keep(name, readFileSync(join(folder, from)))
  const read = /\.zip$/i.test(path) ? unzip : untar
  try {
    // files on a disk cost far more than names that are read
    await read(path, new Budget(limits))
  } catch (error) {
    // how far it can be read is seen again below
    if (error instanceof TooLargeError) throw error
  }
  try {
    await read(path, new Budget(limits), { refuse, keep, copy })
  } catch (error) {
    findings.push({ place: shown, reason: `cannot be unpacked to its end: ${messageOf(error)}` })
  }
  const untold = refused - limits.told
  if (untold > 0) findings.push({ place: shown, reason: `${untold} more entries are refused` })
  return findings
}

type Refuse = (name: string, reason: string) => void
type Keep = (name: string, content: Buffer) => void
interface Sink {
  refuse: Refuse
  keep: Keep
  /** what is kept under one name, under another one as well */
  copy: (name: string, from: string) => void
}

const problemOfEntry = (name: string, bytes: number): string | undefined => {
  if (problemOfPath(name) !== undefined) return 'is no path below a folder'
  return bytes > maxFileBytes && isSourceFile(name) ? `is larger than ${maxFileBytes / 2 ** 20} MiB` : undefined
}

/** Is this what a folder that is read would hold unseen? What leads out of it is told. */
const isHidden = (name: string): boolean =>
  name.split('/').some((part) => part !== '.' && part !== '..' && isSkipped(part))

/** Some programs of Windows write names as it does. */
const zipName = (name: string): string => (name.includes('/') ? name : name.replaceAll('\\', '/'))

/** Without a sink the entries are counted alone. */
async function unzip(path: string, budget: Budget, sink?: Sink): Promise<void> {
  // names are checked one by one: a bad one costs the others nothing
  const archive = await openPromise(path, { decodeStrings: false, lazyEntries: true })
  for await (const entry of archive.eachEntry()) {
    const name = zipName(entry.fileNameRaw.toString('utf8'))
    if (name.endsWith('/') || isHidden(name)) {
      budget.take(0)
      continue
    }
    // the upper half: the mode of Unix
    const kind = (entry.externalFileAttributes >>> 16) & 0o170000
    const problem =
      kind !== 0 && kind !== 0o100000 ? 'is no regular file' : problemOfEntry(name, entry.uncompressedSize)
    // what is refused costs time as well, but is not unpacked
    const isRead = problem === undefined && isSourceFile(name)
    budget.take(isRead ? entry.uncompressedSize : 0)
    if (problem !== undefined) {
      sink?.refuse(name, problem)
      continue
    }
    budget.takeFolders(name)
    try {
      if (sink === undefined) continue
      const content = isRead ? await buffer(await archive.openReadStreamPromise(entry)) : Buffer.alloc(0)
      if (isRead && crc32(content) !== entry.crc32) throw new Error('is damaged: its checksum is another one')
      sink.keep(name, content)
    } catch (error) {
      sink?.refuse(name, messageOf(error))
    }
  }
}

const tarName = (name: string): string => name.replace(/^(?:\.\/)+/, '')

/** A source of a tar archive, which later entries may give further names. */
interface Kept {
  name: string
  size: number
  written: Promise<void>
}

/** Without a sink the entries are counted alone. */
async function untar(path: string, budget: Budget, sink?: Sink): Promise<void> {
  const pending: Promise<void>[] = []
  const sources = new Map<string, Kept>()
  const onReadEntry = (entry: ReadEntry): void => {
    // a hard link: it holds nothing itself
    const first = entry.type === 'Link' ? sources.get(tarName(entry.linkpath ?? '')) : undefined
    const size = first?.size ?? entry.size
    // whatever is refused costs time as well
    budget.take(size)
    const name = tarName(entry.path)
    const isFile = first !== undefined || ['File', 'OldFile', 'ContiguousFile'].includes(entry.type)
    if (isHidden(name)) return entry.resume()
    const problem = isFile ? problemOfEntry(name, size) : 'is no regular file'
    if (problem !== undefined) {
      if (entry.type !== 'Directory' && entry.type !== 'GNUDumpDir') sink?.refuse(name, problem)
      return entry.resume()
    }
    budget.takeFolders(name)
    const isSource = isSourceFile(name)
    if (sink === undefined) {
      if (isSource) sources.set(name, { name, size, written: Promise.resolve() })
      return entry.resume()
    }
    const { refuse, keep, copy } = sink
    if (!isSource) {
      try {
        keep(name, Buffer.alloc(0))
      } catch (error) {
        refuse(name, messageOf(error))
      }
      return entry.resume()
    }
    const kept =
      first === undefined
        ? // of an archive that ends too early the last file does as well
          entry.concat().then((content) => {
            if (content.length === size) keep(name, content)
            else refuse(name, 'is cut off')
          })
        : first.written.then(() => copy(name, first.name))
    const written = kept.catch((error: unknown) => refuse(name, messageOf(error)))
    sources.set(name, { name, size, written })
    pending.push(written)
    if (first !== undefined) entry.resume()
  }
  try {
    await parseTar(path, budget, onReadEntry)
  } finally {
    // what an error comes behind is there
    await Promise.all(pending)
  }
}

/** Gzip or not, as the file begins: a name may say something else. What it unpacks to never lies in memory as a whole. */
async function parseTar(path: string, budget: Budget, onReadEntry: (entry: ReadEntry) => void): Promise<void> {
  let failed: unknown
  const parser = list({
    strict: true,
    onReadEntry(entry) {
      // whatever is thrown here ends this process
      try {
        if (failed === undefined) return onReadEntry(entry)
      } catch (error) {
        failed = error
      }
      entry.resume()
    },
  })
  let isOver = false
  parser.on('eof', () => (isOver = true))
  const ended = once(parser, 'end')
  // whoever waits for the end hears of the first alone
  parser.on('error', () => {})
  const parsed = (async () => {
    let bytes = 0
    for await (const chunk of isGzip(path) ? gunzipped(path, budget) : createReadStream(path)) {
      bytes += chunk.length
      budget.allow(bytes)
      if (!parser.write(chunk)) await once(parser, 'drain')
      if (failed !== undefined) throw failed
      // what follows the end of an archive may be as long as one likes
      if (isOver) break
    }
    parser.end()
  })()
  try {
    await Promise.all([ended, parsed])
    if (failed !== undefined) throw failed
  } finally {
    // the file that is read ends as well, though too early
    parser.end()
  }
}

/**
 * What a gzip file holds, one of its members after the other. Behind a whole one anything may follow, which gzip leaves out as well.
 */
async function* gunzipped(path: string, budget: Budget): AsyncGenerator<Buffer> {
  let at = 0
  let small = 0
  for (let header = headerAt(path, at); header !== undefined; header = headerAt(path, at)) {
    if (at > 0) budget.take(0)
    const source = createReadStream(path, { start: at + header })
    const inflate = source.pipe(createInflateRaw())
    source.on('error', (error) => inflate.destroy(error))
    let sum = 0
    let bytes = 0
    try {
      for await (const chunk of inflate) {
        bytes += chunk.length
        sum = crc32(chunk, sum)
        yield chunk
      }
    } finally {
      source.destroy()
    }
    if (bytes < smallBytes && ++small > mostSmall)
      throw new TooLargeError(`has more than ${mostSmall} gzip members that hold next to nothing: compress it as one`)
    at += header + inflate.bytesWritten
    if (bytesAt(path, at, 4).readUInt32LE() !== sum) throw new Error('incorrect data check')
    at += 8
  }
}

/** The size of the header of a member of a gzip file; undefined where none is. */
function headerAt(path: string, start: number): number | undefined {
  const begin = bytesAt(path, start, mostHeaderBytes)
  if (begin.readUInt16BE() !== gzipMagic || begin[2] !== 8) return undefined
  const flags = begin[3]!
  let at = 10
  if (flags & 4) at += 2 + begin.readUInt16LE(at)
  // a name and a comment
  for (const flag of [8, 16]) {
    if (!(flags & flag)) continue
    const end = begin.indexOf(0, at)
    if (end < 0) throw new Error(`a gzip member has a name or comment of more than ${mostHeaderBytes / 2 ** 10} KiB`)
    at = end + 1
  }
  return flags & 2 ? at + 2 : at
}

const gzipMagic = 0x1f8b
const mostHeaderBytes = 1 << 17

/** Each member costs a file that is opened: programs that make many of them put 64 KiB into each. */
const smallBytes = 1 << 15
const mostSmall = 1000

const isGzip = (path: string): boolean => bytesAt(path, 0, 2).readUInt16BE() === gzipMagic

/** Of a file that is not so long the rest is zero. */
function bytesAt(path: string, position: number, bytes: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const found = Buffer.alloc(bytes)
    readSync(file, found, 0, bytes, position)
    return found
  } finally {
    closeSync(file)
  }
}
