/** A part of a Markdown document: what stands below one heading, up to the next. */
export interface Section {
  /** path of the document, with `/` */
  document: string
  /** line of the heading, from 1 on */
  line: number
  /** the heading and those above it, outermost first */
  headings: readonly string[]
  /** what stands below the heading, without it */
  text: string
}

/** A fenced block. */
export interface CodeBlock {
  /** the first word behind the fence, in lower case; `''` where there is none */
  language: string
  code: string
}

/** The line that opens a block: its marks, and what stands behind them. */
const fence = /^[ \t]*(`{3,}|~{3,}(?!~))([^`\n]*)$/

/** Whether a line closes a block that was opened with these marks. */
const closes = (line: string, marks: string): boolean =>
  line.trim().startsWith(marks) && /^(?:`+|~+)$/.test(line.trim())

/** The sections of a document in their order. Headings in code are none. */
export function sectionsOf(document: string, markdown: string): Section[] {
  const sections: Section[] = []
  let headings: string[] = []
  let [start, lines]: [number, string[]] = [1, []]
  let open: string | undefined
  const close = (): void => {
    const text = lines.join('\n').trim()
    if (text !== '') sections.push({ document, line: start, headings, text })
  }
  for (const [i, line] of markdown.split(/\r?\n/).entries()) {
    const marks = fence.exec(line)?.[1]
    if (open === undefined) open = marks
    else if (closes(line, open)) open = undefined
    const heading = open === undefined ? /^(#{1,6})\s(.*)$/.exec(line) : null
    if (heading) {
      close()
      headings = [...headings.slice(0, heading[1]!.length - 1), plainText(heading[2]!)]
      ;[start, lines] = [i + 1, []]
    } else lines.push(line)
  }
  close()
  return sections
}

/** The fenced blocks of a text, with what stands behind their marks. One that is not closed goes to the end. */
export function fencedBlocksOf(markdown: string): { info: string; code: string }[] {
  const blocks: { info: string; code: string }[] = []
  const lines = markdown.split(/\r?\n/)
  for (let i = 0; i < lines.length; i++) {
    const [, marks, info = ''] = fence.exec(lines[i]!) ?? []
    if (marks === undefined) continue
    const start = i + 1
    for (i = start; i < lines.length && !closes(lines[i]!, marks); i++);
    blocks.push({ info: info.trim(), code: lines.slice(start, i).join('\n') })
  }
  return blocks
}

/** The same by their languages. */
export const codeBlocksOf = (markdown: string): CodeBlock[] =>
  fencedBlocksOf(markdown).map(({ info, code }) => ({ language: info.split(/\s/)[0]!.toLowerCase(), code }))

/** A fenced block of Ascend C. */
export const fenced = (code: string): string => `\`\`\`cpp\n${code.trimEnd()}\n\`\`\``

/** The text outside of fenced blocks. */
export function proseOf(markdown: string): string {
  const kept: string[] = []
  let open: string | undefined
  for (const line of markdown.split(/\r?\n/)) {
    const marks = fence.exec(line)?.[1]
    if (open !== undefined) open = closes(line, open) ? undefined : open
    else if (marks === undefined) kept.push(line)
    else open = marks
  }
  return kept.join('\n')
}

/** Characters of a heading that are kept: as many as a line that people read has, and more. */
const headingLength = 500

/** A heading without links, marks and the signs that may close it. */
const plainText = (text: string): string =>
  text
    .trim()
    .slice(0, headingLength)
    .replace(/(?<!#)#+$/, '')
    .trimEnd()
    .replace(/\[([^[\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')

/** Characters of a passage that a prompt holds. */
const passageLength = 2400

/** A section in parts that a prompt can hold; they end with a paragraph where they can. */
export function passagesOf(section: Section): Section[] {
  const parts: Section[] = []
  let [lines, length, line]: [string[], number, number] = [[], 0, section.line]
  const close = (next: number): void => {
    const text = lines.join('\n').trim()
    if (text !== '') parts.push({ ...section, line, text })
    ;[lines, length, line] = [[], 0, next]
  }
  for (const [i, each] of section.text.split('\n').entries()) {
    if (length > 0 && length + each.length > passageLength) close(section.line + 1 + i)
    lines.push(each)
    length += each.length + 1
    if (each === '' && length > passageLength * 0.7) close(section.line + 2 + i)
  }
  close(0)
  return parts
}
