import { closeSync, openSync, readSync } from 'node:fs'

const chunkBytes = 1 << 20

/** A line of a file without its end, and where it lies, in bytes; its end is not counted. */
export interface PlacedLine {
  text: string
  offset: number
  bytes: number
}

/** The lines of a file one by one, however large it is. What follows the last line end is torn, and left out. */
export function* wholeLines(path: string): Generator<PlacedLine> {
  const file = openSync(path, 'r')
  try {
    let rest = Buffer.alloc(0)
    let offset = 0
    const chunk = Buffer.alloc(chunkBytes)
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
      const data = Buffer.concat([rest, chunk.subarray(0, read)])
      let start = 0
      for (let end = data.indexOf(10); end >= 0; end = data.indexOf(10, start)) {
        yield { text: data.toString('utf8', start, end), offset: offset + start, bytes: end - start }
        start = end + 1
      }
      rest = data.subarray(start)
      offset += start
    }
  } finally {
    closeSync(file)
  }
}
