import { appendFileSync, mkdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { hashOf } from '../cache/hash.ts'

/** Characters above which a line is not kept, and bytes above which a file starts anew. */
const longestLine = 1 << 16
const largestFile = 8 << 20

/**
 * Answers kept from run to run: a line of a file for each, found by the hash of its question. A line carries its checksum, and
 * is appended in one piece and between line ends, so that damage, a killed run or another run at the same time costs lines and
 * never falsifies one. Where the file cannot be written, nothing is kept.
 */
export class VerdictFile {
  readonly #path: string
  /** by question, the latest first */
  readonly #lines = new Map<string, string[]>()
  #writable = true

  constructor(path: string) {
    this.#path = path
    const text = readText(path)
    if (text.length > largestFile) {
      quietly(() => rmSync(path))
    } else if (text !== '') {
      for (const line of text.split('\n')) if (line !== '') this.#add(line)
      // files that nothing asks for are removed after some time
      const now = new Date()
      quietly(() => utimesSync(path, now, now))
    }
  }

  /** Everything that was answered to a question, the latest first; lines that are damaged are left out. */
  find(question: string): unknown[] {
    return (this.#lines.get(question) ?? []).flatMap((line) => {
      const text = line.slice(2 * keyLength)
      return line === sealed(question, text) ? [JSON.parse(text)] : []
    })
  }

  keep(question: string, answer: unknown): void {
    const line = sealed(question, JSON.stringify(answer))
    if (!this.#writable || line.length > longestLine) return
    this.#add(line)
    try {
      mkdirSync(dirname(this.#path), { recursive: true })
      appendFileSync(this.#path, `\n${line}\n`)
    } catch {
      this.#writable = false
    }
  }

  #add(line: string): void {
    const question = line.slice(0, keyLength)
    this.#lines.set(question, [line, ...(this.#lines.get(question) ?? [])])
  }
}

const keyLength = hashOf('').length

/** The question, a checksum, the text. */
const sealed = (question: string, text: string): string => `${question}${hashOf(question, text)}${text}`

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
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
