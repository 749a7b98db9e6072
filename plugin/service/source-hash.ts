import { basename, join } from 'node:path'
import { hashOf } from '../cache/hash.ts'
import { listBelow, readRegular } from '../files/index.ts'
import type { Sample } from '../model/index.ts'

const maxBytes = 64 << 20

/** What a candidate has written: the regular files of its kernel and host part, and the hash of their names and contents. */
export interface CandidateSources {
  hash: string
  files: { name: string; text: Buffer }[]
}

/** Where the files of a candidate lie. */
export type SourcePlaces = Pick<Sample, 'kernelDir' | 'hostDir' | 'cmakeLists' | 'program'>

/**
 * Reads what a candidate has written. The hash is the same wherever the candidate lies. undefined where the files cannot be
 * read, or are more than any build takes.
 */
export function candidateSources({
  kernelDir,
  hostDir,
  cmakeLists,
  program,
}: SourcePlaces): CandidateSources | undefined {
  const files: CandidateSources['files'] = []
  let left = maxBytes
  const add = (name: string, path: string): void => {
    const text = readRegular(path, left)
    left -= text.length
    files.push({ name, text })
  }
  try {
    if (program !== undefined) add(basename(program), program)
    for (const folder of program === undefined ? [kernelDir, hostDir] : []) {
      if (folder === null) continue
      for (const { name, kind, odd } of listBelow(folder))
        if (kind === 'file' && !odd) add(join(basename(folder), name), join(folder, name))
    }
    for (const [index, path] of cmakeLists.entries()) add(`CMakeLists.txt ${index}`, path)
    return { hash: hashOf(...files.flatMap(({ name, text }) => [name, text])), files }
  } catch {
    return undefined
  }
}

/** Names what a candidate has written, by its content. */
export const sourceHash = (places: SourcePlaces): string | undefined => candidateSources(places)?.hash
