import { walkBitcode, type BitcodeRecord } from './bitstream.ts'
import { identifierOf } from './mangled.ts'

/** A number of another type that clang computes from a variable, or a variable of a type that the device does not have. */
export interface BitcodeCast {
  /** mangled name of the function */
  name: string
  kind: 'unsigned' | 'double' | 'variable of double' | 'computation in double' | 'computation in half'
  /** 0: what the function takes or returns */
  line: number
  column: number
  /** what uses the number is a sum, a product or a comparison */
  isOperand: boolean
}

const blocks = {
  module: 8,
  attributeLists: 9,
  attributes: 10,
  constants: 11,
  function: 12,
  identification: 13,
  type: 17,
  stringTable: 23,
  symbolTable: 25,
}
const functionInModule = 8
/** Records of a module that make a value: variables, functions, and other names of either. */
const globalValues: ReadonlySet<number> = new Set([7, functionInModule, 9, 14, 15])
/** Of constants, the record that only says of which type those are that follow. */
const typeOfConstants = 1
const internalLinkage = 3
/** of a name that nobody needs to define: `weakref` gives that of another library to a function */
const weakLinkage = 7
const typeCodes = {
  entries: 1,
  nothing: 2,
  float: 3,
  double: 4,
  integer: 7,
  typedPointer: 8,
  half: 10,
  vector: 12,
  longDouble: 13,
  quadruple: 14,
  structName: 19,
  function: 21,
  brainFloat: 23,
  pointer: 25,
}
const functionCodes = {
  blocks: 1,
  arithmetic: 2,
  cast: 3,
  element: 6,
  withElement: 7,
  shuffled: 8,
  returns: 10,
  branch: 11,
  choice: 12,
  unreachable: 15,
  merged: 16,
  load: 20,
  compare: 28,
  selected: 29,
  locationAgain: 33,
  call: 34,
  location: 35,
  store: 44,
  negation: 56,
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

/** Records that compute. */
const computing: ReadonlySet<number> = new Set([
  functionCodes.arithmetic,
  functionCodes.cast,
  functionCodes.compare,
  functionCodes.negation,
])

/** Records that only vectors have. */
const ofVectors: ReadonlySet<number> = new Set([
  functionCodes.element,
  functionCodes.withElement,
  functionCodes.shuffled,
])

/** Flags of a call: whether its type and what is known of its floats are written down. */
const callFlags = { hasType: 1 << 15, hasFloatRules: 1 << 17 }

const magic = 0xdec04342
const magicBytes = Buffer.from([0x42, 0x43, 0xc0, 0xde])

type NumberType =
  | 'bool'
  | 'half'
  | 'float'
  | 'double'
  | 'vector'
  | 'other'
  | 'nothing'
  | 'function of nothing'
  | 'function of half'
  | 'function of double'
  | 'product and sum'

/** The kind of a cast between two types; null for one that the device has, or that nothing here tells apart from one. */
function kindOf(code: number, from: NumberType, to: NumberType): BitcodeCast['kind'] | null {
  if (code < casts.toUnsigned || code > casts.widened) return null
  // what becomes a float by narrowing was a double: half is narrower
  if (to === 'double' || from === 'double' || (code === casts.narrowed && to === 'float')) return 'double'
  if (code === casts.toUnsigned) return 'unsigned'
  return code === casts.ofUnsigned && from !== 'bool' ? 'unsigned' : null
}

/**
 * `x += y * 2.0` computes twice in double before it stores a float: no more precise than a float is. What goes on computing with
 * such a result does so in double, however it came to it.
 */
const mostDoubleSteps = 2

/** What others have computed in double, nobody has counted. */
const unknownSteps = Infinity

/** A call in the body of a function. */
interface BodyCall {
  /** how far back what is called is from the first instruction on */
  back: number
  /** its list of attributes, from 1 on */
  attributes: number
  line: number
}

/** The records of a function's body, one after the other. */
class Body {
  readonly found: (Omit<BitcodeCast, 'name'> & { value: number })[] = []
  /** those that wait for what uses them, by the value that they make */
  readonly #castsOf = new Map<number, { kind: BitcodeCast['kind']; isOperand: boolean }[]>()
  readonly #types: readonly NumberType[]
  /** values made so far; records speak of operands by how far back they are */
  #values = 0
  /** the type of the value that the record before made, where that is known */
  #last: NumberType = 'other'
  /** a cast whose place the next record tells */
  #waiting: BitcodeCast['kind'] | null = null
  #line = 0
  #column = 0
  /** values in double, and how many computations in double they are the result of */
  readonly #doubles = new Map<number, number>()
  /** values in half precision */
  readonly #halves = new Set<number>()
  /** values that are vectors */
  readonly #vectors = new Set<number>()
  hasVectors = false
  readonly calls: BodyCall[] = []
  /** the call that the next record tells the place of */
  #call: BodyCall | null = null

  constructor(types: readonly NumberType[], passesDouble: boolean) {
    this.#types = types
    if (passesDouble) this.found.push({ kind: 'variable of double', line: 0, column: 0, isOperand: false, value: -1 })
  }

  /** Whether it calls what is no function of the module, of which and of the parameters so many values are `given`: a pointer. */
  callsPointer(given: number): boolean {
    return this.calls.some(({ back }) => back <= given)
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
      const cast = { kind: this.#waiting, ...place, isOperand: false, value: this.#values - 1 }
      this.found.push(cast)
      this.#castsOf.set(cast.value, [...(this.#castsOf.get(cast.value) ?? []), cast])
    }
    this.#waiting = null
    if (this.#call) this.#call.line = this.#line
    this.#call = null
  }

  #instruction({ code, values }: BitcodeRecord): void {
    this.#call = null
    const [first = 0, second = 0, third = 0] = values
    const type = this.#types[second] ?? 'other'
    if (code === functionCodes.cast) this.#waiting = kindOf(third, first === 1 ? this.#last : 'other', type)
    if (code === functionCodes.load && type === 'double') this.#waiting = 'variable of double'
    if (code === functionCodes.arithmetic || code === functionCodes.compare) this.#use([first, second])
    if (code === functionCodes.cast && type === 'double') this.#doubles.set(this.#values, 0)
    if (code === functionCodes.arithmetic) {
      this.#computeInDouble([first, second])
      this.#computeInHalf([first, second])
    }
    if (code === functionCodes.compare && this.#steps([first, second]) === unknownSteps)
      this.#waiting = 'computation in double'
    if (code === functionCodes.negation) this.#carry([first])
    if (code === functionCodes.selected) this.#carry([first, second])
    if (code === functionCodes.merged) this.#carry(mergedOperands(values))
    if (code === functionCodes.call) {
      this.#takeResult(values)
      const at = this.#typeOfCall(values)
      // roots and powers in double, which the compiler has for itself
      if (this.#steps(values.slice(at + 2)) !== null) this.#waiting = 'computation in double'
      const back = (values[at + 1] ?? 0) - this.#values
      this.calls.push((this.#call = { back, attributes: first, line: 0 }))
    }
    const hasType = code === functionCodes.cast || code === functionCodes.load
    const operands = code === functionCodes.arithmetic || code === functionCodes.compare ? [first, second] : [first]
    const isOfVectors = operands.some((operand) => this.#vectors.has(this.#values - operand))
    if (ofVectors.has(code) || (computing.has(code) && isOfVectors)) this.hasVectors = true
    if (hasType && type === 'vector') this.#vectors.add(this.#values)
    if (hasType && type === 'half') this.#halves.add(this.#values)
    this.#last = hasType ? type : code === functionCodes.compare ? 'bool' : 'other'
    if (!valueless.has(code) && !(code === functionCodes.call && this.#calls(values) === 'function of nothing'))
      this.#values++
  }

  #use(operands: readonly number[]): void {
    for (const operand of operands)
      for (const cast of this.#castsOf.get(this.#values - operand) ?? []) cast.isOperand = true
  }

  /** How many computations in double the operands are the results of; null where none is a double. */
  #steps(operands: readonly number[]): number | null {
    const steps = operands.flatMap((operand) => this.#doubles.get(this.#values - operand) ?? [])
    return steps.length === 0 ? null : Math.max(...steps)
  }

  #computeInDouble(operands: readonly number[]): void {
    const before = this.#steps(operands)
    if (before === null) return
    this.#doubles.set(this.#values, before + 1)
    if (before >= mostDoubleSteps) this.#waiting = 'computation in double'
  }

  #hasHalf(operands: readonly number[]): boolean {
    return operands.some((operand) => this.#halves.has(this.#values - operand))
  }

  #computeInHalf(operands: readonly number[]): void {
    if (!this.#hasHalf(operands)) return
    this.#halves.add(this.#values)
    this.#waiting = 'computation in half'
  }

  /** The value is one of those, or follows from one: what uses it uses them. */
  #carry(operands: readonly number[]): void {
    const found = operands.flatMap((operand) => this.#castsOf.get(this.#values - operand) ?? [])
    const variables = found.filter(({ kind }) => kind === 'variable of double')
    if (variables.length > 0) this.#castsOf.set(this.#values, variables)
    const steps = this.#steps(operands)
    if (steps !== null) this.#doubles.set(this.#values, steps)
    if (this.#hasHalf(operands)) this.#halves.add(this.#values)
  }

  #takeResult(values: readonly number[]): void {
    const called = this.#calls(values)
    if (called === 'product and sum') this.#use(values)
    if (called === 'function of half') this.#halves.add(this.#values)
    if (called === 'function of double') this.#doubles.set(this.#values, unknownSteps)
  }

  /** The type of what is called. */
  #calls(values: readonly number[]): NumberType {
    if (((values[1] ?? 0) & callFlags.hasType) === 0) return 'other'
    return this.#types[values[this.#typeOfCall(values)] ?? -1] ?? 'other'
  }

  /** Where a call says the type of what it calls, and behind that what it calls. */
  #typeOfCall([, flags = 0]: readonly number[]): number {
    return flags & callFlags.hasFloatRules ? 3 : 2
  }
}

/** Functions by what they return, and those of three numbers of one type: clang makes `a * b + c` a call of such a one. */
function functionType([, result = -1, ...parameters]: readonly number[], types: readonly NumberType[]): NumberType {
  if (types[result] === 'nothing') return 'function of nothing'
  const isFloating = types[result] === 'float' || types[result] === 'half'
  const isAlike = parameters.length === 3 && parameters.every((type) => type === result)
  if (isFloating && isAlike) return 'product and sum'
  if (types[result] === 'half') return 'function of half'
  return types[result] === 'double' ? 'function of double' : 'other'
}

/** What a value that depends on the way may be: the type, then each with the block that it comes from, its sign in the last bit. */
const mergedOperands = ([, ...values]: readonly number[]): number[] =>
  values.filter((_, at) => at % 2 === 0).map((each) => (each % 2 === 0 ? each / 2 : -((each - 1) / 2)))

function numberType({ code, values }: BitcodeRecord, types: readonly NumberType[]): NumberType {
  if (code === typeCodes.integer && values[0] === 1) return 'bool'
  if (code === typeCodes.vector) return 'vector'
  if (code === typeCodes.nothing) return 'nothing'
  if (code === typeCodes.function) return functionType(values, types)
  if (code === typeCodes.half) return 'half'
  // longer ones are no less missing on the device
  if (code === typeCodes.double || code === typeCodes.longDouble || code === typeCodes.quadruple) return 'double'
  return code === typeCodes.float ? 'float' : 'other'
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

/** What clang has made of a translation unit. */
export interface Bitcode {
  /** false: this is not one module that clang wrote, and nothing read from it can be trusted */
  isWhole: boolean
  /** casts of variables between floating-point and unsigned numbers, and those from and to double */
  casts: BitcodeCast[]
  /** functions that the compiler has for itself (`llvm.memcpy.p0.p0.i64`) */
  intrinsics: string[]
  /** it computes with vectors, or has some that are more than a struct of floats passed in a register */
  hasVectors: boolean
  /** pointers of address spaces, whose loads and stores clang does not report */
  hasAddressSpaces: boolean
  /** functions that the headers declare and somebody else has defined: they report loads and stores, and no blocks */
  rewritten: string[]
  /** functions of the kernel that do not report their loads and stores */
  unreported: string[]
  /** processor that functions are compiled for, where they differ */
  processors: string[]
  /** functions without the code around their body that every function has */
  hasNaked: boolean
  /** functions of the kernel that become a part of whatever calls them, functions of the headers included */
  inlined: string[]
  /** functions of the headers into which what they call is put: it would report no blocks either */
  flattened: string[]
  /** functions of the kernel that those of the headers call with default arguments, whose code is in the latter */
  defaulted: string[]
  /** functions that no other unit sees, and that call themselves: no relocation tells of it */
  recursive: string[]
  /** functions that call what a pointer points to */
  callingPointers: string[]
  /** where functions ask for something that depends on what the compiler finds out about a value */
  asking: { name: string; intrinsic: string; line: number }[]
  /** names of other libraries, and of what the compiler adds, that a kernel has given to functions of its own */
  borrowed: string[]
}

/** Structs of floats are passed as vectors of so many bits; of other numbers somebody has asked for them. */
const mostVectorBits = 64

/** Bits of the types that such a struct is made of. */
function bitsOf({ code }: BitcodeRecord): number {
  if (code === typeCodes.half || code === typeCodes.brainFloat) return 16
  return code === typeCodes.float ? 32 : Infinity
}

function hasAddressSpace({ code, values: [first = 0, second = 0] }: BitcodeRecord): boolean {
  return (code === typeCodes.pointer && first !== 0) || (code === typeCodes.typedPointer && second !== 0)
}

const attributeKinds = { flag: 0, number: 1, text: 3, textWithValue: 4, type: 5, typeWithValue: 6 }
const nakedFlag = 7
const inlinedFlag = 2
/** of a function that reports its loads and stores */
const reportingFlag = 30
/** of a function of the kernel (`ofKernels` in flags.ts), and of one that does not report its blocks */
const ownFlag = 57
const silentFlags: ReadonlySet<number | string> = new Set([76, 78])
const ofFunction = 0xffffffff
const ofProcessor = new Set(['target-cpu', 'target-features'])

/** Answered by what is known of a value once a program is optimised; of what is constant anyway clang has answered already. */
const asksOptimiser = /^llvm\.(is\.constant|objectsize)\./

/**
 * As many arguments as functions of the headers give to a function of the kernel, the object among them: to a constructor what is
 * converted or copied, and to an object that is registered for products its tiling and the pipe.
 */
function mostGiven(name: string): number {
  const templated = name.search(/C[12]I/)
  if (/C[12]E/.test(name) || (templated >= 0 && name.lastIndexOf('E') > templated + 2)) return 2
  const registering: Readonly<Record<string, number>> = { npu_emu_attach: 1, Init: 3 }
  return registering[identifierOf(name)] ?? Infinity
}

/** What loads, stores and blocks are reported by. It is called in what is added later alone. */
const reportFunction = /^__(?:[a-z]*san|sanitizer)_/

/** Reads the attributes of a group: `[group, parameter, (kind, name, value)...]`. */
function readAttributes(
  [, , ...values]: readonly number[],
  visit: (name: number | string, value: string) => void,
): void {
  let at = 0
  const text = (): string => {
    const end = values.indexOf(0, at)
    const found = Buffer.from(values.slice(at, end < 0 ? values.length : end)).toString('latin1')
    at = end < 0 ? values.length : end + 1
    return found
  }
  while (at < values.length) {
    const kind = values[at++]
    if (kind === attributeKinds.text) visit(text(), '')
    else if (kind === attributeKinds.textWithValue) visit(text(), text())
    else {
      visit(values[at++] ?? 0, '')
      if (kind === attributeKinds.number || kind === attributeKinds.typeWithValue) at++
    }
  }
}

/** Of the module, what is read beside the functions. */
const isModulePart = (block: number): boolean =>
  block === blocks.type || block === blocks.attributes || block === blocks.attributeLists

/** Around the module: what made it, names of functions, and their symbols. */
const outermostBlocks: ReadonlySet<number> = new Set([blocks.identification, blocks.stringTable, blocks.symbolTable])

/**
 * Reads what clang made before any optimisation: constants are folded in it, and nothing is inlined. Casts are those of the
 * functions that are wanted; of all others it is read only what they call, and that where somebody `followsCalls`, or asks for
 * calls that are inlined. What does not parse yields what was read so far.
 */
export function readBitcode(bitcode: Buffer, isWanted: (name: string) => boolean, followsCalls = false): Bitcode {
  const found: Bitcode = {
    isWhole: false,
    casts: [],
    intrinsics: [],
    hasVectors: false,
    hasAddressSpaces: false,
    rewritten: [],
    unreported: [],
    processors: [],
    hasNaked: false,
    inlined: [],
    flattened: [],
    defaulted: [],
    recursive: [],
    callingPointers: [],
    asking: [],
    borrowed: [],
  }
  if (bitcode.length < 4 || bitcode.readUInt32LE(0) !== magic) return found
  const types: NumberType[] = []
  const bits: number[] = []
  const processors = new Map<string, Set<string>>()
  /** groups of attributes of the kernel's functions, and of those that do not report their blocks */
  const own = new Set<number>()
  const silent = new Set<number>()
  const reporting = new Set<number>()
  const inlined = new Set<number>()
  const lists: (readonly number[])[] = []
  /** of the functions that have a body, in the order of the bodies */
  const names: { name: string; isInternal: boolean; isSilent: boolean; value: number; type: number }[] = []
  /** functions of the kernel that take more than those of the headers give them, by their value */
  const takingMore = new Map<number, string>()
  /** of functions that ask the optimiser, by their value */
  const asked = new Map<number, string>()
  /** how many parameters a type of functions has, and whether one or the result is a double */
  const parameters: { count: number; hasDouble: boolean }[] = []
  /** values of the module: what all functions share */
  let shared = 0
  /** values of the function that is read, its instructions left out */
  let given = 0
  let body: { name: string; content: Body; self: number | null; isOwn: boolean; isSilent: boolean } | null = null
  const isInlined = ({ attributes }: BodyCall): boolean =>
    (lists[attributes - 1] ?? []).some((group) => inlined.has(group))
  const finish = (): void => {
    if (!body) return
    const { name, content, self, isOwn, isSilent } = body
    body = null
    if (content.callsPointer(given)) found.callingPointers.push(name)
    const called = content.calls.map(({ back, line }) => ({ value: shared + given - back, line }))
    if (isSilent) {
      if (content.calls.some(isInlined)) found.flattened.push(name)
      for (const { value } of called) {
        const taken = takingMore.get(value)
        if (taken !== undefined) found.defaulted.push(taken)
      }
    }
    if (!isOwn) return
    if (self !== null && called.some(({ value }) => value === self)) found.recursive.push(name)
    for (const { value, line } of called) {
      const intrinsic = asked.get(value)
      if (intrinsic !== undefined) found.asking.push({ name, intrinsic, line })
    }
    for (const cast of content.found) found.casts.push({ ...cast, name })
    found.hasVectors ||= content.hasVectors
  }
  try {
    const strings = readStrings(bitcode)
    let bodies = 0
    let modules = 0
    let others = 0
    walkBitcode(bitcode, {
      enter: (block, isOutermost) => {
        if (isOutermost && block === blocks.module) modules++
        else if (isOutermost && !outermostBlocks.has(block)) others++
        if (block !== blocks.function)
          return block === blocks.module || block === blocks.constants || isModulePart(block)
        finish()
        const { name = '', isInternal = false, isSilent = false, value = 0, type = -1 } = names[bodies++] ?? {}
        const { count = 0, hasDouble = false } = parameters[type] ?? {}
        given = count
        const isOwn = isWanted(name)
        if (!isOwn && !followsCalls && !(isSilent && inlined.size + takingMore.size > 0)) return false
        body = { name, content: new Body(types, hasDouble), self: isInternal ? value : null, isOwn, isSilent }
        return true
      },
      record: (block, record) => {
        const [offset = 0, length = 0, type = -1, , isPrototype, linkage, list = 0] = record.values
        if (block === blocks.module && globalValues.has(record.code)) shared++
        if (block === blocks.constants && record.code !== typeOfConstants) {
          if (body) given++
          else shared++
        }
        if (block === blocks.function) body?.content.read(record)
        else if (block === blocks.module && record.code === functionInModule) {
          const name = strings.toString('utf8', offset, offset + length)
          if (isPrototype === 0) {
            const groups = lists[list - 1] ?? []
            const isOwn = groups.some((group) => own.has(group))
            const isSilent = groups.some((group) => silent.has(group))
            names.push({ name, isInternal: linkage === internalLinkage, isSilent, value: shared - 1, type })
            if (isOwn && (parameters[type]?.count ?? 0) > mostGiven(name)) takingMore.set(shared - 1, name)
            if (isOwn && isSilent) found.rewritten.push(name)
            if (isOwn && !groups.some((group) => reporting.has(group))) found.unreported.push(name)
            if (isOwn && groups.some((group) => inlined.has(group))) found.inlined.push(name)
          } else if (name.startsWith('llvm.')) {
            found.intrinsics.push(name)
            const [, intrinsic] = asksOptimiser.exec(name) ?? []
            if (intrinsic !== undefined) asked.set(shared - 1, intrinsic)
          } else if (linkage === weakLinkage || reportFunction.test(name)) found.borrowed.push(name)
        } else if (block === blocks.attributeLists) lists.push(record.values)
        else if (block === blocks.attributes)
          readAttributes(record.values, (name, value) => {
            const [group = 0, of] = record.values
            if (name === ownFlag && of === ofFunction) own.add(group)
            if (name === reportingFlag && of === ofFunction) reporting.add(group)
            if (silentFlags.has(name)) silent.add(group)
            if (name === inlinedFlag && of === ofFunction) inlined.add(group)
            if (name === nakedFlag) found.hasNaked = true
            if (typeof name !== 'string' || !ofProcessor.has(name)) return
            processors.set(name, (processors.get(name) ?? new Set()).add(value))
          })
        else if (block === blocks.type && record.code !== typeCodes.entries && record.code !== typeCodes.structName) {
          const [count = 0, element = -1] = record.values
          if (record.code === typeCodes.vector)
            found.hasVectors ||= count * (bits[element] ?? Infinity) > mostVectorBits
          found.hasAddressSpaces ||= hasAddressSpace(record)
          types.push(numberType(record, types))
          const [, ...passed] = record.code === typeCodes.function ? record.values : []
          parameters.push({
            count: Math.max(0, passed.length - 1),
            hasDouble: passed.some((each) => types[each] === 'double'),
          })
          bits.push(bitsOf(record))
        }
      },
    })
    // bytes that a candidate puts before those of the compiler would be read in their place
    found.isWhole = modules === 1 && others === 0 && bitcode.indexOf(magicBytes, 4) < 0
  } catch {
    // what was read so far is right
  }
  finish()
  for (const values of processors.values()) if (values.size > 1) found.processors.push(...values)
  return found
}
