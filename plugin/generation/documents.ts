import { readdirSync, realpathSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import MiniSearch from 'minisearch'
import { hashOf } from '../cache/hash.ts'
import { readRegular } from '../files/index.ts'
import { codeOf, messageOf } from '../model/index.ts'
import { GenerationError } from './error.ts'
import type { Passage } from './types.ts'

/** Bytes of one document, of all of them, and how many there may be. */
export interface DocumentLimits {
  fileBytes: number
  allBytes: number
  files: number
}

const defaultLimits: DocumentLimits = { fileBytes: 8 << 20, allBytes: 128 << 20, files: 20_000 }

/** Characters of a passage, and of all passages of one answer. */
const passageLength = 2000
const answerLength = 8000
const mostPassages = 6

interface Indexed extends Passage {
  id: number
  heading: string
}

export interface Documents {
  /** the passages that fit a query, best first; of wanted places alone */
  find: (query: string, isWanted?: (place: string) => boolean) => readonly Passage[]
  /** of names and texts */
  hash: string
}

/** Where the words of a section weigh more than those of its text. */
const headingBoost = 2

/**
 * Indexes the Markdown below a folder, by sections. The passages that fit a query are found best first: BM25 over
 * words, pairs of Chinese characters, and names of code, as a whole and by their parts. Nothing is fetched, and no link leads out of
 * the folder. Throws a {@link GenerationError}.
 */
export function indexDocuments(folder: string, limits: DocumentLimits = defaultLimits): Documents {
  const files = filesBelow(folder, limits)
  const passages = files.flatMap(({ place, text }) => sectionsOf(place, text))
  if (passages.length === 0) throw new GenerationError(`--docs ${folder}: holds no Markdown (.md)`, 64)
  const byId = passages.map((passage, id): Indexed => ({ id, ...passage }))
  const index = new MiniSearch<Indexed>({ fields: ['heading', 'text'], tokenize: termsOf, processTerm: (term) => term })
  index.addAll(byId)
  const find: Documents['find'] = (query, isWanted) => {
    const found: Passage[] = []
    let length = 0
    for (const { id } of index.search(query, { boost: { heading: headingBoost } })) {
      const { place, text } = byId[Number(id)]!
      if (isWanted?.(place) === false) continue
      if (length + text.length > answerLength || found.length === mostPassages) break
      found.push({ place, text })
      length += text.length
    }
    return found
  }
  return { find, hash: hashOf(...files.flatMap(({ place, text }) => [place, text])) }
}

/** Words, in lower case: `DataCopyPad` is also `data`, `copy` and `pad`; Chinese is taken by two characters. */
export function termsOf(text: string): string[] {
  const terms: string[] = []
  for (const [word] of text.matchAll(/\p{Script=Han}+|[\p{L}\p{N}_]+/gu)) {
    if (/^\p{Script=Han}/u.test(word)) {
      const characters = Array.from(word)
      if (characters.length === 1) terms.push(word)
      for (let i = 0; i + 1 < characters.length; i++) terms.push(characters[i]! + characters[i + 1]!)
      continue
    }
    // a word of letters may have Chinese in it
    for (const part of word.split(/(\p{Script=Han}+)/u).filter((each) => each !== '')) {
      if (part !== word) terms.push(...termsOf(part))
      else terms.push(...namesOf(word))
    }
  }
  return terms
}

/** A name and its parts. */
function namesOf(word: string): string[] {
  const parts = word
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1_$2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1_$2')
    .split('_')
    .filter((part) => part !== '')
  const whole = word.toLowerCase()
  return parts.length > 1 ? [whole, ...parts.map((part) => part.toLowerCase())] : [whole]
}

/** The sections of a document, each with its headings; long ones in parts that end with a paragraph where they can. */
function sectionsOf(place: string, text: string): Omit<Indexed, 'id'>[] {
  const sections: Omit<Indexed, 'id'>[] = []
  let headings: string[] = []
  let [start, lines]: [number, string[]] = [1, []]
  let fence: string | undefined
  const close = (next: number): void => {
    const body = lines.join('\n').trim()
    if (body !== '') sections.push({ place: `${place}:${start}`, heading: headings.join(' > '), text: body })
    ;[start, lines] = [next, []]
  }
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]?.slice(0, 3)
    if (mark !== undefined && (fence === undefined || fence === mark)) fence = fence === undefined ? mark : undefined
    const heading = fence === undefined ? /^(#{1,6})\s(.*)$/.exec(line) : null
    if (heading) {
      close(i + 1)
      const [, level = '', title = ''] = heading
      headings = [...headings.slice(0, level.length - 1), title.trim()]
    } else if (lines.reduce((sum, each) => sum + each.length + 1, 0) + line.length > passageLength) close(i + 1)
    lines.push(line.slice(0, passageLength))
  }
  close(0)
  return sections
}

function filesBelow(folder: string, limits: DocumentLimits): { place: string; text: string }[] {
  try {
    const root = realpathSync(folder)
    const found: { place: string; text: string }[] = []
    let bytes = 0
    for (const name of namesBelow(root)) {
      const path = join(root, name)
      const real = realpathSync(path)
      if (!real.startsWith(`${root}/`))
        throw new GenerationError(
          `--docs ${folder}: ${name} is a link that leads out of the folder; copy what it leads to`,
          64,
        )
      const { size } = statSync(real)
      bytes += size
      if (size > limits.fileBytes || bytes > limits.allBytes || found.length === limits.files)
        throw new GenerationError(
          `--docs ${folder}: ${relative(root, path)} is too much: documents have ${limits.fileBytes >> 20} MiB at most, ` +
            `${limits.allBytes >> 20} MiB and ${limits.files} files together; name a part of the folder`,
          64,
        )
      found.push({ place: name, text: readRegular(real, limits.fileBytes).toString('utf8') })
    }
    return found
  } catch (error) {
    if (error instanceof GenerationError) throw error
    const why = codeOf(error) === 'ENOENT' ? 'there is no such folder' : messageOf(error)
    throw new GenerationError(`--docs ${folder}: ${why}`, 64)
  }
}

/** Markdown below a folder, in an order that is the same everywhere; links to folders are not followed. */
const namesBelow = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
