import { lineNumbers } from '../model/line-numbers.ts'
import { blankComments } from '../toolchain/text.ts'

/** What edits damage. */
export const damages = [
  'synchronisation',
  'queues',
  'lengths',
  'switches',
  'offsets',
  'buffers',
  'branches',
  'tiling',
] as const

export type Damage = (typeof damages)[number]

/** One edit of a source: the text from `start` to `end` becomes `replacement`. */
export interface Edit {
  damage: Damage
  start: number
  end: number
  replacement: string
  /** what was done, for people */
  what: string
}

/** Blanks comments and literals, so that positions stay and nothing inside them is taken for code. */
export const codeOf = (text: string): string => blankComments(text, true)

interface Span {
  start: number
  end: number
}

const closers: Record<string, string> = { '(': ')', '[': ']', '{': '}' }

/** What is made of a text, kept for the next who asks about the same one: thousands of edits are of one. */
function keepingLast<T>(make: (text: string) => T): (text: string) => T {
  let last: { text: string; made: T } | undefined
  return (text) => {
    if (last?.text !== text) last = { text, made: make(text) }
    return last.made
  }
}

/** By the position of each bracket: that of the one that closes it; -1 when there is none. */
const closingsOf = keepingLast((code) => {
  const found = new Int32Array(code.length).fill(-1)
  const open: { at: number; closer: string }[] = []
  for (let i = 0; i < code.length; i++) {
    const char = code[i]!
    const last = open.at(-1)
    if (Object.hasOwn(closers, char)) open.push({ at: i, closer: closers[char]! })
    else if (char === last?.closer) {
      found[last.at] = i
      open.pop()
    }
  }
  return found
})

/** Position of the bracket that closes the one at `open`; -1 when there is none. */
export const closing = (code: string, open: number): number => closingsOf(code)[open] ?? -1

/** The arguments between two brackets, split at top-level commas. */
function argumentsOf(code: string, open: number): Span[] {
  const close = closing(code, open)
  if (close < 0) return []
  const spans: Span[] = []
  let start = open + 1
  for (let i = open + 1; i <= close; i++) {
    const char = code[i]!
    if (char in closers) i = Math.max(i, closing(code, i))
    else if (char === ',' || i === close) {
      if (code.slice(start, i).trim() !== '') spans.push(trimmed(code, { start, end: i }))
      start = i + 1
    }
  }
  return spans
}

function trimmed(code: string, { start, end }: Span): Span {
  while (start < end && /\s/.test(code[start]!)) start++
  while (end > start && /\s/.test(code[end - 1]!)) end--
  return { start, end }
}

interface Call extends Span {
  name: string
  /** position of the opening parenthesis */
  open: number
}

/** Calls of the named functions and methods, qualified or not. */
function callsOf(code: string, names: readonly string[]): Call[] {
  const pattern = new RegExp(
    String.raw`(?<![\w.:\]]|->)(?:[\w.:]|->|\[[^[\]\n]*\])*\b(?:template\s+)?(${names.join('|')})(?:\s*<[^;(){}]{0,200}>)?\s*\(`,
    'g',
  )
  return [...code.matchAll(pattern)].flatMap((match) => {
    const open = match.index + match[0].length - 1
    const close = closing(code, open)
    return close < 0 ? [] : [{ name: match[1]!, start: match.index, end: close + 1, open }]
  })
}

/** Whether the call is a statement of its own. */
const isStatement = (code: string, { start, end }: Span): boolean =>
  /(?:[;{}):]|\belse)$/.test(code.slice(0, start).trimEnd().slice(-5)) && /^\s*;/.test(code.slice(end))

const flags = ['SetFlag', 'WaitFlag', 'CrossCoreSetFlag', 'CrossCoreWaitFlag', 'set_flag', 'wait_flag']
const barriers = ['PipeBarrier', 'pipe_barrier', 'SyncAll', 'IBSet', 'IBWait']

