import { lineNumbers } from '../model/line-numbers.ts'
import type { ProjectFile } from '../model/index.ts'
import { bareCode, closingAt, itemsOf, type CppItem } from './cpp-items.ts'

/** Lines of a file, from 1 on: those that have code, and those of them that were reached. */
export interface ReachedLines {
  code: ReadonlySet<number>
  reached: ReadonlySet<number>
}

/** What may be taken out of a project. */
export interface PruneOptions {
  /** branches that were not taken, in files whose path begins so; none: no branch */
  branchesIn: readonly string[]
}

/**
 * A project without what a launch did not need: branches that it has not taken, as far as their lines tell, and declarations that nothing
 * then names. Comments above what goes go with it. Whether the rest still works is for the compiler and the judge to say.
 */
export function prunedFiles(
  files: readonly ProjectFile[],
  reachedIn: (path: string) => ReachedLines | undefined,
  { branchesIn }: PruneOptions,
): ProjectFile[] {
  const cut = files.map((file) => {
    const lines = branchesIn.some((start) => file.path.startsWith(start)) ? reachedIn(file.path) : undefined
    return lines && isSource(file.path) ? { ...file, content: withoutBranches(file.content, lines) } : file
  })
  return withoutEmpty(shaken(cut))
}

const isSource = (path: string): boolean => /\.(?:h|hpp|cpp|cc)$/.test(path)

interface Cut {
  start: number
  end: number
  /** what stays in its place */
  text: string
}

/** Makes cuts that do not overlap. */
function applied(text: string, cuts: readonly Cut[]): string {
  let result = ''
  let at = 0
  for (const { start, end, text: instead } of cuts.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue
    result += text.slice(at, start) + instead
    at = end
  }
  return (result + text.slice(at)).replaceAll(/\n[ \t]*(?:\n[ \t]*)+\n/g, '\n\n')
}

type ArmState = 'taken' | 'not taken' | 'no code'

interface Arm {
  /** from `if` to the parenthesis of its condition; undefined of a plain `else` */
  head: { start: number; end: number } | undefined
  body: { start: number; end: number }
  state: ArmState
}

