import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { codeOf, messageOf } from '../model/index.ts'
import { shownName } from './name.ts'

/** Something in a folder of a candidate that cannot be read as what it should be, in one line that names it. */
export class FileError extends Error {
  override readonly name = 'FileError'
}

/**
 * Content of a regular file of at most `maxBytes`. Nothing is opened that could keep the reader waiting (a FIFO, a
 * device), nor what a link in place of the file leads to. Throws {@link FileError}.
 */
export function readRegular(path: string | Buffer, maxBytes: number): Buffer {
  const file = openRegular(path)
  try {
    const facts = fstatSync(file)
    if (!facts.isFile()) throw new FileError(`${shownName(path)} is no regular file`)
    if (facts.size > maxBytes) throw new FileError(`${shownName(path)} is larger than ${megabytes(maxBytes)}`)
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** `64 MiB` */
export const megabytes = (bytes: number): string => `${bytes / 2 ** 20} MiB`

function openRegular(path: string | Buffer): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (error) {
    // what a socket and a device without a driver answer
    if (codeOf(error) === 'ENXIO' || codeOf(error) === 'ELOOP')
      throw new FileError(`${shownName(path)} is no regular file`)
    throw new FileError(`cannot read ${shownName(path)}: ${messageOf(error)}`)
  }
}