/** Each call that orders something is left out once. */
function deletions(code: string, text: string): Edit[] {
  const leaveOut = (names: readonly string[], damage: Damage): Edit[] =>
    callsOf(code, names)
      .filter((call) => isStatement(code, call))
      .map(({ start, end }) => ({
        damage,
        start,
        end,
        replacement: 'static_cast<void>(0)',
        what: `without ${text.slice(start, end)}`,
      }))
  const taken = callsOf(code, ['DeQue']).map(({ start, end }): Edit => ({
    damage: 'queues',
    start,
    end,
    replacement: text.slice(start, end).replace('DeQue', 'AllocTensor'),
    what: `AllocTensor instead of ${text.slice(start, end)}`,
  }))
  return [
    ...leaveOut([...flags, ...barriers], 'synchronisation'),
    ...leaveOut(['EnQue', 'FreeTensor'], 'queues'),
    ...taken,
  ]
}

/** Event ids of flags, also of those between cores, one place at a time. */
const eventIds = (code: string, text: string): Edit[] =>
  callsOf(code, flags)
    .flatMap(({ open }) => argumentsOf(code, open).slice(-1))
    .map(({ start, end }) => ({
      damage: 'synchronisation',
      start,
      end,
      replacement: `((${text.slice(start, end)}) ^ 1)`,
      what: `event id ${text.slice(start, end)} ^ 1`,
    }))

/** What a source calls a tile where all of a class can name it: a field of the tiling data, or a member. */
const tileOf = keepingLast((text) => tileIn(codeOf(text)))

const tileIn = (code: string): string | undefined =>
  code
    .match(/\b(?:tiling_(?:->|\.))?\w+/g)
    ?.find((name) =>
      /^tiling_\W/.test(name)
        ? /[tT]ile|\Wbase[MNK]$/.test(name.slice('tiling_'.length))
        : name.endsWith('_') && /[tT]ile[A-Z]/.test(name),
    )

/** An expression larger or smaller: by one, by a block of 16 elements or bytes, and by a tile where there is one. */
function shifted(text: string, { start, end }: Span, damage: Damage): Edit[] {
  const tile = tileOf(text)
  const expression = text.slice(start, end)
  return ['+ 1', '- 1', '+ 16', ...(tile === undefined ? [] : [`+ ${tile}`])].map((change) => ({
    damage,
    start,
    end,
    // of the type it had: braces do not narrow
    replacement: `static_cast<std::decay_t<decltype(${expression})>>((${expression}) ${change})`,
    what: `${expression} ${change}`,
  }))
}

