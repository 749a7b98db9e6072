import type { Texts } from '../model.ts'
import type { CodeCoverage } from '../types.ts'
import { diffLines, hunksOf } from './diff.ts'
import { h, none, type Child } from './dom.ts'

/** Lines around the one that a frame shows. */
const around = 4
/** Lines that are put into the page at once. */
const shownLines = 1500

/** What is said of lines of a file. */
export interface Marks {
  /** lines to look at */
  bad: ReadonlySet<number>
  missed: ReadonlySet<number>
  partial: ReadonlySet<number>
}

const noMarks: Marks = { bad: new Set(), missed: new Set(), partial: new Set() }

function lineOf(number: number, text: string, { bad, missed, partial }: Marks): HTMLElement {
  const [name, said] = bad.has(number)
    ? ['bad', 'here']
    : missed.has(number)
      ? ['missed', 'never reached']
      : partial.has(number)
        ? ['partial', 'reached in part']
        : ['', '']
  return h(
    'span',
    { class: `line ${name}`, title: said === '' ? undefined : said },
    h('span', { class: 'no', 'aria-hidden': 'true' }, number),
    said === '' ? null : h('span', { class: 'hidden' }, `(${said}) `),
    `${text}\n`,
  )
}

/** The file that a place names. A path may be longer or shorter than the name that the sources have. */
export function fileOf(texts: Texts | undefined, file: string | undefined): string | undefined {
  if (!texts || file === undefined) return undefined
  if (Object.hasOwn(texts, file)) return file
  return Object.keys(texts).find((name) => name.endsWith(`/${file}`) || file.endsWith(`/${name}`))
}

/** The lines around a place; nothing where the sources are not there. */
export function frame(texts: Texts | undefined, file: string | undefined, line: number | undefined): Child {
  const name = fileOf(texts, file)
  if (!texts || name === undefined || line === undefined) return null
  const lines = (texts[name] ?? '').split(/\r?\n/)
  if (line < 1 || line > lines.length) return null
  const first = Math.max(1, line - around)
  return h(
    'pre',
    { class: 'code frame', tabindex: 0, 'aria-label': `${name}, line ${line}` },
    ...lines
      .slice(first - 1, line + around)
      .map((text, index) => lineOf(first + index, text, { ...noMarks, bad: new Set([line]) })),
  )
}

/** Which lines of a file the cases have not reached. Ranges are those of a ledger, which may be anybody's. */
export function marksOf(
  code: CodeCoverage | undefined,
  name: string,
  bad: ReadonlySet<number>,
  text: string | undefined,
): Marks {
  const last = linesOf(text).length
  const marked = (field: 'missed' | 'partial'): Set<number> => {
    const all = [...(code?.[field] ?? []), ...(code?.host?.[field] ?? [])]
    return linesIn(
      all.filter(({ file }) => file === name).flatMap(({ lines }) => lines),
      last,
    )
  }
  return { bad, missed: marked('missed'), partial: marked('partial') }
}

/** The lines of ranges that a file of so many lines has, each looked at once however often it is named. */
function linesIn(ranges: readonly (readonly [number, number])[], last: number): Set<number> {
  const found = new Set<number>()
  let next = 1
  for (const [from, to] of ranges.toSorted(([one], [other]) => one - other)) {
    for (let line = Math.max(from, next); line <= Math.min(to, last); line++) found.add(line)
    next = Math.max(next, to + 1)
  }
  return found
}

/** A whole file, as far as a page can show it at once. */
export function listing(text: string, marks: Marks, name: string): HTMLElement {
  const lines = text.split(/\r?\n/)
  const part = (from: number): Child[] =>
    lines.slice(from, from + shownLines).map((line, index) => lineOf(from + index + 1, line, marks))
  const code = h('pre', { class: 'code', tabindex: 0, 'aria-label': name }, ...part(0))
  let shown = shownLines
  const more = h(
    'button',
    {
      type: 'button',
      click: () => {
        code.append(h('span', {}, ...part(shown)))
        shown += shownLines
        if (shown >= lines.length) more.remove()
      },
    },
    'More lines',
  )
  return h('div', {}, code, lines.length > shownLines ? more : null)
}

/** What two samples differ in, file by file, as a unified difference. */
export function difference(first: Texts, second: Texts): Child {
  const names = [...new Set([...Object.keys(first), ...Object.keys(second)])].sort()
  const files = names.flatMap((name) => {
    const [one, other] = [first, second].map((texts) => (Object.hasOwn(texts, name) ? (texts[name] ?? '') : undefined))
    if (one === other) return []
    const hunks = hunksOf(diffLines(linesOf(one), linesOf(other)))
    return [
      h('h3', {}, name, one === undefined ? ' (only in the other)' : other === undefined ? ' (only in this one)' : ''),
      h(
        'pre',
        { class: 'code diff', tabindex: 0, 'aria-label': `Difference of ${name}` },
        ...hunks.flatMap(({ first: from, second: to, lines }) => [
          h('span', { class: 'line hunk' }, `@@ -${from} +${to} @@\n`),
          ...lines.map(({ kind, text }) =>
            h('span', { class: `line ${kind}` }, `${{ both: ' ', first: '-', second: '+' }[kind]}${text}\n`),
          ),
        ]),
      ),
    ]
  })
  return files.length === 0 ? none('Both have the same sources.') : files
}

const linesOf = (text: string | undefined): string[] => (text === undefined ? [] : text.split(/\r?\n/))
