import { bytesOf, type DType } from '../model/index.ts'
import { architecture, socs } from '../soc/profile.ts'
import { argumentOf, holdsIn } from './columns.ts'
import { evaluate } from './evaluate.ts'
import type { Buffer, Call, Expression, Program, Statement, Way } from './ir.ts'
import { fail } from './problem.ts'
import { computedIn, walkStatements } from './walk.ts'

// How much of the unified buffer a program takes. Sizes are expressions of the tiling struct, so that the host part can ask
// for the largest tile that fits; factors that differ by dtype are tables with a number for each column.

/** What the device library may use of the unified buffer, at its top. */
const libraryBytes = 8 * 1024

/** Every buffer is a whole number of vector repeats. */
export const repeatBytes = 256

/** Bytes of a unified buffer that buffers may take; of a device that has a share of it. */
export const ubBytesOf = (share: number): number =>
  Math.floor((architecture.ubBytes * share) / 32) * 32 - architecture.systemBytes - libraryBytes

export const ubBytes = ubBytesOf(1)

/** A number, or one for each dtype column. */
export type Factor = number | readonly number[]

export const factorIn = (factor: Factor, column: number): number =>
  typeof factor === 'number' ? factor : factor[column]!

/** One number where all columns have the same. */
export const factorOf = (values: readonly number[]): Factor =>
  values.every((each) => each === values[0]) ? values[0]! : values

/** Bytes as a sum: `copies * roundUp(rows * alignUp(columns, align) * bytes + extra, 256)`. */
export interface Size {
  /** how many of them there are, 0 where the column has none */
  readonly copies: Factor
  /** null: one row */
  readonly rows: Expression | null
  readonly columns: Expression
  /** elements that rows begin at multiples of */
  readonly align: Factor
  /** bytes of an element; an eighth for a bit */
  readonly bytes: Factor
  /** sides of tests at run time that have it */
  readonly ways: readonly Way[]
}

/** A buffer, or memory that the compiler adds. */
export interface Area {
  /** as a program or the project calls it */
  readonly name: string
  readonly buffer: Buffer | null
  readonly role: Role
  /** the largest of them is what the area takes */
  readonly sizes: readonly Size[]
  /** position of what asks for it */
  readonly at: number
  readonly why: string
}

/** `in`: a queue that is loaded; `out`: one that is stored; `through`: both, and nothing else; `scratch`: neither. */
export type Role = 'in' | 'out' | 'through' | 'scratch'

export interface Memory {
  readonly areas: readonly Area[]
  readonly roleOf: ReadonlyMap<Buffer, Role>
  /** tensors that queues hold at most */
  readonly depthOf: ReadonlyMap<Buffer, number>
  /** elements that rows of two-dimensional buffers begin at multiples of */
  readonly rowAlign: Factor
}

/** The dtype of a buffer in a column. */
export function dtypeIn(program: Program, buffer: Buffer, column: number): DType | 'mask' {
  const { type } = buffer
  if ('dtype' in type) return type.dtype
  return argumentOf(program, type.of).dtypes[column]!
}

/** The same of a buffer that is no mask. */
export function numbersIn(program: Program, buffer: Buffer, column: number): DType {
  const dtype = dtypeIn(program, buffer, column)
  return dtype === 'mask' ? fail(buffer.span, `${buffer.name} is a mask`) : dtype
}

const columnsOf = (program: Program): number[] => Array.from({ length: program.columns }, (_, i) => i)

const elementBytes = (dtype: DType | 'mask'): number => (dtype === 'mask' ? 1 / 8 : bytesOf(dtype))

const bytesFactor = (program: Program, buffer: Buffer): Factor =>
  factorOf(columnsOf(program).map((column) => elementBytes(dtypeIn(program, buffer, column))))

const isIn = (program: Program, buffer: Buffer, column: number): boolean =>
  buffer.branch.every(({ test, taken }) => holdsIn(program, test, column) === taken)

const writtenDepths = ({ buffers }: Program): Map<Buffer, number> => new Map(buffers.map((each) => [each, each.depth]))

/** Finds out what each buffer is for, and how much memory it takes. */
export function memoryOf(program: Program, depthOf: Memory['depthOf'] = writtenDepths(program)): Memory {
  const roleOf = rolesOf(program)
  const rows = program.buffers.filter((each) => each.rows !== null)
  const rowAlign = factorOf(
    columnsOf(program).map((column) => {
      const widths = rows
        .map((each) => dtypeIn(program, each, column))
        .map((each) => (each === 'mask' ? 2 : bytesOf(each)))
      return 32 / Math.min(4, ...widths)
    }),
  )
  const areas = program.buffers.map((buffer): Area => {
    const role = roleOf.get(buffer)!
    const copies = role === 'scratch' ? 1 : depthOf.get(buffer)!
    const active = factorOf(columnsOf(program).map((column) => (isIn(program, buffer, column) ? copies : 0)))
    return {
      name: buffer.name,
      buffer,
      role,
      sizes: [sizeOf(program, buffer, rowAlign, active)],
      at: buffer.span.start,
      why: { in: 'loaded', out: 'stored', through: 'loaded and stored', scratch: 'scratch' }[role],
    }
  })
  return { areas: [...areas, ...temporariesOf(program, rowAlign)], roleOf, depthOf, rowAlign }
}

