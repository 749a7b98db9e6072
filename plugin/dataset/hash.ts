import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'

/** The SHA-256 of a text, as rows tell that of their source. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The same of a file, however large it is. */
export async function fileSha256(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
