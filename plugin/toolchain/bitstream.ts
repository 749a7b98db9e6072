/** The container format of LLVM: nested blocks of records, whose shapes abbreviations say. */

const abbreviationIds = { endBlock: 0, enterBlock: 1, define: 2, unabbreviated: 3 }
const blockInfo = 0

type Operand =
  | { kind: 'literal'; value: number }
  | { kind: 'fixed' | 'vbr'; bits: number }
  | { kind: 'array' | 'char6' | 'blob' }

const char6 = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._'

/** Bits from the lowest of each byte on. */
class Bits {
  at = 0
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  get done(): boolean {
    return this.at + 32 > this.bytes.length * 8
  }

  fixed(bits: number): number {
    if (bits > 24) {
      const low = this.fixed(24)
      return low + this.fixed(bits - 24) * 2 ** 24
    }
    const { bytes, at } = this
    const first = at >> 3
    if (first >= bytes.length) throw new RangeError('bitcode ends early')
    const four =
      (bytes[first] ?? 0) |
      ((bytes[first + 1] ?? 0) << 8) |
      ((bytes[first + 2] ?? 0) << 16) |
      ((bytes[first + 3] ?? 0) << 24)
    this.at = at + bits
    return (four >>> (at & 7)) & ((1 << bits) - 1)
  }

  /** Numbers of more than 53 bits lose the lowest: what is asked for here is small. */
  vbr(bits: number): number {
    const more = 1 << (bits - 1)
    let piece = this.fixed(bits)
    if (piece < more) return piece
    let value = piece - more
    for (let scale = more; piece >= more; scale *= more) {
      piece = this.fixed(bits)
      value += (piece & (more - 1)) * scale
    }
    return value
  }

  align(): void {
    this.at = Math.ceil(this.at / 32) * 32
  }
}

export interface BitcodeRecord {
  code: number
  values: number[]
  blob?: Buffer
}

/** Called for each block and record; an answer of false leaves a block out. */
export interface BitcodeVisitor {
  enter: (block: number, isOutermost: boolean) => boolean
  record: (block: number, record: BitcodeRecord) => void
}

/** Reads blocks from behind the four magic bytes on. Throws `RangeError` where they do not parse. */
export function walkBitcode(bytes: Buffer, visitor: BitcodeVisitor): void {
  const bits = new Bits(bytes)
  bits.at = 32
  const known = new Map<number, Operand[][]>()

  const abbreviation = (): Operand[] => {
    const operands: Operand[] = []
    for (let left = bits.vbr(5); left > 0; left--) {
      if (bits.fixed(1) === 1) {
        operands.push({ kind: 'literal', value: bits.vbr(8) })
        continue
      }
      const encoding = bits.fixed(3)
      if (encoding === 1 || encoding === 2) operands.push({ kind: encoding === 1 ? 'fixed' : 'vbr', bits: bits.vbr(5) })
      else operands.push({ kind: encoding === 3 ? 'array' : encoding === 4 ? 'char6' : 'blob' })
    }
    return operands
  }

  const scalar = (operand: Operand): number => {
    if (operand.kind === 'literal') return operand.value
    if (operand.kind === 'fixed') return operand.bits === 0 ? 0 : bits.fixed(operand.bits)
    if (operand.kind === 'vbr') return operand.bits === 0 ? 0 : bits.vbr(operand.bits)
    return char6.charCodeAt(bits.fixed(6))
  }

  const abbreviated = (operands: readonly Operand[]): BitcodeRecord => {
    const values: number[] = []
    let blob: Buffer | undefined
    for (const [index, operand] of operands.entries()) {
      if (operand.kind === 'array') {
        const element = operands[index + 1]
        if (!element) throw new RangeError('an array of nothing')
        const length = bits.vbr(6)
        if (length > bits.bytes.length * 8) throw new RangeError('an array longer than the bitcode')
        for (let left = length; left > 0; left--) values.push(scalar(element))
        break
      }
      if (operand.kind === 'blob') {
        const length = bits.vbr(6)
        bits.align()
        blob = bits.bytes.subarray(bits.at / 8, bits.at / 8 + length)
        bits.at += length * 8
        bits.align()
      } else values.push(scalar(operand))
    }
    const [code = 0, ...rest] = values
    return { code, values: rest, ...(blob && { blob }) }
  }

  const unabbreviated = (): BitcodeRecord => {
    const code = bits.vbr(6)
    const values: number[] = []
    for (let left = bits.vbr(6); left > 0; left--) values.push(bits.vbr(6))
    return { code, values }
  }

  /** All around the outermost blocks has no end but that of the bytes. */
  const outermost = -1

  const block = (id: number, width: number): void => {
    const abbreviations = [...(known.get(id) ?? [])]
    /** in a block of infos: the block that is spoken of */
    let subject = -1
    for (;;) {
      if (id === outermost && bits.done) return
      const abbreviationId = bits.fixed(width)
      if (abbreviationId === abbreviationIds.endBlock) {
        bits.align()
        return
      }
      if (abbreviationId === abbreviationIds.enterBlock) {
        const inner = bits.vbr(8)
        const innerWidth = bits.vbr(4)
        bits.align()
        const words = bits.fixed(32)
        const end = bits.at + words * 32
        if (inner === blockInfo || visitor.enter(inner, id === outermost)) block(inner, innerWidth)
        bits.at = end
      } else if (abbreviationId === abbreviationIds.define) {
        const made = abbreviation()
        if (id !== blockInfo) abbreviations.push(made)
        else known.set(subject, [...(known.get(subject) ?? []), made])
      } else {
        const operands = abbreviations[abbreviationId - 4]
        if (abbreviationId !== abbreviationIds.unabbreviated && !operands) throw new RangeError('unknown abbreviation')
        const record = operands ? abbreviated(operands) : unabbreviated()
        if (id === blockInfo && record.code === 1) subject = record.values[0] ?? -1
        else visitor.record(id, record)
      }
    }
  }
  block(outermost, 2)
}
