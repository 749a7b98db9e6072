/** What an edit damages. */
export type Damage = 'synchronisation' | 'queues' | 'lengths' | 'offsets' | 'buffers' | 'branches' | 'tiling'

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
export function codeOf(text: string): string {
  return text.replaceAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"/g, (match) => match.replaceAll(/[^\n]/g, ' '))
}

interface Span {
  start: number
  end: number
}

const closers: Record<string, string> = { '(': ')', '[': ']', '{': '}' }

/** Position of the bracket that closes the one at `open`; -1 when there is none. */
function closing(code: string, open: number): number {
  const stack: string[] = []
  for (let i = open; i < code.length; i++) {
    const char = code[i]!
    if (char in closers) stack.push(closers[char]!)
    else if (char === stack.at(-1) && stack.pop() && stack.length === 0) return i
  }
  return -1
}

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
    String.raw`(?:[\w.:]|->|\[[^\]\n]*\])*\b(?:template\s+)?(${names.join('|')})\s*(?:<[^;(){}]*>)?\s*\(`,
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
  /[;{})]\s*$/.test(code.slice(0, start)) && /^\s*;/.test(code.slice(end))

const ordering = ['SetFlag', 'WaitFlag', 'PipeBarrier', 'SyncAll', 'CrossCoreSetFlag', 'CrossCoreWaitFlag', 'IBSet']
const raw = ['set_flag', 'wait_flag', 'pipe_barrier']

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
    ...leaveOut([...ordering, 'IBWait', ...raw], 'synchronisation'),
    ...leaveOut(['EnQue', 'FreeTensor'], 'queues'),
    ...taken,
  ]
}

/** Event ids of flags, one place at a time. */
const eventIds = (code: string, text: string): Edit[] =>
  callsOf(code, ['SetFlag', 'WaitFlag'])
    .flatMap(({ open }) => argumentsOf(code, open).slice(-1))
    .map(({ start, end }) => ({
      damage: 'synchronisation',
      start,
      end,
      replacement: `((${text.slice(start, end)}) ^ 1)`,
      what: `event id ${text.slice(start, end)} ^ 1`,
    }))

/** An expression a little larger or smaller: by one, and by a block of `block` elements or bytes. */
const shifted = (text: string, { start, end }: Span, damage: Damage, block: number): Edit[] =>
  [`+ 1`, `- 1`, `+ ${block}`].map((change) => ({
    damage,
    start,
    end,
    // of the type it had: braces do not narrow
    replacement: `static_cast<std::decay_t<decltype(${text.slice(start, end)})>>((${text.slice(start, end)}) ${change})`,
    what: `${text.slice(start, end)} ${change}`,
  }))

const isNumeric = (text: string): boolean => !/^[{"']|^(?:true|false)$/.test(text) && text !== ''

/** A variable of a parameter struct, or the call of a function that returns one. */
const isStruct = (code: string, expression: string): boolean => {
  const name = /^\w+/.exec(expression)?.[0]
  return name === undefined || new RegExp(String.raw`Params(?:<[^>]*>)?&?\s+${name}\b`).test(code)
}

/** The fields of a parameter struct that matter: one row has no strides, paddings that are off have no lengths, a fifth is reserved. */
function fieldsOf(code: string, open: number): Span[] {
  const fields = argumentsOf(code, open)
  const first = fields[0] ? code.slice(fields[0].start, fields[0].end) : ''
  return first === 'false' ? [] : first === '1' ? fields.slice(0, 2) : fields.slice(0, 4)
}

/** Lengths, strides and offsets of copies. */
function copies(code: string, text: string): Edit[] {
  return callsOf(code, ['DataCopy', 'DataCopyPad', 'Copy']).flatMap(({ open }) => {
    const [dst, src, ...rest] = argumentsOf(code, open)
    const places = [dst, src].flatMap((side) => {
      const bracket = side ? code.indexOf('[', side.start) : -1
      if (!side || bracket < 0 || bracket >= side.end) return []
      return argumentsOf(code, bracket).flatMap((index) => shifted(text, index, 'offsets', 16))
    })
    const lengths = rest.flatMap((argument) => {
      if (code[argument.start] === '{') return fieldsOf(code, argument.start)
      return isStruct(code, code.slice(argument.start, argument.end)) ? [] : [argument]
    })
    return [
      ...places,
      ...lengths
        .filter((length) => isNumeric(text.slice(length.start, length.end)))
        .flatMap((length) => shifted(text, length, 'lengths', 16)),
    ]
  })
}

/** Fields of parameter structs: in the initialiser, and assigned later. */
function parameters(code: string, text: string): Edit[] {
  const structs = /\b\w*(?:CopyParams|ExtParams|PadParams)(?:<[^>]*>)?(?:\s+\w+\s*[{(]|\s*\{)|\breturn\s*\{/g
  const fields = [...code.matchAll(structs)].flatMap((match) => {
    const open = match.index + match[0].length - 1
    const declaresFunction = /^\s*(?:const\s*)?\{/.test(code.slice(closing(code, open) + 1))
    return declaresFunction ? [] : fieldsOf(code, open)
  })
  const assigned = [
    ...code.matchAll(
      /\.(?:blockCount|blockLen|srcStride|dstStride|nValue|dValue|nSize|mSize|m|n|k|repeatTimes)\s*=\s*([^;=]+);/g,
    ),
  ].map((match) => {
    const end = match.index + match[0].length - 1
    return trimmed(code, { start: end - match[1]!.length, end })
  })
  return [...fields, ...assigned]
    .filter((field) => isNumeric(text.slice(field.start, field.end)))
    .flatMap((field) => shifted(text, field, 'lengths', 16))
}

/** Bytes that a length has on top of what is needed, by their name: a constant that only shifts what lies behind. */
function spareOf(code: string, expression: string): string {
  const definition = /^\w+$/.test(expression)
    ? new RegExp(String.raw`\bconst\s+\w+\s+${expression}\s*=([^;]*);`).exec(code)?.[1]
    : undefined
  return /\+\s*(\w*SHIFT_BYTES)\s*$/.exec(definition ?? expression)?.[1] ?? '0'
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
  return uses.map((match) => {
    const name = match[1]!
    const other = names[(names.indexOf(name) + 1) % names.length]!
    const end = match.index + match[0].length
    return { damage: 'tiling', start: end - name.length, end, replacement: other, what: `${other} instead of ${name}` }
  })
}

/** Every single edit of a device source that the tool knows, in the order of their places. */
export function editsOf(text: string): Edit[] {
  const code = codeOf(text)
  const all = [
    ...deletions(code, text),
    ...eventIds(code, text),
    ...copies(code, text),
    ...parameters(code, text),
    ...buffers(code, text),
    ...branches(code),
    ...tilingFields(code),
  ]
  return all.toSorted((one, other) => one.start - other.start)
}

export const applied = (text: string, { start, end, replacement }: Edit): string =>
  text.slice(0, start) + replacement + text.slice(end)

/** Line number of a position, from 1. */
export const lineOf = (text: string, position: number): number => text.slice(0, position).split('\n').length
