import { closeSync, existsSync, openSync, readSync, statSync, truncateSync } from 'node:fs'
import { byteOrderMark } from '../files/index.ts'

const chunkBytes = 1 << 20
/** Bytes of a line; longer ones are no text that could be held, and are read as nothing. */
export const longestLine = 256 << 20

/** A line of a file without its end, and where it lies, in bytes; its end is not counted. */
export interface PlacedLine {
  text: string
  offset: number
  bytes: number
  /** nothing ends it: whoever wrote it was killed, or writes on */
  isTorn: boolean
}

/** The lines of a file one by one, however large it is. What follows the last line end is torn. */
export function* linesOf(path: string): Generator<PlacedLine> {
  const file = openSync(path, 'r')
  try {
    let parts: Buffer[] = []
    let [offset, bytes] = [0, 0]
    const add = (part: Buffer): void => {
      bytes += part.length
      if (bytes > longestLine) parts = []
      else parts.push(part)
    }
    const take = (isTorn: boolean): PlacedLine => {
      const whole = Buffer.concat(parts).toString('utf8')
      const line = { text: offset === 0 ? whole.replace(byteOrderMark, '') : whole, offset, bytes, isTorn }
      offset += bytes + 1
      parts = []
      bytes = 0
      return line
    }
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkBytes)
      const read = readSync(file, chunk)
      if (read === 0) break
      let start = 0
      for (let end = chunk.indexOf(10); end >= 0 && end < read; end = chunk.indexOf(10, start)) {
        add(chunk.subarray(start, end))
        yield take(false)
        start = end + 1
      }
      add(chunk.subarray(start, read))
    }
    if (bytes > 0) yield take(true)
  } finally {
    closeSync(file)
  }
}

/** The same without a torn one. */
export function* wholeLines(path: string): Generator<PlacedLine> {
  for (const line of linesOf(path)) if (!line.isTorn) yield line
}

/** Takes away what a killed run has left behind the last line end: the next line would be joined to it. */
export function cutTorn(path: string): void {
  if (!existsSync(path)) return
  let end = statSync(path).size
  const file = openSync(path, 'r')
  const chunk = Buffer.alloc(1 << 16)
  let whole = 0
  try {
    while (end > 0 && whole === 0) {
      const start = Math.max(0, end - chunk.length)
      const read = readSync(file, chunk, 0, end - start, start)
      const found = chunk.subarray(0, read).lastIndexOf(10)
      if (found >= 0) whole = start + found + 1
      end = start
    }
  } finally {
    closeSync(file)
  }
  if (statSync(path).size > whole) truncateSync(path, whole)
}
