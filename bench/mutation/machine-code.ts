import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { hashOf } from '../../plugin/cache/hash.ts'

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

/** Lines that a library has code of, as `file.h:17`. Lines of a branch that the compiler leaves out are not among them. */
export function linesWithCode(path: string): Set<string> {
  const table = execFileSync('readelf', ['--wide', '--debug-dump=decodedline', path], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  // beside the folder of the build, a file has the name of its own folder before it
  return new Set([...table.matchAll(/^(?:.*\/)?(\S+)\s+(\d+)\s+0x/gm)].map(([, file, line]) => `${file}:${line}`))
}
