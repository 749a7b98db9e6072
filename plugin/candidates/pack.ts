import { z } from 'zod'
import { snakeCase, type AttributeType, type DType, type TaskInterface } from '../model/index.ts'

/**
 * A pack of MultiKernelBench: one text file with the parts of an operator project as Python string literals. It is read by
 * pattern, as data; no part of it is ever executed.
 */
export interface Pack {
  /** name of the operator as its OpDef registers it, e.g. `SoftplusCustom` */
  operator: string
  /** inputs, outputs and attributes, as `project_json_src` lists them */
  interface: Pick<TaskInterface, 'inputs' | 'outputs' | 'attrs' | 'kernel'>
  /** relative path to content: what the operator project consists of */
  files: ReadonlyMap<string, string>
  /** the PyTorch model that the operator is compared with, where the pack holds it */
  model: string | null
  /** the PyTorch extension that calls the operator, where the pack holds it */
  extension: string | null
}

/** A pack that no operator project can be made of; the message is one line. */
export class PackError extends Error {
  override name = 'PackError'
}

/** How a line begins that gives a name, which may be annotated, a value: `name = `, `name: str = `, `name += `. */
const target = /(\w+)[ \t]*(?::[^=\n]*)?(\+?)=(?!=)/y
/** What may lie between the parts of a statement; in brackets lines and comments as well. */
const gap = /[ \t\f]|\\\n/y
const gapInBrackets = /\s|\\\n|#[^\n]*/y
const opening = /([A-Za-z]{0,2})('{3}|"{3}|['"])/y
const stripping = /\.(l|r|)strip\(\)/y
const statementEnd = /(?=[\n;#]|$)/y

/** Ends of literals, by the quotes that open them. What is behind a backslash ends none, not even a raw one. */
const closings: Record<string, RegExp> = {
  "'": /\\[^]|'|\n/g,
  '"': /\\[^]|"|\n/g,
  "'''": /\\[^]|'''/g,
  '"""': /\\[^]|"""/g,
}

const escapes: Record<string, string> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** The value of a Python string literal; unknown escapes stay what they are, as in Python. */
const unescaped = (text: string, name: string): string =>
  text.replace(
    /\\(?:([0-7]{1,3})|x([\dA-Fa-f]{2})|u([\dA-Fa-f]{4})|U(00(?:0[\dA-Fa-f]|10)[\dA-Fa-f]{4})|([^]))/g,
    (whole, octal?: string, byte?: string, short?: string, long?: string, other = '') => {
      if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8))
      const code = byte ?? short ?? long
      if (code !== undefined) return String.fromCodePoint(parseInt(code, 16))
      // by the names of characters none writes kernels; the others end Python
      if ('xuUN'.includes(other)) throw new PackError(`${name} has an escape \\${other} that cannot be read`)
      return escapes[other] ?? whole
    },
  )

const stripped = (text: string, side: string): string => {
  if (side === 'l') return text.trimStart()
  return side === 'r' ? text.trimEnd() : text.trim()
}

/**
 * What a text assigns at the starts of its lines, of values that begin with a string literal: read as Python reads it, once from
 * one end to the other.
 */
class Assignments {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    // what Python leaves out as well: a byte order mark, and how other systems end lines
    this.#text = text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')
  }

  /** By name; null where the value is more than a text. */
  read(): Map<string, string | null> {
    const found = new Map<string, string | null>()
    while (this.#at < this.#text.length) {
      const [, name = '', plus] = this.#take(target) ?? []
      const start = this.#at
      const value = name === '' ? undefined : this.#value(name)
      if (value === undefined) this.#at = start
      else {
        const before = plus === '' ? '' : (found.get(name) ?? null)
        found.set(name, value === null || before === null ? null : before + value)
      }
      const end = this.#text.indexOf('\n', this.#at)
      this.#at = end < 0 ? this.#text.length : end + 1
    }
    return found
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match !== null) this.#at = pattern.lastIndex
    return match
  }

  /** Literals behind each other, and added ones, are one text; brackets around them change nothing. */
  #value(name: string): string | null | undefined {
    let brackets = 0
    const skipGap = (): void => {
      while (this.#take(brackets > 0 ? gapInBrackets : gap) !== null);
    }
    const skips = (token: string): boolean => {
      skipGap()
      const isNext = this.#text[this.#at] === token
      if (isNext) this.#at++
      return isNext
    }
    while (skips('(')) brackets++
    const literals: string[] = []
    for (;;) {
      skipGap()
      const literal = this.#literal(name)
      if (literal === null) return null
      if (literal !== undefined) literals.push(literal)
      else if (literals.length === 0) return undefined
      else if (brackets > 0 && skips(')')) brackets--
      else if (!skips('+')) break
    }
    const text = literals.join('')
    const side = this.#take(stripping)?.[1]
    while (brackets > 0 && skips(')')) brackets--
    skipGap()
    if (brackets > 0 || this.#take(statementEnd) === null) return null
    return side === undefined ? text : stripped(text, side)
  }

  /** What is opened here; undefined where no literal begins, null where it is no text, or ends too early. */
  #literal(name: string): string | null | undefined {
    const [, prefix = '', quotes = ''] = this.#take(opening) ?? []
    const closing = closings[quotes]
    if (closing === undefined) return undefined
    const start = this.#at
    closing.lastIndex = start
    let found = closing.exec(this.#text)
    while (found?.[0].startsWith('\\')) found = closing.exec(this.#text)
    if (found === null) throw new PackError(`${name} has a text that does not end`)
    const isTorn = found[0] === '\n'
    this.#at = found.index + (isTorn ? 0 : quotes.length)
    if (isTorn || !/^[ru]?$/i.test(prefix)) return null
    const body = this.#text.slice(start, found.index)
    return /^r$/i.test(prefix) ? body : unescaped(body, name)
  }
}

const argument = z.object({
  name: z.string().regex(/^\w+$/),
  param_type: z.string().default('required'),
  type: z.union([z.string().transform((one) => [one]), z.array(z.string()).min(1)]),
})

const attribute = z.object({
  name: z.string().regex(/^\w+$/),
  param_type: z.string().default('optional'),
  type: z.string(),
  default_value: z.unknown().optional(),
})

const project = z.object({
  op: z.string().regex(/^\w+$/),
  input_desc: z.array(argument).default([]),
  output_desc: z.array(argument).default([]),
  attr: z.array(attribute).default([]),
})

const dtypes: Record<string, DType> = {
  float: 'float32',
  float32: 'float32',
  fp32: 'float32',
  float16: 'float16',
  fp16: 'float16',
  half: 'float16',
  bfloat16: 'bfloat16',
  bf16: 'bfloat16',
  double: 'float64',
  int8: 'int8',
  uint8: 'uint8',
  int16: 'int16',
  uint16: 'uint16',
  int: 'int32',
  int32: 'int32',
  uint32: 'uint32',
  int64: 'int64',
  uint64: 'uint64',
  bool: 'bool',
}

const attributeTypes: Record<string, AttributeType> = {
  int: 'int',
  int32: 'int',
  int64: 'int',
  int32_t: 'int',
  int64_t: 'int',
  float: 'float',
  bool: 'bool',
  string: 'string',
  str: 'string',
  list: 'listInt',
  list_int: 'listInt',
  listInt: 'listInt',
  list_float: 'listFloat',
  listFloat: 'listFloat',
}

function argumentOf({ name, param_type, type }: z.output<typeof argument>): TaskInterface['inputs'][number] {
  const types = type.map((one) => {
    const dtype = dtypes[one.toLowerCase()]
    if (dtype === undefined) throw new PackError(`project_json_src: ${name} has the unknown type ${one}`)
    return dtype
  })
  return {
    name,
    kind: param_type === 'dynamic' ? 'tensorList' : 'tensor',
    required: param_type !== 'optional',
    dtypes: types,
  }
}

function attributeOf({ name, param_type, type }: z.output<typeof attribute>): TaskInterface['attrs'][number] {
  const known = attributeTypes[type]
  if (known === undefined) throw new PackError(`project_json_src: the attribute ${name} has the unknown type ${type}`)
  return { name, type: known, required: param_type === 'required' }
}

/** The JSON of the project: a list of one operator, or the operator itself. */
function projectOf(text: string): z.output<typeof project> {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new PackError(`project_json_src is no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  const parsed = project.safeParse(Array.isArray(json) ? json[0] : json)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new PackError(`project_json_src: ${issue?.path.join('.')}: ${issue?.message}`)
}

/**
 * Reads a pack. `name` is what its files are called (`softplus` gives `softplus_custom.cpp`), as the harness of
 * MultiKernelBench calls them. Throws {@link PackError} when a part is missing or cannot be read.
 */
export function readPack(text: string, name: string): Pack {
  const parts = new Assignments(text).read()
  const of = (part: string): string => {
    const found = parts.get(part)
    if (found === undefined) throw new PackError(`the pack has no ${part}`)
    if (found === null) throw new PackError(`${part} is no text that stands there as a literal`)
    return found
  }
  const described = projectOf(of('project_json_src'))
  const host = of('host_operator_src')
  // harnesses call files by the task or by the operator (`pool_1d_custom`, `pool1d_custom`): the pack says what it expects
  const expected = /#include\s+"(\w+)_tiling\.h"/.exec(host)?.[1]
  const file = expected === snakeCase(described.op) ? expected : `${name}_custom`
  return {
    operator: described.op,
    interface: {
      kernel: /__global__\s+(?:__aicore__\s+)?void\s+(\w+)\s*\(/.exec(of('kernel_src'))?.[1] ?? snakeCase(described.op),
      inputs: described.input_desc.map(argumentOf),
      outputs: described.output_desc.map(argumentOf),
      attrs: described.attr.map(attributeOf),
    },
    files: new Map([
      [`op_host/${file}_tiling.h`, of('host_tiling_src')],
      [`op_host/${file}.cpp`, host],
      [`op_kernel/${file}.cpp`, of('kernel_src')],
    ]),
    model: parts.get('model_src') ?? null,
    extension: parts.get('python_bind_src') ?? null,
  }
}