/** Takes branches out, the outermost first. */
function withoutBranches(text: string, lines: ReachedLines): string {
  const code = bareCode(text)
  const lineOf = lineNumbers(text)
  const cuts: Cut[] = []
  const statement = /\b(?:if\b\s*(constexpr\b\s*)?|for\s*)(?=\()/g
  const done: { start: number; end: number }[] = []
  for (const match of code.matchAll(statement)) {
    const start = match.index
    if (
      /\belse\s*$/.test(code.slice(Math.max(0, start - 100), start)) ||
      done.some((each) => start >= each.start && start < each.end)
    )
      continue
    const arms = armsOf(code, start, (from, to) => stateOf(lines, lineOf(from), lineOf(to)))
    const isLoop = match[0].startsWith('for')
    const cut = arms && (isLoop ? loopCut(text, code, arms) : cutOf(text, code, arms, match[1] !== undefined))
    if (!cut) continue
    cuts.push(cut)
    done.push(cut)
  }
  return applied(text, [...cuts, ...deadCases(text, lines)])
}

/** A label, and what stands behind it in its line. */
const caseLabel = /^\s*case\s+(?:\w|::)+:(?!:)(.*)$/
const wholeCase = /^(?:return\b[^;{}]*;|[^;{}]*;\s*break;)\s*(?:\/\/.*)?$/

/** Lines of a `switch` that were not taken, with the labels right above them that fall through to them. */
function deadCases(text: string, { code, reached }: ReachedLines): Cut[] {
  const cuts: Cut[] = []
  let [at, labels] = [0, -1]
  for (const [i, line] of text.split('\n').entries()) {
    const end = at + line.length + 1
    const body = caseLabel.exec(line)?.[1]?.trim()
    const isLabel = body === ''
    const isWhole = body !== undefined && wholeCase.test(body)
    if (isLabel && labels < 0) labels = at
    if (isWhole && code.has(i + 1) && !reached.has(i + 1))
      cuts.push({ start: labels < 0 ? at : labels, end: Math.min(end, text.length), text: '' })
    if (!isLabel) labels = -1
    at = end
  }
  return cuts
}

/** What became of the lines between those of two braces. */
function stateOf({ code, reached }: ReachedLines, open: number, close: number): ArmState {
  let state: ArmState = 'no code'
  for (let line = open + 1; line < close; line++) {
    if (reached.has(line)) return 'taken'
    if (code.has(line)) state = 'not taken'
  }
  return state
}

/** The arms of an `if` whose bodies are all in braces; undefined where one is not. */
function armsOf(code: string, start: number, state: (open: number, close: number) => ArmState): Arm[] | undefined {
  const arms: Arm[] = []
  let at = start
  for (;;) {
    const condition = code.indexOf('(', at)
    const end = closingAt(code, condition) + 1
    const open = nextAt(code, end)
    if (code[open] !== '{') return undefined
    const close = closingAt(code, open)
    arms.push({ head: { start: at, end }, body: { start: open, end: close + 1 }, state: state(open, close) })
    const other = nextAt(code, close + 1)
    if (!/^else\b/.test(code.slice(other, other + 5))) return arms
    const next = nextAt(code, other + 4)
    if (/^if\b/.test(code.slice(next, next + 3))) {
      at = next
      continue
    }
    if (code[next] !== '{') return undefined
    const last = closingAt(code, next)
    arms.push({ head: undefined, body: { start: next, end: last + 1 }, state: state(next, last) })
    return arms
  }
}

function nextAt(code: string, at: number): number {
  while (at < code.length && /\s/.test(code[at]!)) at++
  return at
}

/** What stays of an `if`; undefined: all of it. */
function cutOf(text: string, code: string, arms: readonly Arm[], isConstexpr: boolean): Cut | undefined {
  const someTaken = arms.some(({ state }) => state === 'taken')
  const goes = ({ state, body }: Arm): boolean =>
    state === 'not taken' ||
    (state === 'no code' && isConstexpr && (someTaken || code.slice(body.start, body.end).includes('(')))
  const kept = arms.filter((arm) => !goes(arm))
  if (kept.length === arms.length) return undefined
  const [start, end] = [arms[0]!.head!.start, arms.at(-1)!.body.end]
  const [first] = kept
  const acting = arms.flatMap(({ head }) => (head ? actionsIn(text, code, head) : []))
  if (acting.includes(undefined)) return undefined
  if (acting.length > 0) {
    // what a condition does has to be done all the same
    if (first || arms.length > 1) return undefined
    const indent = text.slice(lineStart(text, start), start)
    return { start, end, text: acting.join(`\n${indent}`) }
  }
  if (!first) return { start: lineStart(text, start), end: restOfLine(text, end), text: '' }
  if (!first.head) return { start, end, text: unbraced(text, first.body, start) }
  const parts = kept.map(
    ({ head, body }) => (head ? `${text.slice(head.start, head.end)} ` : '') + text.slice(body.start, body.end),
  )
  return { start, end, text: parts.join(' else ') }
}

/** Functions that only tell something, by their names. */
const telling =
  /^(?:[Gg]et\w*|Is\w*|is\w*|has\w*|Has\w*|\w*Of|size|empty|static_cast|sizeof|TILING_KEY_IS|CeilDiv|AlignUp|min|max|value)$/

/**
 * What a condition does beside telling something: as statements, for operands of `||` that are calls compared with something. One that
 * cannot be taken apart so is undefined.
 */
function actionsIn(text: string, code: string, { start, end }: { start: number; end: number }): (string | undefined)[] {
  const open = code.indexOf('(', start)
  const actions: (string | undefined)[] = []
  let from = open + 1
  const operand = (to: number): void => {
    const bare = code.slice(from, to)
    const calls = [...bare.matchAll(/(?<!\w)(\w+)\s*(?:<[^<>()]*>)?\(/g)].map(([, name = '']) => name)
    if (/[^=!<>]=[^=]|\+\+|--/.test(bare)) actions.push(undefined)
    else if (calls.some((name) => !telling.test(name))) {
      const [, call] =
        /^(?:!\s*)?([\w:.]+\s*(?:<[^<>()]*>)?\([^]*\))(?:\s*[!=]=\s*[\w:]+)?$/.exec(text.slice(from, to).trim()) ?? []
      actions.push(call === undefined ? undefined : `${call};`)
    }
    from = to + 2
  }
  for (let i = open + 1; i < end - 1; i++) {
    if ('([{'.includes(code[i]!)) i = closingAt(code, i)
    else if (code.startsWith('||', i)) operand(i++)
  }
  operand(end - 1)
  return actions
}

/** A loop that was never entered goes as a whole. */
function loopCut(text: string, code: string, [arm]: readonly Arm[]): Cut | undefined {
  if (!arm?.head || arm.state !== 'not taken') return undefined
  const header = code.slice(arm.head.start, arm.head.end)
  const calls = [...header.matchAll(/(?<!\w)(\w+)\s*(?:<[^<>()]*>)?\(/g)].slice(1)
  if (calls.some(([, name = '']) => !telling.test(name))) return undefined
  return { start: lineStart(text, arm.head.start), end: restOfLine(text, arm.body.end), text: '' }
}

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1

/** The content of a block, moved to where the block begins. */
function unbraced(text: string, { start, end }: { start: number; end: number }, at: number): string {
  const inner = text
    .slice(start + 1, end - 1)
    .replace(/^[ \t]*\n/, '')
    .trimEnd()
  const indent = at - lineStart(text, at)
  const deep = /^[ \t]*/.exec(inner)?.[0].length ?? 0
  const shift = Math.max(0, deep - indent)
  const lines = inner.split('\n').map((line) => (/^\s*$/.test(line.slice(0, shift)) ? line.slice(shift) : line))
  return lines.join('\n').trimStart()
}

const words = (text: string): string[] => text.match(/[A-Za-z_]\w*/g) ?? []

interface Placed {
  file: number
  item: CppItem
  /** words of what it says itself, without its items */
  words: readonly string[]
  parent: Placed | undefined
}

/** Takes out declarations that nothing names any more, beginning with what stays in any case. */
function shaken(files: readonly ProjectFile[]): ProjectFile[] {
  const codes = files.map(({ path, content }) => (isSource(path) ? bareCode(content) : ''))
  const all: Placed[] = []
  const take = (file: number, items: readonly CppItem[], parent: Placed | undefined): void => {
    for (const item of items) {
      const placed: Placed = { file, item, words: ownWords(codes[file]!, item), parent }
      all.push(placed)
      take(file, item.inner, placed)
    }
  }
  for (const [file, code] of codes.entries()) take(file, itemsOf(code), undefined)
  // macros may name anything
  const directives = files.flatMap(({ path, content }) =>
    isSource(path) ? (content.match(/^[ \t]*#[ \t]*(?:define|if|elif)(?:[^\n\\]|\\[^])*/gm) ?? []) : [],
  )
  const named = new Set(directives.flatMap(words))
  const kept = new Set<Placed>()
  for (let grown = true; grown;) {
    grown = false
    for (const placed of all) {
      if (kept.has(placed) || (placed.parent && !kept.has(placed.parent))) continue
      const { names } = placed.item
      // a constructor is called by the name of its class
      const isConstructor = names.length === 1 && placed.parent?.item.names[0] === names[0]
      if (names.length > 0 && !isConstructor && !names.some((name) => named.has(name))) continue
      kept.add(placed)
      for (const word of placed.words) named.add(word)
      grown = true
    }
  }
  return files.map((file, index) => {
    const gone = all.filter(
      (placed) => placed.file === index && !kept.has(placed) && (!placed.parent || kept.has(placed.parent)),
    )
    if (gone.length === 0) return file
    const cuts = gone.map(({ item }) => ({
      start: commentedStart(file.content, item.start),
      end: restOfLine(file.content, item.end),
      text: '',
    }))
    return { ...file, content: withoutHollowNamespaces(applied(file.content, cuts)) }
  })
}

function ownWords(code: string, { start, end, inner }: CppItem): string[] {
  const parts: string[] = []
  let at = start
  for (const item of inner) {
    parts.push(code.slice(at, item.start))
    at = item.end
  }
  parts.push(code.slice(at, end))
  return words(parts.join(' '))
}

/** Where the comment above a declaration begins, which goes with it. */
function commentedStart(text: string, start: number): number {
  let at = lineStart(text, start)
  if (text.slice(at, start).trim() !== '') return start
  while (at > 0) {
    const above = lineStart(text, at - 1)
    if (!/^\s*\/\//.test(text.slice(above, at))) break
    // the first lines say what the file is
    if (above === 0) break
    at = above
  }
  return at
}

/** The end of a line behind a declaration, where nothing but a comment follows. */
function restOfLine(text: string, end: number): number {
  const [rest = ''] = /^[ \t]*(?:\/\/[^\n]*)?(?:\n|$)/.exec(text.slice(end)) ?? []
  return end + rest.length
}

function withoutHollowNamespaces(text: string): string {
  const hollow = /^(?:inline\s+)?namespace\b[^{;\n]{0,1000}\{\s*\}[^\n]*\n?/gm
  return text.replaceAll(hollow, '').replaceAll(/\n{3,}/g, '\n\n')
}

/** Without headers that hold nothing but includes: these stand where the header was included. */
function withoutEmpty(files: readonly ProjectFile[]): ProjectFile[] {
  const hollow = files.find(
    ({ path, content }) =>
      /\.(?:h|hpp)$/.test(path) && bareCode(content).trim() === '' && !/^[ \t]*#[ \t]*(?:define|if)/m.test(content),
  )
  if (!hollow) return [...files]
  const includes = (hollow.content.match(/^[ \t]*#[ \t]*include[^\n]*/gm) ?? []).map((line) => line.trim())
  const name = hollow.path.split('/').at(-1)!
  const directive = new RegExp(
    String.raw`^[ \t]*#[ \t]*include[ \t]*"(?:[^"\n]*/)?${name.replace('.', String.raw`\.`)}"[^\n]*\n`,
    'gm',
  )
  const rest = files
    .filter((file) => file !== hollow)
    .map((file) => {
      if (file.path.split('/')[0] !== hollow.path.split('/')[0]) return file
      const there = new Set(file.content.match(/#[ \t]*include[^\n]*/g)?.map((line) => line.trim()))
      const missing = includes.filter((line) => !there.has(line))
      const instead = missing.length > 0 ? `${missing.join('\n')}\n` : ''
      return { ...file, content: file.content.replace(directive, instead).replaceAll(directive, '') }
    })
  return withoutEmpty(rest)
}
