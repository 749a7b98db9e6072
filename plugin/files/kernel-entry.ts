import { join } from 'node:path'
import { listBelow } from './list.ts'
import { readRegular } from './read.ts'

/** Larger files are not looked into. */
const maxBytes = 1 << 20

/** More macros that stand for heads of kernels are not looked for: every one of them is asked for at every place. */
const mostMacros = 20

/**
 * Every occurrence of a kernel's name where it is declared or defined as a device entry point; the name is group 2. `macros`: those
 * that stand for `__global__`.
 */
export function entryPattern(kernel: string, macros: Iterable<string> = []): RegExp {
  const head = String.raw`\b(?:${['__global__', ...macros].slice(0, mostMacros).join('|')})\b`
  // macros may stand for `void` as well
  return new RegExp(String.raw`(${head}(?:(?:(?![;{}]|${head}).)*?\bvoid)?\s+)(${escapeRegExp(kernel)})(?=\s*\()`, 'gs')
}

/** The places right behind a kernel's name where a text defines it, and does not only declare it. */
export function definitionsOf(text: string, kernel: string, macros?: Iterable<string>): number[] {
  // parameters hold no braces or semicolons: the first of them tells a body from a declaration, for all that stand before it
  const withEnd = new RegExp(String.raw`${entryPattern(kernel, macros).source}[^;{]*(.?)`, 'gs')
  return [...text.matchAll(withEnd)].flatMap(({ 1: before = '', 2: name = '', 3: end, index }) =>
    end === '{' ? [index + before.length + name.length] : [],
  )
}

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
      const [found] = definitionsOf(text, kernel)
      if (found !== undefined) return { path, line: text.slice(0, found).split('\n').length }
    }
  } catch {
    // what cannot be read is the build's to say
  }
  return undefined
}
