import { blank, blankComments, gap, lineJoint } from './text.ts'

/** In a text whose lines are joined. */
const directive = new RegExp(String.raw`^${gap}*(?:#|%:)[^\n]*`, 'gm')

const noMacros: ReadonlySet<string> = new Set()

/** Does what stands in front of a brace begin a class? */
function isClassHead(head: string): boolean {
  const outside: string[] = []
  let depth = 0
  for (const [part] of head.replaceAll(/\b(?:alignas|__attribute__)\s*\(/g, '<').matchAll(/[<>()=]|[^<>()=]+/g)) {
    if (depth === 0 && (part === '(' || part === '=')) return false
    if (part === '<' || part === '(') depth++
    else if (part === '>' || part === ')') depth = Math.max(0, depth - 1)
    else if (depth === 0) outside.push(part)
  }
  const words = outside.join(' ')
  return /\b(?:class|struct|union)\b/.test(words) && !/\benum\b/.test(words)
}

/**
 * The line of an explicit specialisation in a class, which clang takes and g++ before version 14 does not; `macros` are those that
 * stand for the head of one. None where braces do not pair: conditions of the preprocessor may have both ways to open one.
 */
export function specialisationInClass(source: string, macros: ReadonlySet<string> = noMacros): number | undefined {
  const code = blankComments(source, true)
  const text = code.replace(lineJoint, '').replace(directive, blank)
  const scopes: boolean[] = []
  let statement = 0
  let found: number | undefined
  for (const { 0: token, 1: word, index } of text.matchAll(/[{};]|\b([A-Za-z_]\w*)(?:\s*<\s*>)?/g)) {
    if (word !== undefined) {
      if (scopes.at(-1) !== true || found !== undefined) continue
      if (macros.has(word) || (word === 'template' && word !== token)) found = index
      continue
    }
    if (token === '{') scopes.push(isClassHead(text.slice(statement, index)))
    else if (token === '}' && scopes.pop() === undefined) return undefined
    statement = index + 1
  }
  return scopes.length === 0 && found !== undefined ? lineOf(code, text, found) : undefined
}

/** The line in a text of a place in the same whose lines are joined. */
function lineOf(code: string, text: string, place: number): number {
  let joined = 0
  let joints = 0
  for (const { 0: joint, index } of code.matchAll(lineJoint)) {
    if (index - joined > place) break
    joined += joint.length
    joints++
  }
  return text.slice(0, place).split('\n').length + joints
}
