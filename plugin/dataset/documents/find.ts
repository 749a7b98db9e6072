import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readRegular } from '../../files/index.ts'
import { indexDocuments } from '../../generation/documents.ts'
import type { Item } from '../builder.ts'
import { wordCount } from '../entries.ts'
import { sha256 } from '../hash.ts'
import { apiPagesOf, pageText } from './api-page.ts'
import { cardDocument, cardPages } from './card-pages.ts'
import { passagesOf, sectionsOf, type Section } from './sections.ts'

/** Something of a document to ask about. */
export interface DocumentItem extends Item {
  kind: 'documentation' | 'api'
  /** the headings, or the name of the function */
  title: string
  text: string
  /** passages of other places that fit */
  related: readonly string[]
  /** path of the document, with the line where that is known */
  source: string
  document: string
  /** of the whole document */
  sha256: string
}

export interface DocumentOptions {
  /** documents that are left out, by their paths below the folder */
  skip: readonly string[]
  /** whether pages of the API card are among the documents */
  card: boolean
  /** whether a passage of another document is looked for that fits beside each passage */
  related: boolean
}

/** Documents are text. */
const maxBytes = 8 << 20
/** Words of a passage that says enough to ask about. */
const leastWords = 25
/** Characters of a passage of another place. */
const relatedLength = 1200

/** What there is to ask about in a folder of Markdown: pages of an API as such, everything else by sections. */
export function documentItems(folder: string, { skip, card, related }: DocumentOptions): DocumentItem[] {
  const root = resolve(folder)
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !skip.includes(name))
    .sort()
  const documents = names.map((name) => ({ name, text: readRegular(join(root, name), maxBytes).toString('utf8') }))
  const find = related && documents.length > 0 ? relatedIn(root, skip) : () => []
  const all = [...documents, ...(card ? [{ name: cardDocument, text: cardPages() }] : [])]
  return all.flatMap(({ name, text }) => itemsOf(name, text, find))
}

type Related = (query: string, document: string) => string[]

function itemsOf(document: string, text: string, related: Related): DocumentItem[] {
  const sections = sectionsOf(document, text)
  const hash = sha256(text)
  const pages = apiPagesOf(sections)
  const about = pages.map((page, i): DocumentItem => {
    const shown = pageText(page)
    const key = `${document} ${page.name} ${i} ${sha256(shown).slice(0, 16)}`
    return { key, kind: 'api', title: page.name, text: shown, related: [], source: document, document, sha256: hash }
  })
  const places = new Set(pages.map(({ name }) => name))
  const others = sections.filter(({ headings }) => !headings.some((heading) => places.has(bareName(heading))))
  const passages = others.flatMap(passagesOf).filter((passage) => wordCount(passage.text) >= leastWords)
  return [...about, ...passages.map((passage) => passageItem(passage, hash, related))]
}

const bareName = (heading: string): string =>
  heading
    .split(/[（(]/, 1)[0]!
    .trimEnd()
    .replace(/^AscendC::/, '')

function passageItem({ document, headings, line, text }: Section, hash: string, related: Related): DocumentItem {
  const title = headings.join(' > ') || document
  return {
    key: `${document}:${line} ${sha256(text).slice(0, 16)}`,
    kind: 'documentation',
    title,
    text,
    related: related(`${title} ${text.slice(0, 400)}`, document),
    source: `${document}:${line}`,
    document,
    sha256: hash,
  }
}

/** Whether a place is of a document. */
export const isOf = (place: string, document: string): boolean => place.startsWith(`${document}:`)

/** Finds a passage of another document that fits best. */
function relatedIn(root: string, skip: readonly string[]): Related {
  const { find } = indexDocuments(root)
  return (query, document) =>
    find(query)
      .filter(({ place }) => !isOf(place, document) && !skip.some((each) => isOf(place, each)))
      .slice(0, 1)
      .map(({ text }) => text.slice(0, relatedLength))
}
