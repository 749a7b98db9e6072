import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { list, type ReadEntry } from 'tar'
import { openPromise } from 'yauzl'
import { shownName } from '../files/index.ts'
import { messageOf } from '../model/index.ts'
import { maxFileBytes, problemOfPath, type Finding } from './sample.ts'

/** What an archive unpacks to, at most. */
const maxBytes = 4 * 2 ** 30
const maxEntries = 1_000_000

/** How much has come out of an archive. Throws when it is more than any set of samples has. */
class Budget {
  #bytes = 0
  #entries = 0

  take(bytes: number): void {
    this.#bytes += bytes
    this.#entries++
    if (this.#bytes > maxBytes || this.#entries > maxEntries)
      throw new Error(`unpacks to more than ${maxBytes / 2 ** 30} GiB or ${maxEntries} files`)
  }
}

export const isArchive = (path: string): boolean => /\.(?:zip|tar|tar\.gz|tgz)$/i.test(path)

/**
 * Unpacks the regular files of a zip or tar archive into a folder. What is left out, and why an archive was read in part only,
 * comes back: an entry whose name leads out of the folder, a link, a file larger than a source can be.
 */
export async function unpack(path: string, shown: string, folder: string): Promise<Finding[]> {
  const findings: Finding[] = []
  const refuse = (name: string, reason: string): void => {
    findings.push({ place: `${shown}: ${shownName(name).slice(0, 120)}`, reason })
  }
  const keep = (name: string, content: Buffer): void => {
    const target = join(folder, name)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, content)
  }
  try {
    await (/\.zip$/i.test(path) ? unzip(path, refuse, keep) : untar(path, refuse, keep))
  } catch (error) {
    findings.push({ place: shown, reason: `cannot be unpacked to its end: ${messageOf(error)}` })
  }
  return findings
}

type Refuse = (name: string, reason: string) => void
type Keep = (name: string, content: Buffer) => void

const problemOfEntry = (name: string, bytes: number): string | undefined => {
  if (problemOfPath(name) !== undefined) return 'is no path below a folder'
  return bytes > maxFileBytes ? `is larger than ${maxFileBytes / 2 ** 20} MiB` : undefined
}

async function unzip(path: string, refuse: Refuse, keep: Keep): Promise<void> {
  // names are checked one by one: a bad one costs the others nothing
  const archive = await openPromise(path, { decodeStrings: false, lazyEntries: true })
  const budget = new Budget()
  for await (const entry of archive.eachEntry()) {
    const name = entry.fileNameRaw.toString('utf8')
    if (name.endsWith('/')) continue
    // the upper half: the mode of Unix
    const kind = (entry.externalFileAttributes >>> 16) & 0o170000
    const problem =
      kind !== 0 && kind !== 0o100000 ? 'is no regular file' : problemOfEntry(name, entry.uncompressedSize)
    if (problem !== undefined) {
      refuse(name, problem)
      continue
    }
    budget.take(entry.uncompressedSize)
    try {
      keep(name, await buffer(await archive.openReadStreamPromise(entry)))
    } catch (error) {
      refuse(name, messageOf(error))
    }
  }
}

async function untar(path: string, refuse: Refuse, keep: Keep): Promise<void> {
  const budget = new Budget()
  const pending: Promise<void>[] = []
  let exceeded: unknown
  // whatever is thrown here ends this process
  const onReadEntry = (entry: ReadEntry): void => {
    const name = entry.path.replace(/^(?:\.\/)+/, '')
    const isFile = entry.type === 'File' || entry.type === 'OldFile' || entry.type === 'ContiguousFile'
    const problem = isFile ? problemOfEntry(name, entry.size) : 'is no regular file'
    if (problem !== undefined) {
      if (entry.type !== 'Directory' && entry.type !== 'GNUDumpDir') refuse(name, problem)
      return entry.resume()
    }
    try {
      budget.take(entry.size)
    } catch (error) {
      exceeded ??= error
    }
    if (exceeded !== undefined) return entry.resume()
    // of an archive that ends too early the last file does as well
    const kept = entry.concat().then((content) => (content.length === entry.size ? keep(name, content) : undefined))
    pending.push(kept.catch((error: unknown) => refuse(name, messageOf(error))))
  }
  await list({ file: path, strict: true, onReadEntry })
  await Promise.all(pending)
  if (exceeded !== undefined) throw exceeded
}
