import { basename, join } from 'node:path'
import { hashOf } from '../cache/hash.ts'
import { listBelow, readRegular } from '../files/index.ts'
import type { Sample } from '../model/index.ts'

const maxBytes = 64 << 20

/**
 * Names what a candidate has written: a hash of names and contents of the regular files of its kernel and host part, which
 * is the same wherever the candidate lies. undefined where they cannot be read, or are more than any build takes.
 */
export function sourceHash({ kernelDir, hostDir, cmakeLists }: Sample): string | undefined {
  const parts: (string | Buffer)[] = []
  let left = maxBytes
  const add = (name: string, path: string): void => {
    const text = readRegular(path, left)
    left -= text.length
    parts.push(name, text)
  }
  try {
    for (const folder of [kernelDir, hostDir]) {
      if (folder === null) continue
      for (const { name, kind, odd } of listBelow(folder))
        if (kind === 'file' && !odd) add(join(basename(folder), name), join(folder, name))
    }
    for (const [index, path] of cmakeLists.entries()) add(`CMakeLists.txt ${index}`, path)
    return hashOf(...parts)
  } catch {
    return undefined
  }
}
