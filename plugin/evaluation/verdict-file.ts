import { appendFileSync, lstatSync, rmSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { hashOf } from '../cache/hash.ts'
import { makeFolder, readRegular } from '../files/index.ts'

/** Bytes above which a line is not kept, and above which a file starts anew. */
const longestLine = 1 << 16
const largestFile = 8 << 20

/**
 * Values kept from run to run: one line of a file for each, found by its key, which is a hash. A line carries its checksum, and
 * is appended in one piece and between line ends, so that damage, a killed run or another run at the same time costs lines and
 * never falsifies one. Where the file cannot be written, nothing is kept.
 */
export class VerdictFile {
  readonly #path: string
  /** by key, the latest first */
  readonly #lines = new Map<string, string[]>()
  #writable = true

  constructor(path: string) {
    this.#path = path
    const text = textOf(path)
    if (text === undefined) {
      quietly(() => rmSync(path))
      // what cannot be taken away may keep its writer waiting
      this.#writable = !isThere(path)
    } else if (text !== '') {
      for (const line of text.split('\n')) if (line !== '') this.#add(line)
      // files that nothing reads are removed after some time
      const now = new Date()
      quietly(() => utimesSync(path, now, now))
    }
  }

  /** All values of a key, the latest first; damaged lines are left out. */
  find(key: string): unknown[] {
    return (this.#lines.get(key) ?? []).flatMap((line) => {
      const text = line.slice(2 * keyLength)
      return line === sealed(key, text) ? [JSON.parse(text)] : []
    })
  }

  keep(key: string, value: unknown): void {
    const line = sealed(key, JSON.stringify(value))
    if (!this.#writable || Buffer.byteLength(line) > longestLine) return
    this.#add(line)
    try {
      makeFolder(dirname(this.#path))
      appendFileSync(this.#path, `\n${line}\n`)
    } catch {
      this.#writable = false
    }
  }

  #add(line: string): void {
    const key = line.slice(0, keyLength)
    this.#lines.set(key, [line, ...(this.#lines.get(key) ?? [])])
  }
}

const keyLength = hashOf('').length

/** The key, a checksum, the text. */
const sealed = (key: string, text: string): string => `${key}${hashOf(key, text)}${text}`

/** What a file holds; undefined where it is too large, or no file but something that may keep its reader waiting. */
function textOf(path: string): string | undefined {
  try {
    return readRegular(path, largestFile).toString('utf8')
  } catch {
    return isThere(path) ? undefined : ''
  }
}

function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}

/** A folder that can only be read is as good as any. */
function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // nothing is lost
  }
}
