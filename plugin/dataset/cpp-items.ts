import { blankComments } from '../toolchain/text.ts'

/** A declaration of a source, or a member of a class. */
export interface CppItem {
  start: number
  end: number
  /** names that it declares; none: it stays whatever else goes */
  names: readonly string[]
  /** what is inside its braces, where that has items of its own */
  inner: readonly CppItem[]
  /** of a function: where its body is */
  body?: { start: number; end: number }
}

const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** A source without comments, literals and directives, in which positions are those of the source. */
export const bareCode = (text: string): string =>
  blankComments(text, true).replaceAll(/^[ \t]*#(?:[^\n\\]|\\[^])*/gm, (line) => line.replaceAll(/[^\n]/g, ' '))

/** Position of the bracket that closes the one at `open`; the end where there is none. */
export function closingAt(code: string, open: number): number {
  const stack: string[] = []
  for (let i = open; i < code.length; i++) {
    const character = code[i]!
    if (character in closers) stack.push(closers[character]!)
    else if (character === stack.at(-1)) {
      stack.pop()
      if (stack.length === 0) return i
    }
  }
  return code.length
}

/** The same for every bracket of a text: one that is opened again and again is looked for once. */
export function closingPlaces(code: string): Map<number, number> {
  const found = new Map<number, number>()
  const stack: { closer: string; open: number }[] = []
  for (const { 0: bracket, index } of code.matchAll(/[()[\]{}]/g)) {
    const closer = closers[bracket]
    if (closer !== undefined) stack.push({ closer, open: index })
    else if (bracket === stack.at(-1)?.closer) found.set(stack.pop()!.open, index)
  }
  for (const { open } of stack) found.set(open, code.length)
  return found
}

/** Nobody nests namespaces and classes deeper; what stands in more stays as a whole. */
const deepest = 100

/** The declarations of a source from left to right. What does not parse stays as a whole. */
export const itemsOf = (code: string, start = 0, end: number = code.length, depth = 0): CppItem[] => {
  if (depth > deepest) return []
  const items: CppItem[] = []
  let at = start
  for (;;) {
    while (at < end && /[\s;]/.test(code[at]!)) at++
    if (at >= end) return items
    const item = itemAt(code, at, end, depth)
    items.push(item)
    at = Math.max(item.end, at + 1)
  }
}

const scope = /^(?:inline\s+)?namespace\b[^{;=]*\{|^extern\s*\{/
const label = /^(?:public|protected|private)\s*:/
const macro = /^[A-Z][A-Z0-9_]{2,}\s*\(/

function itemAt(code: string, at: number, end: number, depth: number): CppItem {
  const rest = code.slice(at, end)
  const [opened] = scope.exec(rest) ?? []
  if (opened !== undefined) {
    const open = at + opened.length - 1
    const close = closingAt(code, open)
    return { start: at, end: close + 1, names: [], inner: itemsOf(code, open + 1, close, depth + 1) }
  }
  const [labelled] = label.exec(rest) ?? []
  if (labelled !== undefined) return { start: at, end: at + labelled.length, names: [], inner: [] }
  // whoever leaves out its semicolon means a line of its own
  const [ended] = /^END_[A-Z0-9_]+(?=[ \t]*\n)/.exec(rest) ?? []
  if (ended !== undefined) return { start: at, end: at + ended.length, names: [], inner: [] }
  const [invoked] = macro.exec(rest) ?? []
  if (invoked !== undefined) {
    const close = closingAt(code, at + invoked.length - 1)
    const [, more = ''] = /^(\s*[.;{])/.exec(code.slice(close + 1)) ?? []
    if (more.trim() === ';') return { start: at, end: close + 1 + more.length, names: [], inner: [] }
    if (more.trim() !== '.') return { start: at, end: close + 1, names: [], inner: [] }
  }
  return declarationAt(code, at, end, depth)
}

const classHead =
  /^(?:template\s*<[^]{0,2000}?>\s*(?=class|struct|union|enum))?(?:class|struct|union|enum(?:\s+class)?)\s+(?:\[\[[^\]]*\]\]\s*)?(\w+)/

/** A declaration up to its semicolon, or the closing brace of a function. */
function declarationAt(code: string, start: number, end: number, depth: number): CppItem {
  const head = classHead.exec(code.slice(start, end))
  let [i, isAssigned] = [start, false]
  /** up to where a parenthesis has been looked for, and whether there is one: heads of many values are looked at once */
  let [looked, isCall] = [start, false]
  for (; i < end; i++) {
    const character = code[i]!
    if (character === ';') return declared(code, start, i + 1)
    if (character === '(' || character === '[') i = closingAt(code, i)
    else if (character === '{') {
      const close = closingAt(code, i)
      const before = code.slice(start, i)
      if (head && !/\)\s*$/.test(before)) {
        const semicolon = code.indexOf(';', close)
        return classItem(
          code,
          { start, end: semicolon < 0 ? close + 1 : semicolon + 1 },
          { open: i, close, depth },
          head[1]!,
        )
      }
      const next = /\S/.exec(code.slice(close + 1))?.[0]
      isCall ||= code.slice(looked, i).includes('(')
      looked = i
      const isInside =
        !isCall ||
        /[=,(]\s*$|\breturn\s*$/.test(before.slice(-100)) ||
        ((next === ',' || next === '{') && /\)\s*:[^:]/.test(before))
      isAssigned ||= !isInside && /(?:^|[^=!<>])=(?!=)/.test(outside(before))
      if (isInside || isAssigned) {
        i = close
        continue
      }
      return functionItem(code, start, { open: i, close })
    }
  }
  return { start, end: i, names: [], inner: [] }
}

/** A text without what is between its brackets. */
function outside(text: string): string {
  let kept = ''
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(' || text[i] === '[') i = closingAt(text, i)
    else kept += text[i]
  }
  // operators, and defaults of template parameters
  return kept.replace(/operator\s*[^\s\w(]+/g, '').replace(/template\s*<[^>]{0,2000}>/, '')
}

function classItem(
  code: string,
  { start, end }: { start: number; end: number },
  { open, close, depth }: { open: number; close: number; depth: number },
  name: string,
): CppItem {
  const isEnum = /\benum\b/.test(code.slice(start, open))
  const enumerators = isEnum
    ? code
        .slice(open + 1, close)
        .split(',')
        .flatMap((each) => /\w+/.exec(each)?.[0] ?? [])
    : []
  return { start, end, names: [name, ...enumerators], inner: isEnum ? [] : itemsOf(code, open + 1, close, depth + 1) }
}

function functionItem(code: string, start: number, { open, close }: { open: number; close: number }): CppItem {
  const [, more = ''] = /^(\s*;)/.exec(code.slice(close + 1)) ?? []
  const before = code.slice(start, open).replace(/template\s*<[^]{0,2000}?>(?=\s*\w)/, ' ')
  const name = /(~?\b[\w]+)\s*\(/.exec(before.replace(/__attribute__\s*\(\([^)]{0,1000}\)\)/, ''))?.[1] ?? ''
  const stays = /\boperator\b|\bvirtual\b|\boverride\b|__global__/.test(before) || name === '' || name.startsWith('~')
  return {
    start,
    end: close + 1 + more.length,
    names: stays ? [] : [name],
    inner: [],
    body: { start: open, end: close + 1 },
  }
}

/** A declaration without a body: of a function, constant, variable or type. */
function declared(code: string, start: number, end: number): CppItem {
  const text = code.slice(start, end)
  const stays: CppItem = { start, end, names: [], inner: [] }
  const [, alias] = /^using\s+(\w+)\s*=/.exec(text) ?? []
  if (alias !== undefined) return { ...stays, names: [alias] }
  const [, constant] =
    /^(?:static|inline|constexpr|const)\s[\w:<>\s,*&]*?\b(\w+)\s*(?:\[[^\]]*\]\s*)*[={]/.exec(text) ?? []
  // several at once are not told apart
  if (constant !== undefined && !/,\s*\w+\s*=/.test(outside(text))) return { ...stays, names: [constant] }
  return stays
}
