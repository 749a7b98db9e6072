import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isInside, readRegular } from '../../files/index.ts'
import { codeOf, piecesOf, type Piece } from './pieces.ts'

/** A file and everything that it includes of its repository, in the order in which a compiler reads it. */
export interface Unit {
  /** what it includes of others, e.g. `#include "kernel_operator.h"`, each once */
  includes: readonly string[]
  /** files that were read, the target last */
  files: readonly UnitFile[]
}

export interface UnitFile {
  path: string
  text: string
  pieces: readonly Piece[]
}

/** Where quoted and other includes are looked for, besides the folder of the file that has them. */
export interface IncludePlaces {
  /** nothing outside of it is opened */
  root: string
  folders: readonly string[]
}

/** Sources of kernels are small. */
export const maxBytes = 1 << 20
/** A file that reaches more includes itself in circles. */
const maxFiles = 300

const include = /^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]{1,1000})[>"][^\n]*$/gm

/** Follows the includes of a file; each file counts once, where it is first included. */
export function unitOf(path: string, places: IncludePlaces): Unit {
  const includes = new Set<string>()
  const files: UnitFile[] = []
  const seen = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file) || seen.size === maxFiles) return
    seen.add(file)
    const text = readRegular(file, maxBytes).toString('utf8').replaceAll('\r\n', '\n')
    const code = codeOf(text)
    for (const found of text.matchAll(include)) {
      if (code.slice(found.index, found.index + found[0].length).trim() === '') continue
      const own = found[2]!.startsWith('/') ? undefined : locate(file, found[2]!, places)
      if (own === undefined) includes.add(`#include ${found[1]}${found[2]}${found[1] === '<' ? '>' : '"'}`)
      else visit(own)
    }
    files.push({ path: file, text, pieces: piecesOf(text) })
  }
  visit(resolve(path))
  return { includes: [...includes], files }
}

const locate = (from: string, name: string, { root, folders }: IncludePlaces): string | undefined =>
  [dirname(from), ...folders]
    .map((folder) => join(folder, name))
    .find((path) => isInside(path, root) && existsSync(path))

/** The whole of it as one text: nothing is left out but what includes and guards say. */
export function flattened({ includes, files }: Unit): string {
  const texts = files.map(({ text }) =>
    text
      .replace(include, '')
      .replace(/^[ \t]*#[ \t]*pragma[ \t]+once[^\n]*$/gm, '')
      .trim(),
  )
  return `${[includes.join('\n'), ...texts].filter((each) => each !== '').join('\n\n')}\n`
}
