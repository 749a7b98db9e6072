import { createHash } from 'node:crypto'

/** A short name for content: 128 bits, hexadecimal. Parts are separated, so ('ab','c') differs from ('a','bc'). */
export function hashOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length}:`).update(part)
  return hash.digest('hex').slice(0, 32)
}
