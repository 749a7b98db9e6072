import { realpath } from 'node:fs/promises'
import { isInside } from '../files/index.ts'

/** Prerequisites in a make rule as `-MD` writes it: spaces and `#` are escaped by a backslash, `$` is doubled. */
export function parseDependencies(rule: string): string[] {
  const body = rule.replaceAll('\\\n', ' ').replace(/^(?:[^\\:]|\\.)*:/, '')
  // compilers part them by blanks of ASCII, and write others as they are
  const words = body.match(/(?:\\[ #]|[^ \t\r\n])+/g) ?? []
  return words.map((word) => word.replace(/\\([ #])/g, '$1').replaceAll('$$', '$'))
}

/** The first file a compilation read outside `allowed` (absolute real paths), or that is not there at all; or null. */
export async function firstOutside(paths: readonly string[], allowed: readonly string[]): Promise<string | null> {
  for (const path of paths) {
    const real = await realpath(path).catch(() => null)
    if (real === null || !allowed.some((folder) => isInside(real, folder))) return path
  }
  return null
}
