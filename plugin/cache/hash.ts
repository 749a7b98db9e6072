import { createHash, type Hash } from 'node:crypto'

/** What a name is made from: a list is told from its parts beside each other. */
export type HashPart = string | Uint8Array | readonly HashPart[]

/** A short name for content: 128 bits, hexadecimal. Parts are separated, so ('ab','c') differs from ('a','bc') and (['a'],'b'). */
export function hashOf(...parts: readonly HashPart[]): string {
  const hash = createHash('sha256')
  for (const part of parts) add(hash, part)
  return hash.digest('hex').slice(0, 32)
}

function add(hash: Hash, part: HashPart): void {
  if (typeof part === 'string') hash.update(`${Buffer.byteLength(part)}:`).update(part)
  else if (part instanceof Uint8Array) hash.update(`${part.length}:`).update(part)
  else {
    hash.update(`[${part.length}:`)
    for (const each of part) add(hash, each)
  }
}
