import { appendFileSync, closeSync, existsSync, openSync, readSync } from 'node:fs'
import { cutTorn, wholeLines } from '../ledger/lines.ts'

/** A file of JSON lines that is only added to, and found in by key: lines stay on disk, however many there are. */
export class KeptLines {
  readonly path: string
  readonly #places = new Map<string, { offset: number; bytes: number }>()
  #end = 0

  /** `keyOf`: by what a line is found; undefined: by nothing. Of two with one key the first is found. */
  constructor(path: string, keyOf: (value: unknown) => string | undefined) {
    this.path = path
    cutTorn(path)
    if (!existsSync(path)) return
    for (const { text, offset, bytes } of wholeLines(path)) {
      this.#end = offset + bytes + 1
      const key = keyOf(JSON.parse(text))
      if (key !== undefined && !this.#places.has(key)) this.#places.set(key, { offset, bytes })
    }
  }

  has(key: string): boolean {
    return this.#places.has(key)
  }

  get size(): number {
    return this.#places.size
  }

  /** The line of a key as it was added. */
  get(key: string): unknown {
    const place = this.#places.get(key)
    if (!place) return undefined
    const line = Buffer.alloc(place.bytes)
    const file = openSync(this.path, 'r')
    try {
      readSync(file, line, 0, place.bytes, place.offset)
    } finally {
      closeSync(file)
    }
    return JSON.parse(line.toString('utf8'))
  }

  /** Adds a line; with `flush` it is on the disk when the call returns. */
  add(key: string | undefined, value: unknown, flush = false): void {
    const text = `${JSON.stringify(value)}\n`
    appendFileSync(this.path, text, { flush })
    const bytes = Buffer.byteLength(text)
    if (key !== undefined && !this.#places.has(key)) this.#places.set(key, { offset: this.#end, bytes: bytes - 1 })
    this.#end += bytes
  }
}
