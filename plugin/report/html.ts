import { neutralText } from '../model/index.ts'

/** Markup that may stand in a page as it is. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Part = Html | string | number | readonly Part[]

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text as a page shows it, in content and in quoted attributes. Control characters are shown as escapes. */
export const escapeHtml = (text: string): string =>
  neutralText(text).replace(/[&<>"']/g, (character) => entities[character] ?? '')

const textOf = (part: Part): string => {
  if (part instanceof Html) return part.text
  if (typeof part === 'string') return escapeHtml(part)
  return typeof part === 'number' ? String(part) : part.map(textOf).join('')
}

/** Markup with parts: whatever is not markup itself is escaped. */
export const markup = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.map((text, index) => text + (index < parts.length ? textOf(parts[index]!) : '')).join(''))