const isNumeric = (text: string): boolean => !/^[{"']|^(?:true|false)$/.test(text) && text !== ''

const structsOf = keepingLast(
  (code) => new Set([...code.matchAll(/Params(?=(?:<[^<>]*>)?&?\s+(\w+))/g)].map(([, name]) => name)),
)

/** A variable of a parameter struct, or the call of a function that returns one. */
const isStruct = (code: string, expression: string): boolean => {
  const name = /^\w+/.exec(expression)?.[0]
  return name === undefined || structsOf(code).has(name)
}

/** The fields of a parameter struct that matter: one row has no strides, paddings that are off have no lengths, a fifth is reserved. */
function fieldsOf(code: string, open: number): Span[] {
  const fields = argumentsOf(code, open)
  const first = fields[0] ? code.slice(fields[0].start, fields[0].end).replace(/^\(\w+\)\s*/, '') : ''
  return first === 'false' ? [] : first === '1' ? fields.slice(0, 2) : fields.slice(0, 4)
}

const copying = ['DataCopy', 'DataCopyPad', 'Copy', 'LoadData', 'LoadDataWithTranspose', 'Fixpipe']

const arraysOf = keepingLast(
  (code) => new Set([...code.matchAll(/\b(\w+)\s*\[[^[\]]*\]\s*;/g)].map(([, name]) => name)),
)

/** The element that an expression begins at: `panels[i][offset]` is element `offset` of one of several tensors. */
function offsetOf(code: string, { start, end }: Span): Span[] {
  const indices: Span[][] = []
  for (let i = start; i < end; i++) {
    if (code[i] === '[') indices.push(argumentsOf(code, i))
    if ((code[i] ?? '') in closers) i = Math.max(i, closing(code, i))
  }
  const name = /^\w+/.exec(code.slice(start, end))?.[0]
  return (arraysOf(code).has(name) ? indices.slice(1) : indices).at(-1) ?? []
}

/** Where a global tensor begins: what is added to the address that it is given. */
const baseAddresses = (code: string, text: string): Edit[] =>
  callsOf(code, ['SetGlobalBuffer']).flatMap(({ open }) => {
    const [address] = argumentsOf(code, open)
    let plus = -1
    for (let i = address?.start ?? 0; i < (address?.end ?? 0); i++) {
      if (code[i] === '+') plus = i
      if ((code[i] ?? '') in closers) i = Math.max(i, closing(code, i))
    }
    if (!address || plus < 0) return []
    return shifted(text, trimmed(code, { start: plus + 1, end: address.end }), 'offsets')
  })

/** Lengths, strides and offsets of copies. */
function copies(code: string, text: string): Edit[] {
  return callsOf(code, copying).flatMap(({ name, open }) => {
    const [dst, src, ...rest] = argumentsOf(code, open)
    const places = [dst, src].flatMap((side) =>
      side ? offsetOf(code, side).flatMap((index) => shifted(text, index, 'offsets')) : [],
    )
    if (!name.includes('Copy')) return places
    const lengths = rest.flatMap((argument) => {
      if (code[argument.start] === '{') return fieldsOf(code, argument.start)
      return isStruct(code, code.slice(argument.start, argument.end)) ? [] : [argument]
    })
    return [
      ...places,
      ...lengths
        .filter((length) => isNumeric(text.slice(length.start, length.end)))
        .flatMap((length) => shifted(text, length, 'lengths')),
    ]
  })
}

/** Fields of parameter structs: in the initialiser, and assigned later. */
function parameters(code: string, text: string): Edit[] {
  const structs = /\b\w*(?:CopyParams|ExtParams|PadParams)(?:<[^<>]*>)?(?:\s+\w+\s*[{(]|\s*\{)|\breturn\s*\{/g
  const fields = [...code.matchAll(structs)].flatMap((match) => {
    const open = match.index + match[0].length - 1
    const declaresFunction = /^\s*(?:const\s*)?\{/.test(code.slice(closing(code, open) + 1))
    return declaresFunction ? [] : fieldsOf(code, open)
  })
  const ofOneMatrix = /\.ndNum\s*=\s*1\s*;/.test(code)
  const assigned = [
    ...code.matchAll(/\.(?:\w*(?:Stride|Gap|Count|Len|Value|Size|Times|Num|Step|Index|StartPt)|[mnk])\s*=([^;=]+);/g),
  ]
    // one matrix has no distance to the next
    .filter(([field]) => !(ofOneMatrix && /(?:Matrix|Nd)Stride/.test(field)))
    .map((match) => {
      const end = match.index + match[0].length - 1
      return trimmed(code, { start: end - match[1]!.length, end })
    })
  return [...fields, ...assigned]
    .filter((field) => isNumeric(text.slice(field.start, field.end)))
    .flatMap((field) => shifted(text, field, 'lengths'))
}

/** Booleans of an instruction, such as whether it transposes or begins a new sum. */
const booleans = (code: string): Edit[] =>
  [...code.matchAll(/\.(\w+)\s*=([^;=]+);/g)]
    .filter(([, name = '']) => /^(?:if|is|en|cmatrix)\w|^unitFlag|[tT]ranspose/.test(name))
    .map((match) => {
      const end = match.index + match[0].length - 1
      const value = match[2]!.trim()
      return {
        damage: 'switches',
        start: end - match[2]!.trimStart().length,
        end,
        replacement: `!(${value})`,
        what: `!(${value})`,
      }
    })

/** The values of constants by their names, of each the first. */
const constantsOf = keepingLast((code) => {
  const found = code.matchAll(/\bconst\s+\w+\s+(\w+)\s*=([^;]{0,1000});/g)
  return new Map([...found].reverse().map(([, name = '', value = '']) => [name, value]))
})

/** Bytes that a length has on top of what is needed, by their name: a constant that only shifts what lies behind. */
function spareOf(code: string, expression: string): string {
  const definition = constantsOf(code).get(expression) ?? expression
  return /\+\s*(\w*SHIFT_BYTES)\s*$/.exec(definition)?.[1] ?? '0'
}

/**
 * Length of buffers: a block less, and half. InitBuffer rounds lengths up to blocks of 32 bytes, so that less than a
 * block changes nothing; bytes named as spare go first. The number of buffers is left alone: a queue with too few stops
 * the kernel by itself, and with just enough it is merely slower.
 */
const buffers = (code: string, text: string): Edit[] =>
  callsOf(code, ['InitBuffer']).flatMap(({ open }) =>
    argumentsOf(code, open)
      .slice(1)
      .slice(-1)
      .flatMap(({ start, end }) => {
        const length = text.slice(start, end)
        const needed = `(${length}) - ${spareOf(code, length)}`
        return [
          { replacement: `((${needed} + 31) / 32 * 32 - 32)`, what: `InitBuffer with a block less than ${length}` },
          { replacement: `((${needed}) / 64 * 32)`, what: `InitBuffer with half of ${length}` },
        ].map((edit) => ({ damage: 'buffers' as const, start, end, ...edit }))
      }),
  )

/** What a last tile is often cut to, decided for one side. */
const minima = (code: string, text: string): Edit[] =>
  callsOf(code, ['min', 'Min', 'Least']).flatMap(({ start, end, open }) => {
    const sides = argumentsOf(code, open)
    // a definition names types, and Min of vectors is an instruction
    if (sides.length !== 2 || /^\s*(?:const\s*)?\{/.test(code.slice(end))) return []
    return sides.map((side) => {
      const kept = text.slice(side.start, side.end)
      const call = text.slice(start, end)
      return {
        damage: 'branches',
        start,
        end,
        replacement: `static_cast<decltype(${call})>(${kept})`,
        what: `${kept} instead of ${call}`,
      }
    })
  })

/** Branches that are never or always taken, and both sides of `?:`. */
function branches(code: string): Edit[] {
  const conditions = [...code.matchAll(/\bif\s*\(/g)].flatMap((match): Edit[] => {
    const open = match.index + match[0].length - 1
    const close = closing(code, open)
    if (close < 0) return []
    const condition = code.slice(open + 1, close).trim()
    return ['false', 'true'].map((constant) => ({
      damage: 'branches',
      start: open + 1,
      end: close,
      replacement: constant,
      what: `if (${condition}) is ${constant}`,
    }))
  })
  const choices = [...code.matchAll(/\?(?=[^:])/g)].flatMap((match): Edit[] =>
    ['&& false', '|| true'].map((constant) => ({
      damage: 'branches',
      start: match.index,
      end: match.index + 1,
      replacement: `${constant} ?`,
      what: `${constant} ? :`,
    })),
  )
  return [...conditions, ...choices]
}

/**
 * Each use of a tiling field becomes the next field that the file uses. The length given to SetGlobalBuffer is what
 * GetSize returns and nothing else: where nobody asks for it, its fields are left alone.
 */
function tilingFields(code: string): Edit[] {
  const lengths = /\bGetSize\s*\(/.test(code)
    ? []
    : callsOf(code, ['SetGlobalBuffer']).flatMap(({ open }) => argumentsOf(code, open).slice(1))
  const uses = [...code.matchAll(/\btiling(?:Data)?_?(?:\.|->)(\w+)\b(?!\s*\()/g)].filter(
    ({ index }) => !lengths.some(({ start, end }) => start <= index && index < end),
  )
  const names = [...new Set(uses.map((match) => match[1]!))]
  if (names.length < 2) return []
  const next = new Map(names.map((name, i) => [name, names[(i + 1) % names.length]!]))
  return uses.map((match) => {
    const name = match[1]!
    const other = next.get(name)!
    const end = match.index + match[0].length
    return { damage: 'tiling', start: end - name.length, end, replacement: other, what: `${other} instead of ${name}` }
  })
}

/** What is longer is left alone: each of many calls in each other would be told with all that it holds. */
const longest = 4000

/** Every single edit of a device source that the tool knows, in the order of their places. */
export function editsOf(text: string): Edit[] {
  const code = codeOf(text)
  const all = [
    ...deletions(code, text),
    ...eventIds(code, text),
    ...copies(code, text),
    ...baseAddresses(code, text),
    ...parameters(code, text),
    ...booleans(code),
    ...buffers(code, text),
    ...branches(code),
    ...minima(code, text),
    ...tilingFields(code),
  ]
  return all.filter(({ start, end }) => end - start <= longest).toSorted((one, other) => one.start - other.start)
}

/** The source with an edit; what follows stays on its line. */
export function applyEdit(text: string, { start, end, replacement }: Edit): string {
  const lines = text.slice(start, end).split('\n').length - replacement.split('\n').length
  return text.slice(0, start) + replacement + '\n'.repeat(Math.max(0, lines)) + text.slice(end)
}

/** Line number of a position, from 1. */
export const lineOf = (text: string, position: number): number => linesOf(text)(position)

const linesOf = keepingLast(lineNumbers)
