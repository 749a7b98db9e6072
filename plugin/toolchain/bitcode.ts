import { walkBitcode, type BitcodeRecord } from './bitstream.ts'

/** A number of another type that clang computes from a variable. */
export interface BitcodeCast {
  /** mangled name of the function */
  name: string
  kind: 'unsigned' | 'double'
  line: number
  column: number
  /** what uses the number is a sum, a product or a comparison */
  isOperand: boolean
}

const blocks = { module: 8, function: 12, type: 17, stringTable: 23 }
const functionInModule = 8
const typeCodes = { entries: 1, nothing: 2, float: 3, double: 4, integer: 7, half: 10, structName: 19, function: 21 }
const functionCodes = {
  blocks: 1,
  arithmetic: 2,
  cast: 3,
  returns: 10,
  branch: 11,
  choice: 12,
  unreachable: 15,
  load: 20,
  compare: 28,
  locationAgain: 33,
  call: 34,
  location: 35,
  store: 44,
}
const casts = { toUnsigned: 3, toSigned: 4, ofUnsigned: 5, ofSigned: 6, narrowed: 7, widened: 8 }

/** Records that make no value. */
const valueless: ReadonlySet<number> = new Set([
  functionCodes.blocks,
  functionCodes.returns,
  functionCodes.branch,
  functionCodes.choice,
  functionCodes.unreachable,
  functionCodes.store,
])

/** Flags of a call: whether its type and what is known of its floats are written down. */
const callFlags = { hasType: 1 << 15, hasFloatRules: 1 << 17 }

const magic = 0xdec04342

type NumberType = 'bool' | 'half' | 'float' | 'double' | 'other' | 'nothing' | 'function of nothing' | 'product and sum'

/** The kind of a cast between two types; null for one that the device has, or that nothing here tells apart from one. */
function kindOf(code: number, from: NumberType, to: NumberType): BitcodeCast['kind'] | null {
  if (code < casts.toUnsigned || code > casts.widened) return null
  // what becomes a float by narrowing was a double: half is narrower
  if (to === 'double' || from === 'double' || (code === casts.narrowed && to === 'float')) return 'double'
  if (code === casts.toUnsigned) return 'unsigned'
  return code === casts.ofUnsigned && from !== 'bool' ? 'unsigned' : null
}

/** The records of a function's body, one after the other. */
class Body {
  readonly found: (Omit<BitcodeCast, 'name'> & { value: number })[] = []
  readonly #types: readonly NumberType[]
  /** values made so far; records speak of operands by how far back they are */
  #values = 0
  /** the type of the value that the record before made, where that is known */
  #last: NumberType = 'other'
  /** a cast whose place the next record tells */
  #waiting: BitcodeCast['kind'] | null = null
  #line = 0
  #column = 0

  constructor(types: readonly NumberType[]) {
    this.#types = types
  }

  read(record: BitcodeRecord): void {
    const { code } = record
    if (code === functionCodes.location || code === functionCodes.locationAgain) this.#locate(record)
    else this.#instruction(record)
  }

  #locate({ code, values: [line = 0, column = 0] }: BitcodeRecord): void {
    if (code === functionCodes.location) {
      this.#line = line
      this.#column = column
    }
    if (this.#waiting !== null) {
      const place = { line: this.#line, column: this.#column }
      this.found.push({ kind: this.#waiting, ...place, isOperand: false, value: this.#values - 1 })
    }
    this.#waiting = null
  }

  #instruction({ code, values }: BitcodeRecord): void {
    const [first = 0, second = 0, third = 0] = values
    const type = this.#types[second] ?? 'other'
    if (code === functionCodes.cast) this.#waiting = kindOf(third, first === 1 ? this.#last : 'other', type)
    if (code === functionCodes.arithmetic || code === functionCodes.compare) this.#use([first, second])
    if (code === functionCodes.call && this.#calls(values) === 'product and sum') this.#use(values)
    const hasType = code === functionCodes.cast || code === functionCodes.load
    this.#last = hasType ? type : code === functionCodes.compare ? 'bool' : 'other'
    if (!valueless.has(code) && !(code === functionCodes.call && this.#calls(values) === 'function of nothing'))
      this.#values++
  }

  #use(operands: readonly number[]): void {
    for (const cast of this.found) cast.isOperand ||= operands.includes(this.#values - cast.value)
  }

  /** The type of what is called. */
  #calls([, flags = 0, first = 0, second = 0]: readonly number[]): NumberType {
    if ((flags & callFlags.hasType) === 0) return 'other'
    return this.#types[flags & callFlags.hasFloatRules ? second : first] ?? 'other'
  }
}

/** Functions that return nothing, and those of three numbers of one type: clang makes `a * b + c` a call of such a one. */
function functionType([, result = -1, ...parameters]: readonly number[], types: readonly NumberType[]): NumberType {
  if (types[result] === 'nothing') return 'function of nothing'
  const isFloating = types[result] === 'float' || types[result] === 'half'
  const isAlike = parameters.length === 3 && parameters.every((type) => type === result)
  return isFloating && isAlike ? 'product and sum' : 'other'
}

function numberType({ code, values }: BitcodeRecord, types: readonly NumberType[]): NumberType {
  if (code === typeCodes.integer && values[0] === 1) return 'bool'
  if (code === typeCodes.nothing) return 'nothing'
  if (code === typeCodes.function) return functionType(values, types)
  if (code === typeCodes.half) return 'half'
  return code === typeCodes.float ? 'float' : code === typeCodes.double ? 'double' : 'other'
}

/** The names of all functions lie behind the module. */
function readStrings(bitcode: Buffer): Buffer {
  let strings = Buffer.alloc(0)
  walkBitcode(bitcode, {
    enter: (block) => block === blocks.stringTable,
    record: (block, { blob }) => {
      if (block === blocks.stringTable && blob) strings = Buffer.from(blob)
    },
  })
  return strings
}

/**
 * The casts of variables between floating-point and unsigned numbers, and those from and to double, in the functions that are
 * asked for. The bitcode is what clang made before any optimisation: constants are folded in it, and nothing is inlined. What
 * does not parse yields what was read so far.
 */
export function castsOfBitcode(bitcode: Buffer, isWanted: (name: string) => boolean): BitcodeCast[] {
  const found: BitcodeCast[] = []
  if (bitcode.length < 4 || bitcode.readUInt32LE(0) !== magic) return found
  const types: NumberType[] = []
  /** of the functions that have a body, in the order of the bodies */
  const names: string[] = []
  let body: { name: string; content: Body } | null = null
  const finish = (): void => {
    const { name, content } = body ?? {}
    if (name !== undefined && content) found.push(...content.found.map((cast) => ({ ...cast, name })))
    body = null
  }
  try {
    const strings = readStrings(bitcode)
    let bodies = 0
    walkBitcode(bitcode, {
      enter: (block) => {
        if (block !== blocks.function) return block === blocks.module || block === blocks.type
        finish()
        const name = names[bodies++] ?? ''
        body = isWanted(name) ? { name, content: new Body(types) } : null
        return body !== null
      },
      record: (block, record) => {
        const [offset = 0, length = 0, , , isPrototype] = record.values
        if (block === blocks.function) body?.content.read(record)
        else if (block === blocks.module && record.code === functionInModule && isPrototype === 0)
          names.push(strings.toString('utf8', offset, offset + length))
        else if (block === blocks.type && record.code !== typeCodes.entries && record.code !== typeCodes.structName)
          types.push(numberType(record, types))
      },
    })
  } catch {
    // what was read so far is right
  }
  finish()
  return found
}
