import { realpathSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { hashOf } from '../cache/hash.ts'
import { isInside, isSource, listBelow, readRegular } from '../files/index.ts'
import type { Sample } from '../model/index.ts'

const maxBytes = 64 << 20

/** What a candidate has written: the regular files of its kernel and host part, and a name for these and what they can include. */
export interface CandidateSources {
  /** of names and contents, also of other sources of the candidate, and of where links in it lead that stay there */
  hash: string
  files: { name: string; text: Buffer }[]
}

/** Where the files of a candidate lie. */
export type SourcePlaces = Pick<Sample, 'root' | 'kernelDir' | 'hostDir' | 'cmakeLists' | 'program'>

/**
 * Reads what a candidate has written. The hash is the same wherever the candidate lies. undefined where the files cannot be
 * read, or are more than any build takes.
 */
export function candidateSources({
  root,
  kernelDir,
  hostDir,
  cmakeLists,
  program,
}: SourcePlaces): CandidateSources | undefined {
  const files: CandidateSources['files'] = []
  let left = maxBytes
  const read = (path: string): Buffer => {
    const text = readRegular(path, left)
    left -= text.length
    return text
  }
  const add = (name: string, path: string): void => void files.push({ name, text: read(path) })
  try {
    if (program !== undefined) add(basename(program), program)
    for (const folder of program === undefined ? [kernelDir, hostDir] : []) {
      if (folder === null) continue
      for (const { name, kind, odd } of listBelow(folder))
        if (kind === 'file' && !odd) add(join(basename(folder), name), join(folder, name))
    }
    for (const [index, path] of cmakeLists.entries()) add(`CMakeLists.txt ${index}`, path)
    const own = [kernelDir, ...(hostDir === null ? [] : [hostDir])]
    const beside = program === undefined ? besideParts(root, [...own, ...cmakeLists], read) : []
    return { hash: hashOf(...files.flatMap(({ name, text }) => [name, text]), ...beside), files }
  } catch {
    return undefined
  }
}

/** What a build can read beside the files that are the candidate's own: sources by name and content, and where links lead. */
function besideParts(root: string, own: readonly string[], read: (path: string) => Buffer): (string | Buffer)[] {
  const parts: (string | Buffer)[] = []
  // no name is like this: what lies beside is told from what is the candidate's own
  const add = (...found: (string | Buffer)[]): void => void parts.push('\0', ...found)
  for (const { name, kind, odd } of listBelow(root)) {
    const path = join(root, name)
    const target = kind === 'link' ? realTarget(path) : undefined
    if (target !== undefined && isInside(target, root)) add(JSON.stringify(['link', name, relative(root, target)]))
    const isBeside = kind === 'file' && !odd && isSource(name) && !own.some((place) => isInside(path, place))
    if (isBeside) add(name, read(path))
  }
  return parts
}

function realTarget(link: string): string | undefined {
  try {
    return realpathSync(link)
  } catch {
    return undefined
  }
}

/** Names what a candidate has written, by its content. */
export const sourceHash = (places: SourcePlaces): string | undefined => candidateSources(places)?.hash
