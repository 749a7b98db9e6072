import { once } from 'node:events'
import { closeSync, createReadStream, mkdirSync, openSync, readSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { list, type ReadEntry } from 'tar'
import { openPromise } from 'yauzl'
import { shownName } from '../files/index.ts'
import { messageOf } from '../model/index.ts'
import { maxFileBytes, problemOfPath, type Finding } from './sample.ts'

/** What an archive unpacks to, at most, and how many of its refused entries are told. */
const most = { bytes: 2 ** 30, entries: 1_000_000, told: 100 }
type Most = typeof most

/** How much has come out of an archive. Throws when it is more than any set of samples has. */
class Budget {
  readonly #most: Most
  #bytes = 0
  #entries = 0

  constructor(limits: Most) {
    this.#most = limits
  }

  take(bytes: number): void {
    this.#bytes += bytes
    this.#entries++
    if (this.#entries > this.#most.entries) throw this.#exceeded()
    this.allow(this.#bytes)
  }

  /** Of the whole of what is unpacked, with what is between its files. */
  allow(bytes: number): void {
    if (bytes > this.#most.bytes) throw this.#exceeded()
  }

  #exceeded(): Error {
    return new Error(`unpacks to more than ${this.#most.bytes / 2 ** 30} GiB or ${this.#most.entries} entries`)
  }
}

export const isArchive = (path: string): boolean => /\.(?:zip|tar|tar\.gz|tgz)$/i.test(path)

/**
 * Unpacks the regular files of a zip or tar archive into a folder. What is left out, and why an archive was read in part only,
 * comes back: an entry whose name leads out of the folder, a link, a file larger than a source can be.
 */
export async function unpack(path: string, shown: string, folder: string, limits = most): Promise<Finding[]> {
  const findings: Finding[] = []
  let refused = 0
  const refuse = (name: string, reason: string): void => {
    if (++refused > limits.told) return
    findings.push({ place: `${shown}: ${shownName(name).slice(0, 120)}`, reason })
  }
  const keep = (name: string, content: Buffer): void => {
    const target = join(folder, name)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, content)
  }
  try {
    await (/\.zip$/i.test(path)
      ? unzip(path, new Budget(limits), { refuse, keep })
      : untar(path, new Budget(limits), { refuse, keep }))
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
}

const problemOfEntry = (name: string, bytes: number): string | undefined => {
  if (problemOfPath(name) !== undefined) return 'is no path below a folder'
  return bytes > maxFileBytes ? `is larger than ${maxFileBytes / 2 ** 20} MiB` : undefined
}

async function unzip(path: string, budget: Budget, { refuse, keep }: Sink): Promise<void> {
  // names are checked one by one: a bad one costs the others nothing
  const archive = await openPromise(path, { decodeStrings: false, lazyEntries: true })
  const names = new Set<string>()
  for await (const entry of archive.eachEntry()) {
    const name = entry.fileNameRaw.toString('utf8')
    if (name.endsWith('/')) {
      budget.take(0)
      continue
    }
    // the upper half: the mode of Unix
    const kind = (entry.externalFileAttributes >>> 16) & 0o170000
    const problem =
      kind !== 0 && kind !== 0o100000 ? 'is no regular file' : problemOfEntry(name, entry.uncompressedSize)
    // what is refused costs time as well, but is not unpacked
    budget.take(problem === undefined ? entry.uncompressedSize : 0)
    if (problem !== undefined) {
      refuse(name, problem)
      continue
    }
    if (names.has(name)) {
      refuse(name, 'is there twice: the first is kept')
      continue
    }
    names.add(name)
    try {
      keep(name, await buffer(await archive.openReadStreamPromise(entry)))
    } catch (error) {
      refuse(name, messageOf(error))
    }
  }
}

async function untar(path: string, budget: Budget, { refuse, keep }: Sink): Promise<void> {
  const pending: Promise<void>[] = []
  let exceeded: unknown
  // whatever is thrown here ends this process
  const onReadEntry = (entry: ReadEntry): void => {
    if (exceeded !== undefined) return entry.resume()
    try {
      // whatever is refused costs time as well
      budget.take(entry.size)
    } catch (error) {
      exceeded = error
      return entry.resume()
    }
    const name = entry.path.replace(/^(?:\.\/)+/, '')
    const isFile = entry.type === 'File' || entry.type === 'OldFile' || entry.type === 'ContiguousFile'
    const problem = isFile ? problemOfEntry(name, entry.size) : 'is no regular file'
    if (problem !== undefined) {
      if (entry.type !== 'Directory' && entry.type !== 'GNUDumpDir') refuse(name, problem)
      return entry.resume()
    }
    // of an archive that ends too early the last file does as well
    const kept = entry.concat().then((content) => (content.length === entry.size ? keep(name, content) : undefined))
    pending.push(kept.catch((error: unknown) => refuse(name, messageOf(error))))
  }
  await parseTar(path, budget, onReadEntry)
  await Promise.all(pending)
  if (exceeded !== undefined) throw exceeded
}

/** Gzip or not, as the file begins: a name may say something else. What it unpacks to never lies in memory as a whole. */
async function parseTar(path: string, budget: Budget, onReadEntry: (entry: ReadEntry) => void): Promise<void> {
  const parser = list({ strict: true, onReadEntry })
  let isOver = false
  parser.on('eof', () => (isOver = true))
  const ended = once(parser, 'end')
  const source = createReadStream(path)
  const plain = isGzip(path) ? source.pipe(createGunzip()) : source
  source.on('error', (error) => plain.destroy(error))
  const parsed = (async () => {
    let bytes = 0
    for await (const chunk of plain) {
      bytes += chunk.length
      budget.allow(bytes)
      if (!parser.write(chunk)) await once(parser, 'drain')
      // what follows the end of an archive may be as long as one likes
      if (isOver) break
    }
    parser.end()
  })()
  try {
    await Promise.all([ended, parsed])
  } finally {
    source.destroy()
  }
}

function isGzip(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const begin = Buffer.alloc(2)
    return readSync(file, begin) === 2 && begin.readUInt16BE() === 0x1f8b
  } finally {
    closeSync(file)
  }
}
