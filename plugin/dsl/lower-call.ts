import type { DType } from '../model/index.ts'
import { elementType, factorText, spell, type Spelling } from './cpp.ts'
import type { Buffer, Call, Expression, Program, Scalar } from './ir.ts'
import { numbersIn, type Memory } from './memory.ts'
import { comparisons, cppOf, roundModeOf } from './primitives.ts'
import { keyOf, sameExpression } from './same.ts'
import { foldOf } from './wide-primitives.ts'

// How a call of a primitive becomes Ascend C: a row of the table for each kind of lowering.

export interface CallWriting {
  readonly program: Program
  readonly memory: Memory
  readonly spelling: Spelling
  /** C++ types of tensors */
  readonly types: ReadonlyMap<string, string>
  /** members that hold the width of rows */
  readonly strides: ReadonlyMap<string, { name: string; columns: Expression }>
}

interface Parts {
  readonly call: Call
  readonly writing: CallWriting
  /** names of buffers, in order */
  readonly names: readonly string[]
  /** elements from the first to the last one */
  readonly count: string
  readonly rows: string
  readonly columns: string
  readonly stride: string
  /** are these rows with what pads them? */
  readonly isWhole: boolean
}

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`)

/** The lines of a call. */
export function callLines(call: Call, writing: CallWriting): string[] {
  const { extent, buffers, primitive } = call
  const { spelling, strides } = writing
  const columns = spell(extent.columns, spelling)
  const rowed = buffers.find((each) => each.rows !== null)
  const stride = rowed ? strides.get(keyOf(rowed.columns))!.name : columns
  const rows = extent.rows === null ? '1' : spell(extent.rows, spelling)
  const parts = { call, writing, names: buffers.map(({ name }) => name), rows, columns, stride }
  const count = extent.rows === null ? columns : `${factorText(extent.rows, spelling, rows)} * ${stride}`
  const whole = (): string[] => lowerings[primitive.lowering]({ ...parts, count, isWhole: extent.rows !== null })
  if (!isRowByRow(call)) return whole()
  const single = rowByRow({ ...parts, count: columns, isWhole: false })
  if (!rowed || restartsInRows(call)) return single
  // most tiles have all columns
  const test = `${factorText(extent.columns, spelling, columns)} == ${factorText(rowed.columns, spelling)}`
  return [`if (${test}) {`, ...indented(whole()), '} else {', ...indented(single), '}']
}

/** Lowerings that know rows. */
const knowsRows: ReadonlySet<Call['primitive']['lowering']> = new Set([
  'per-row',
  'per-column',
  'reduce',
  'columns',
  'running',
  'pick',
  'window',
  'window-rows',
])

/**
 * Rows are computed together with what pads them, but where only a part of their columns is meant, and where padding cannot
 * be an operand.
 */
function isRowByRow(call: Call): boolean {
  const { primitive, buffers, extent } = call
  const rowed = buffers.find((each) => each.rows !== null)
  if (extent.rows === null || !rowed || knowsRows.has(primitive.lowering)) return false
  return restartsInRows(call) || !sameExpression(rowed.columns, extent.columns)
}

/** Indices begin in each row anew, and what pads them is the address of nothing. */
const restartsInRows = ({ primitive: { lowering } }: Call): boolean => lowering === 'index' || lowering === 'gather'

/** The buffer whose width a call asks for at run time: it works on all columns at once where these are all. */
export const askedForWidth = (call: Call): Buffer[] =>
  isRowByRow(call) && !restartsInRows(call) ? call.buffers.filter(({ rows }) => rows !== null).slice(0, 1) : []

/** A call for each row. */
function rowByRow(parts: Parts): string[] {
  const { call, writing, rows, stride } = parts
  const names = call.buffers.map((buffer) => (buffer.rows === null ? buffer.name : `${buffer.name}[row_ * ${stride}]`))
  return [
    `for (int64_t row_ = 0; row_ < ${factorText(call.extent.rows!, writing.spelling, rows)}; ++row_) {`,
    ...indented(lowerings[call.primitive.lowering]({ ...parts, names })),
    '}',
  ]
}

const valueText = (scalar: Scalar | undefined, type: string, { spelling }: CallWriting): string =>
  scalar?.kind === 'value' ? `static_cast<${type}>(${spell(scalar.value, spelling)})` : ''

const wordOf = (scalars: readonly Scalar[]): string => scalars.find((each) => each.kind === 'word')?.word ?? ''

/** The shared memory, as a type. */
const workAs = (type: string): string => (type === 'uint8_t' ? 'work' : `work.template ReinterpretCast<${type}>()`)

const typeAt = ({ call, writing }: Parts, index: number): string => elementType(call.buffers[index]!, writing.types)

/** A function of the project that the call becomes. */
const helper = ({ writing }: Parts, name: string): string => {
  writing.spelling.helpers.add(name)
  return name
}

const counted = (parts: Parts): string => `${helper(parts, 'Count')}(${parts.count})`

/** Whole repeats of comparisons. */
const whole = (parts: Parts, type: string): string => `${helper(parts, 'Whole')}<${type}>(${parts.count})`

const lowerings: Readonly<Record<Call['primitive']['lowering'], (parts: Parts) => string[]>> = {
  count(parts) {
    const { call, names, writing } = parts
    const scalar = valueText(call.scalars[0], typeAt(parts, 0), writing)
    return [
      `AscendC::${call.primitive.ascendc}(${[...names, ...(scalar === '' ? [] : [scalar]), counted(parts)].join(', ')});`,
    ]
  },
  duplicate(parts) {
    const { call, names, writing } = parts
    return [
      `AscendC::Duplicate(${names[0]}, ${valueText(call.scalars[0], typeAt(parts, 0), writing)}, ${counted(parts)});`,
    ]
  },
  index(parts) {
    const { call, names, writing } = parts
    return [
      `AscendC::CreateVecIndex(${names[0]}, ${valueText(call.scalars[0], typeAt(parts, 0), writing)}, ${counted(parts)});`,
    ]
  },
  cast: castLines,
  compare(parts) {
    const { call, names, writing } = parts
    const type = typeAt(parts, 1)
    const mode = `AscendC::CMPMODE::${comparisons[wordOf(call.scalars)]!.cpp}`
    const scalar = valueText(
      call.scalars.find(({ kind }) => kind === 'value'),
      type,
      writing,
    )
    return [
      `AscendC::${call.primitive.ascendc}(${[...names, ...(scalar === '' ? [] : [scalar]), mode, whole(parts, type)].join(', ')});`,
    ]
  },
  select(parts) {
    const { call, names, writing } = parts
    const scalar = valueText(call.scalars[0], typeAt(parts, 0), writing)
    const mode = scalar === '' ? 'VSEL_TENSOR_TENSOR_MODE' : 'VSEL_TENSOR_SCALAR_MODE'
    return [
      `AscendC::Select(${[...names, ...(scalar === '' ? [] : [scalar]), `AscendC::SELMODE::${mode}`, counted(parts)].join(', ')});`,
    ]
  },
  'mask-logic'(parts) {
    const words = parts.names.map((name) => `${name}.template ReinterpretCast<uint16_t>()`)
    helper(parts, 'Count')
    return [
      `AscendC::${parts.call.primitive.ascendc}(${words.join(', ')}, Count(${helper(parts, 'CeilDiv')}(${parts.count}, 16)));`,
    ]
  },
  'to-bytes': (parts) => [
    `${helper(parts, 'MaskToBytes')}(${parts.names.join(', ')}, ${workAs('half')}, ${parts.count});`,
  ],
  'from-bytes': (parts) => [
    `${helper(parts, 'BytesToMask')}(${parts.names.join(', ')}, ${workAs('half')}, ${parts.count});`,
  ],
  'per-row'(parts) {
    const { call, names, rows, columns, stride } = parts
    return [
      `${helper(parts, 'SpreadRows')}<${call.primitive.ascendc}Of>(${names.join(', ')}, ${workAs(typeAt(parts, 0))}, ${rows}, ${columns}, ${stride});`,
    ]
  },
  'per-column'(parts) {
    const { call, names, rows, columns, stride } = parts
    return [
      `${helper(parts, 'SpreadColumns')}<${call.primitive.ascendc}Of>(${names.join(', ')}, ${rows}, ${columns}, ${stride});`,
    ]
  },
  reduce(parts) {
    const { call, names, rows, columns, stride } = parts
    const operation = `${call.primitive.ascendc.replace('WholeReduce', '')}OfRow`
    // one row has no neighbour
    const step = call.extent.rows === null ? `${helper(parts, 'AlignUp')}(${columns}, 32)` : stride
    const isAll = call.extent.rows !== null && call.primitive.operands[0]!.kind === 'single'
    const name = helper(parts, isAll ? 'ReduceAll' : 'ReduceRows')
    return [`${name}<${operation}>(${names.join(', ')}, ${workAs(typeAt(parts, 1))}, ${rows}, ${columns}, ${step});`]
  },
  library(parts) {
    const { call, names } = parts
    return [`AscendC::${call.primitive.ascendc}(${names.join(', ')}, work, static_cast<uint32_t>(${parts.count}));`]
  },
  reciprocal: (parts) => [
    `${helper(parts, 'Reciprocals')}(${parts.names.join(', ')}, ${workAs(typeAt(parts, 0))}, ${parts.count});`,
  ],
  gather: (parts) => [
    `${helper(parts, 'GatherElements')}(${parts.names.join(', ')}, ${workAs('int32_t')}, ${parts.count});`,
  ],
  columns: (parts) => [
    `${helper(parts, 'ReduceColumns')}<${parts.call.primitive.ascendc}Of>(${[...parts.names, parts.rows, parts.columns, parts.stride].join(', ')});`,
  ],
  running(parts) {
    const { call, names, rows, columns, stride } = parts
    const isBackward = wordOf(call.scalars) === 'backward'
    return [
      `${helper(parts, 'RunningRows')}<${call.primitive.ascendc}Of>(${[...names, workAs('float'), identityOf(call), isBackward, rows, columns, stride].join(', ')});`,
    ]
  },
  pick(parts) {
    const { names, rows, stride } = parts
    return [
      `${helper(parts, 'PickColumn')}(${[...names, workAs('int32_t'), ...wholeScalars(parts), rows, stride].join(', ')});`,
    ]
  },
  window(parts) {
    const { call, names, rows, columns, stride, writing } = parts
    const own = writing.strides.get(keyOf(call.buffers[1]!.columns))!.name
    const isWhole = sameExpression(call.buffers[0]!.columns, call.extent.columns)
    return [
      `${helper(parts, 'Windows')}<${call.primitive.ascendc}Of>(${[...names, workAs('float'), identityOf(call), ...wholeScalars(parts), rows, columns, stride, own, isWhole].join(', ')});`,
    ]
  },
  'window-rows'(parts) {
    const { call, names, rows, columns, stride } = parts
    return [
      `${helper(parts, 'WindowRows')}<${call.primitive.ascendc}Of>(${[...names, identityOf(call), ...wholeScalars(parts), rows, columns, stride].join(', ')});`,
    ]
  },
  cores(parts) {
    const { call, names, columns } = parts
    const slots = 'slots_ + (round_ % 2) * AscendC::GetBlockNum() * slotBytes_'
    return [
      `${helper(parts, 'AllReduce')}<${call.primitive.ascendc}Of>(${[...names, workAs('float'), slots, 'slotBytes_', columns].join(', ')});`,
      '++round_;',
    ]
  },
}

/** What a fold begins with. */
function identityOf({ primitive }: Call): string {
  const { identity } = foldOf(primitive.name)
  return Number.isFinite(identity) ? `${identity}.0f` : `${identity < 0 ? '-' : ''}__builtin_inff()`
}

const wholeScalars = ({ call, writing: { spelling } }: Parts): string[] =>
  call.scalars.flatMap((each) => (each.kind === 'value' ? [spell(each.value, spelling)] : []))

/** A cast is a copy in those columns whose types are the same. */
function castLines(parts: Parts): string[] {
  const { call, writing, names, count, isWhole } = parts
  const word = wordOf(call.scalars)
  const { program } = writing
  const columns = Array.from({ length: program.columns }, (_, column) => {
    const [to, from] = call.buffers.map((buffer) => numbersIn(program, buffer, column))
    return { to: to!, from: from!, mode: roundModeOf(from!, to!, word) }
  })
  const rounding = columns.filter(({ mode }) => mode !== null)
  const copy = isWhole ? 'CopyRows' : 'CopyRun'
  if (rounding.length === 0) return [`${helper(parts, copy)}(${names.join(', ')}, ${count});`]
  const mode = modeText(rounding, parts)
  if (rounding.length === columns.length)
    return [`AscendC::Cast(${names.join(', ')}, ${mode}, static_cast<uint32_t>(${count}));`]
  return [`${helper(parts, isWhole ? 'ConvertRows' : 'Convert')}(${names.join(', ')}, ${mode}, ${count});`]
}

/** One mode, or the choice of those types that round otherwise than the last ones. */
function modeText(columns: readonly { to: DType; from: DType; mode: string | null }[], parts: Parts): string {
  const modes = [...new Set(columns.map(({ mode }) => mode!))]
  const last = modes.pop()!
  const choices = modes.map((mode) => {
    const tests = columns.flatMap((each) =>
      each.mode === mode ? [[is(typeAt(parts, 0), each.to), is(typeAt(parts, 1), each.from)].flat()] : [],
    )
    const texts = [...new Set(tests.map((each) => each.join(' && ')))]
    return `${texts.length === 1 ? texts[0] : texts.map((each) => `(${each})`).join(' || ')} ? AscendC::RoundMode::${mode} : `
  })
  return `${choices.join('')}AscendC::RoundMode::${last}`
}

/** The question whether a type is this one, where that is one. */
const is = (type: string, dtype: DType): string[] =>
  type === cppOf(dtype) ? [] : [`AscendC::IsSameType<${type}, ${cppOf(dtype)}>::value`]