const sizeOf = (
  program: Program,
  buffer: Buffer,
  rowAlign: Factor,
  copies: Factor,
  bytes = bytesFactor(program, buffer),
): Size => ({
  copies,
  rows: buffer.rows,
  columns: buffer.columns,
  align: buffer.rows === null ? 1 : rowAlign,
  bytes,
  ways: buffer.ways,
})

function rolesOf(program: Program): Map<Buffer, Role> {
  const loaded = new Set<Buffer>()
  const stored = new Set<Buffer>()
  const computed = new Map<Buffer, Statement>()
  walkStatements(program.kernel, (statement) => {
    if (statement.op === 'load') loaded.add(statement.buffer)
    if (statement.op === 'store') stored.add(statement.buffer)
    for (const { buffer } of computedIn(statement)) if (!computed.has(buffer)) computed.set(buffer, statement)
  })
  return new Map(
    program.buffers.map((buffer): [Buffer, Role] => {
      const [isLoaded, isStored] = [loaded.has(buffer), stored.has(buffer)]
      const use = computed.get(buffer)
      if (!isLoaded && !isStored && !use)
        fail(buffer.span, `${buffer.name} is never used`, 'leave it out: it takes memory')
      if (isLoaded && isStored && use)
        fail(
          use.span,
          `${buffer.name} is loaded and stored, and computed on`,
          'load into one buffer and store another one',
        )
      return [buffer, isLoaded ? (isStored ? 'through' : 'in') : isStored ? 'out' : 'scratch']
    }),
  )
}

const number = (value: number): Expression => ({ op: 'number', value, type: 'int', span: { start: 0, end: 0 } })

/** The one area that calls work in, one after the other. */
function temporariesOf(program: Program, rowAlign: Factor): Area[] {
  const found: { call: Call; size: Size }[] = []
  walkStatements(program.kernel, (statement) => {
    if (statement.op !== 'call') return
    const size = temporaryOf(program, statement, rowAlign)
    if (size) found.push({ call: statement, size })
  })
  if (found.length === 0) return []
  const names = [...new Set(found.map(({ call }) => call.primitive.name))].join(', ')
  return [
    {
      name: '(temporary)',
      buffer: null,
      role: 'scratch',
      sizes: found.map(({ size }) => size),
      at: found[0]!.call.span.start,
      why: `what ${names} work in`,
    },
  ]
}

/** What a call works in besides its operands. */
function temporaryOf(program: Program, { primitive, buffers }: Call, rowAlign: Factor): Size | undefined {
  const isSingle = primitive.operands[0]!.kind === 'single'
  const source = buffers.at(1) ?? buffers[0]!
  const ways = buffers.flatMap((each) => each.ways)
  const single = (bytes: number): Size => ({ copies: 1, rows: null, columns: number(1), align: 1, bytes, ways })
  switch (primitive.lowering) {
    case 'reduce':
      // a repeat for each row, and a word where the rows are reduced in turn
      return {
        copies: 1,
        rows: source.rows,
        columns: number(source.rows && isSingle ? repeatBytes + 4 : repeatBytes),
        align: 1,
        bytes: 1,
        ways,
      }
    case 'per-row':
      // a block for each row, eight rows at a time
      return { copies: 1, rows: source.rows, columns: number(32), align: 1, bytes: 1, ways }
    case 'reciprocal':
      return single(32)
    case 'gather':
      return sizeOf(program, buffers[0]!, rowAlign, 1, 4)
    case 'to-bytes':
      return sizeOf(program, buffers[0]!, rowAlign, 1, 2)
    case 'from-bytes':
      return sizeOf(program, source, rowAlign, 1, 2)
    case 'library':
      return single(libraryWork)
    case 'running':
      // three rows of whole pieces and a quarter of one
      return { ...single(13), columns: plus(buffers[0]!.columns, number(128)) }
    case 'pick':
      return { ...single(4), columns: buffers[0]!.columns }
    case 'window': {
      // offsets and one more result; three times the source with what lies around it
      const [target] = buffers
      const around = plus(source.columns, number(160))
      const columns = [target!.columns, target!.columns, around, around, around].reduce(plus)
      return { ...single(4), rows: target!.rows, columns }
    }
    case 'cores':
      return { ...single(4), rows: number(mostCores), columns: plus(buffers[0]!.columns, number(8)) }
    default:
      return undefined
  }
}

/** Cores that may leave something for each other. */
const mostCores = Math.max(...socs.map(({ aivCores }) => aivCores))

const plus = (left: Expression, right: Expression): Expression =>
  left.op === 'number' && right.op === 'number'
    ? number(left.value + right.value)
    : { op: 'operate', operator: '+', left, right, type: 'int', span: left.span }

/** Functions of the library do their work in pieces that fit; most of them want up to 26 repeats for one. */
export const libraryWork = 16 * 1024

/** Bytes of a size where the tiling struct has these values. */
export function bytesIn(size: Size, column: number, fields: ReadonlyMap<string, number>): number {
  const copies = factorIn(size.copies, column)
  const value = (expression: Expression): number => evaluate(expression, { names: fields })
  const align = factorIn(size.align, column)
  const stride = Math.ceil(value(size.columns) / align) * align
  const bytes = Math.ceil((size.rows === null ? 1 : value(size.rows)) * stride * factorIn(size.bytes, column))
  return copies * Math.ceil(bytes / repeatBytes) * repeatBytes
}
