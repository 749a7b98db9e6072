import { join } from 'node:path'
import { listBelow } from './list.ts'
import { readRegular } from './read.ts'

/** Larger files are not looked into. */
const maxBytes = 1 << 20

/** Every occurrence of a kernel's name where it is declared or defined as a device entry point; the name is group 2. */
export const entryPattern = (kernel: string): RegExp =>
  new RegExp(String.raw`(__global__(?:(?![;{}]|__global__).)*?\bvoid\s+)(${escapeRegExp(kernel)})(?=\s*\()`, 'gs')

/** Text that a regular expression takes as it is. */
export const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/**
 * Where a kernel is defined in its folder, in plain words, for people to look at; undefined where that is not told. What a
 * build takes for the kernel is the toolchain's to say.
 */
export function kernelPlace(folder: string, kernel: string): { path: string; line: number } | undefined {
  try {
    for (const { name, kind, odd } of listBelow(folder)) {
      if (kind !== 'file' || odd || !/\.(?:cpp|cc|cxx)$/.test(name)) continue
      const path = join(folder, name)
      const text = readRegular(path, maxBytes).toString('utf8')
      // parameters hold no braces or semicolons: the first of them tells a body from a declaration
      const found = [...text.matchAll(entryPattern(kernel))].find(
        (match) => /[;{]/.exec(text.slice(match.index + match[0].length))?.[0] === '{',
      )
      if (found) return { path, line: text.slice(0, found.index + found[0].length).split('\n').length }
    }
  } catch {
    // what cannot be read is the build's to say
  }
  return undefined
}
