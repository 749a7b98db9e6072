import { isUtf8 } from 'node:buffer'
import { neutralText } from '../model/index.ts'

/**
 * Characters that mean something to a module loader, a shell, a make rule, a compiler's option file, a spreadsheet or a page: reports
 * of coverage have names as they are. A line table names with `<` what is no file.
 */
const special = /[?#"'`\\\n\t<>&]|^[-=+@]/

/** Is this a name that files of a candidate cannot have? A name that is no UTF-8 has no text that leads back to it. */
export function isOddName(name: string | Buffer): boolean {
  if (typeof name !== 'string' && !isUtf8(name)) return true
  const text = name.toString()
  // half of a pair of UTF-16 is written as U+FFFD
  return special.test(text) || Buffer.from(text).toString().includes('\uFFFD') || neutralText(text) !== text
}

/** A name as messages show it, whatever is in it. */
export const shownName = (name: string | Buffer): string =>
  neutralText(name.toString())
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`)

/** Hidden files and folders, installed packages, and what macOS adds to an archive hold no sources. */
export const isSkipped = (name: string): boolean =>
  name.startsWith('.') || name === 'node_modules' || name === '__MACOSX'
