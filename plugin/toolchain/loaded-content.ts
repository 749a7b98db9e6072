import { readFileSync } from 'node:fs'
import { hashOf } from '../cache/hash.ts'
import { librariesOf, type EmulatorArtifact } from './artifact.ts'

const sectionHeaderBytes = 64
const allocated = 2n
const withoutContent = 8

/** Hash of what a library puts into memory: code and data, and where they lie. Debug information is not part of it. */
export function loadedContent(path: string): string {
  const file = readFileSync(path)
  const sections = Number(file.readBigUInt64LE(40))
  const parts = Array.from({ length: file.readUInt16LE(60) }, (_, index): (string | Buffer)[] => {
    const at = sections + index * sectionHeaderBytes
    const number = (offset: number): number => Number(file.readBigUInt64LE(at + offset))
    if ((file.readBigUInt64LE(at + 8) & allocated) === 0n) return []
    const [address, offset, bytes] = [number(16), number(24), number(32)]
    const content = file.readUInt32LE(at + 4) === withoutContent ? '' : file.subarray(offset, offset + bytes)
    return [`${address} ${bytes}`, content]
  })
  return hashOf(...parts.flat())
}

/** The same of host part and kernels of an artifact. */
export const contentOfArtifact = ({ host, kernels }: EmulatorArtifact): string =>
  hashOf(
    ...[...kernels.values()]
      .flatMap((variants) => (variants.supported ? librariesOf(variants) : []))
      .concat(host)
      .map((library) => (library === null ? '' : loadedContent(library))),
  )
