import { fencedBlocksOf } from './documents/sections.ts'

/** What an answer says of the items of its prompt. */
export interface AnswerItems {
  /** entries of the JSON block by the number of their item, in order */
  entries: ReadonlyMap<number, readonly Record<string, unknown>[]>
  /** blocks with a name: ```` ```cpp name=1/op_kernel/add.cpp ```` */
  blocks: ReadonlyMap<string, string>
  /** why an entry of an item could not be read */
  malformed: ReadonlyMap<number, string>
  /** why there are no entries at all */
  problem?: string
}

interface Block {
  info: string
  text: string
}

/** Fenced blocks from left to right; one that is not closed goes to the end. */
const blocksOf = (answer: string): Block[] =>
  fencedBlocksOf(answer).map(({ info, code }) => ({ info, text: `${code}\n` }))

/**
 * Reads an answer of the form that all prompts of data sets ask for: one block `json` with an array of objects, each with the
 * number of its `item`, and code in blocks of their own with a `name`. An object that cannot be read takes no other with it.
 */
export function itemsOf(answer: string): AnswerItems {
  const blocks = blocksOf(answer)
  const named = new Map(
    blocks.flatMap(({ info, text }): [string, string][] => {
      const name = /(?:^|\s)name=(\S+)/.exec(info)?.[1]
      return name === undefined ? [] : [[name, text]]
    }),
  )
  const json = blocks.find(({ info }) => /^json\b/.test(info))?.text ?? bareArray(answer)
  const none = { entries: new Map(), malformed: new Map(), blocks: named }
  if (json === undefined) return { ...none, problem: 'there is no JSON block in the answer' }
  const pieces = objectsIn(json)
  if (pieces.length === 0) return { ...none, problem: 'there is no object in the JSON block' }
  const entries = new Map<number, Record<string, unknown>[]>()
  const malformed = new Map<number, string>()
  for (const piece of pieces) {
    const value = parsed(piece)
    const number = Number(value?.['item'] ?? /"item"\s*:\s*"?(\d+)/.exec(piece)?.[1])
    if (!Number.isInteger(number)) continue
    if (value) entries.set(number, [...(entries.get(number) ?? []), value])
    else malformed.set(number, `the entry of item ${number} is no JSON: ${piece.slice(0, 80)}`)
  }
  return { entries, blocks: named, malformed }
}

/** An answer that is the array alone. */
const bareArray = (answer: string): string | undefined => (/^\s*[[{]/.test(answer) ? answer : undefined)

function parsed(piece: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(piece)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a piece begins with a brace
    return value as Record<string, unknown>
  } catch {
    return undefined
  }
}

const controls: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' }

/**
 * The objects of an array as texts, the outermost braces alone. Line ends within strings, which JSON forbids and models write, are
 * escaped.
 */
function objectsIn(text: string): string[] {
  const found: string[] = []
  let [depth, piece, isString] = [0, '', false]
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!
    if (isString) {
      if (character === '\\') piece += character + (text[++i] ?? '')
      else piece += controls[character] ?? character
      if (character === '"') isString = false
      continue
    }
    if (character === '{') depth++
    if (depth > 0) piece += character
    if (character === '"' && depth > 0) isString = true
    if (character === '}' && --depth === 0) {
      found.push(piece)
      piece = ''
    }
    if (depth < 0) depth = 0
  }
  // cut off in the middle
  return piece === '' ? found : [...found, piece]
}
