import { closeSync, openSync, readSync } from 'node:fs'
import { JSONParser } from '@streamparser/json'
import { linesOf, longestLine } from '../../ledger/lines.ts'
import { messageOf } from '../../model/index.ts'

/** A record of a file, by its number from 1 on, or why it is none. */
export type FoundRecord = { number: number; value: unknown } | { number: number; problem: string }

const chunkBytes = 1 << 20

/** The records of a file one by one, however large it is: JSON lines, or one array of JSON. */
export function* recordsOf(path: string): Generator<FoundRecord> {
  yield* firstCharacter(path) === '[' ? ofArray(path) : ofLines(path)
}

function* chunksOf(path: string): Generator<Buffer> {
  const file = openSync(path, 'r')
  try {
    const chunk = Buffer.alloc(chunkBytes)
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) yield chunk.subarray(0, read)
  } finally {
    closeSync(file)
  }
}

function firstCharacter(path: string): string {
  for (const chunk of chunksOf(path)) {
    const [first] = chunk
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trimStart()
    if (first !== undefined) return first
  }
  return ''
}

function* ofLines(path: string): Generator<FoundRecord> {
  let number = 0
  for (const { text, bytes } of linesOf(path)) {
    number++
    if (bytes > longestLine) yield { number, problem: `is longer than ${longestLine / 2 ** 20} MiB` }
    if (text.trim() === '') continue
    try {
      yield { number, value: JSON.parse(text.replace(/^\uFEFF/, '')) }
    } catch (error) {
      yield { number, problem: messageOf(error) }
    }
  }
}

/** How deep a record may be nested, with the array around it. */
const deepest = 1000

/** Follows brackets and strings of JSON: what a parser would have to keep of it. */
class Nesting {
  #depth = 0
  #isString = false
  #isEscaped = false
  #bytes = 0

  /** Why no parser shall read on; undefined: it can. */
  problemIn(chunk: Buffer): string | undefined {
    for (const byte of chunk) {
      this.#bytes++
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === 0x22) this.#isString = !this.#isString
      else if (this.#isString) this.#isEscaped = byte === 0x5c
      else if (byte === 0x5b || byte === 0x7b) this.#depth++
      else if (byte === 0x5d || byte === 0x7d) this.#depth--
      else if (byte === 0x2c && this.#depth === 1) this.#bytes = 0
      if (this.#depth > deepest) return `is nested more than ${deepest} deep`
      if (this.#bytes > longestLine) return `is longer than ${longestLine / 2 ** 20} MiB`
    }
    return undefined
  }
}

/** Behind a place that is no JSON nothing can be told apart: it is the last one. */
function* ofArray(path: string): Generator<FoundRecord> {
  const nesting = new Nesting()
  const parser = new JSONParser({ paths: ['$.*'], keepStack: false })
  let found: unknown[] = []
  let problem: string | undefined
  let isWhole = false
  parser.onValue = ({ value }) => void found.push(value)
  parser.onError = (error) => void (problem ??= error.message)
  parser.onEnd = () => void (isWhole = true)
  let number = 0
  for (const chunk of chunksOf(path)) {
    problem = nesting.problemIn(chunk)
    if (problem !== undefined) break
    // what is parsed may outlive the chunk
    parser.write(Uint8Array.from(chunk))
    for (const value of found) yield { number: ++number, value }
    found = []
    if (problem !== undefined || isWhole) break
  }
  if (problem === undefined && !isWhole) problem = 'the array does not end'
  if (problem !== undefined) yield { number: number + 1, problem }
}
