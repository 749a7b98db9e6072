import { elementAt, elementType, factorText, globalName, listName, spell, wayText, type Spelling } from './cpp.ts'
import { argumentOf } from './columns.ts'
import { helperTexts, kernelHelpers } from './helpers.ts'
import { askedForWidth, callLines, type CallWriting } from './lower-call.ts'
import type { Argument, Buffer, Expression, Product, Program, StaticTest, Transfer } from './ir.ts'
import { type Memory, type Size } from './memory.ts'
import { productLines } from './lower-product.ts'
import { cppOf } from './primitives.ts'
import type { Order } from './order.ts'
import { lineOf } from './problem.ts'
import { productOf } from './product.ts'
import { keyOf, sameExpression } from './same.ts'
import type { Step, Traffic } from './schedule.ts'
import { sharedBuffers } from './together.ts'
import { partsIn, partsOf, walkStatements } from './walk.ts'
import { knownTests } from './ways.ts'

// The second and the fourth lowering: the class of the kernel with its queues and buffers, and the text of each step, where
// extents become counts, rows are padded, and copies get their bursts.

/** A line of the kernel, and the line of the program that it comes from. */
export interface KernelLine {
  readonly text: string
  readonly from: number | null
}

interface Writing extends CallWriting {
  readonly text: string
  readonly lines: KernelLine[]
  /** scalars that something reads */
  readonly used: ReadonlySet<string>
}

/** C++ types of tensors: those that differ by column are parameters of the class. */
export function typesOf(program: Program): Map<string, string> {
  const all = [...program.inputs, ...program.outputs]
  const types = new Map<string, string>()
  for (const argument of all) {
    // a boolean and a byte are the same to instructions, but not to a test of dtypes
    const same = argument.dtypes.every((each) => each === argument.dtypes[0]!)
    const source = argument.like === null ? argument.name : argument.like
    types.set(argument.name, same ? cppOf(argument.dtypes[0]!) : `Type${source[0]!.toUpperCase()}${source.slice(1)}`)
  }
  return types
}

const isParameter = (type: string): boolean => /^Type[A-Z]/.test(type)

interface Parameter {
  /** as the class declares it */
  readonly declared: string
  /** what it is given */
  readonly given: string
}

/** The parameters of the class. */
function parametersOf(program: Program, types: ReadonlyMap<string, string>, spelling: Spelling): Parameter[] {
  const found = new Map<string, Parameter>()
  for (const { name, dtypes } of [...program.inputs, ...program.outputs]) {
    const type = types.get(name)!
    if (!isParameter(type) || found.has(type)) continue
    const macro = `DTYPE_${name.toUpperCase()}`
    const mayBeBool = dtypes.includes('bool')
    if (mayBeBool) spelling.helpers.add('Stored')
    found.set(type, { declared: `typename ${type}`, given: mayBeBool ? `Stored<${macro}>::Type` : macro })
    if (mayBeBool)
      found.set(`${type} is bool`, {
        declared: `bool Is${type.replace(/^Type/, '')}Bool`,
        given: `AscendC::IsSameType<${macro}, bool>::value`,
      })
  }
  return [...found.values()]
}

/** Names of the arguments of the entry point: an output that is called like an input has one of its own. */
const addressesOf = ({ inputs, outputs }: Program): Map<Argument, string> =>
  new Map([
    ...inputs.map((each): [Argument, string] => [each, each.name]),
    ...outputs.map((each): [Argument, string] => [
      each,
      inputs.some(({ name }) => name === each.name) ? `${each.name}_out` : each.name,
    ]),
  ])

export interface KernelText {
  /** the class up to `Process` */
  readonly init: string
  readonly lines: readonly KernelLine[]
}

/** `op_kernel/<entry>.cpp`, line by line. */
export function kernelSource(program: Program, memory: Memory, steps: readonly Step[], text: string): KernelLine[] {
  const product = productOf(program)
  return product ? productSource(program, product, text) : vectorSource(program, memory, steps, text)
}

/** The kernel that is a product of matrices. */
function productSource(program: Program, product: Product, text: string): KernelLine[] {
  const types = typesOf(program)
  const spelling: Spelling = { part: 'kernel', helpers: new Set() }
  const parameters = parametersOf(program, types, spelling)
  return productLines(program, product, {
    types,
    ...classTexts(parameters),
    names: [...addressesOf(program).values()],
    from: lineOf(text, product.span.start),
  })
}

/** The parameters of the class as it is declared, and as it is named. */
const classTexts = (parameters: readonly Parameter[]): { template: string; instance: string } =>
  parameters.length === 0
    ? { template: '', instance: '' }
    : {
        template: `template <${parameters.map(({ declared }) => declared).join(', ')}>\n`,
        instance: `<${parameters.map(({ given }) => given).join(', ')}>`,
      }

function vectorSource(program: Program, memory: Memory, steps: readonly Step[], text: string): KernelLine[] {
  const strides = stridesOf(program)
  const spelling: Spelling = {
    part: 'kernel',
    helpers: new Set(),
    strideOf: ({ columns }) => strides.get(keyOf(columns))!.name,
  }
  const types = typesOf(program)
  const lines: KernelLine[] = []
  const writing: Writing = {
    program,
    memory,
    spelling,
    types,
    strides,
    text,
    lines,
    used: usedScalars(program),
  }
  const parameters = parametersOf(program, types, spelling)
  const addresses = addressesOf(program)
  const process = processLines(steps, writing)
  const init = initLines(writing, addresses)
  const members = memberLines(writing, addresses)
  const helpers = helperTexts(kernelHelpers, spelling.helpers)
  const { template, instance } = classTexts(parameters)
  const names = [...addresses.values()]
  const given = names.map((name) => `GM_ADDR ${name}`).join(', ')
  const isShared = sharedBuffers(program).length > 0
  return [
    ...plainLines(`#include "kernel_operator.h"\n`),
    ...helpers.flatMap((each) => plainLines(`${each}\n`)),
    ...plainLines(
      `${template}class Kernel${program.name} {
 public:
  __aicore__ inline void Init(${given}${isShared ? ', GM_ADDR workspace' : ''}, const ${program.name}TilingData& tiling, AscendC::TPipe* pipe) {`,
    ),
    ...init,
    ...plainLines(`  }

  __aicore__ inline void Process() {`),
    ...process,
    ...plainLines('  }\n\n private:'),
    ...members,
    ...plainLines(`};

extern "C" __global__ __aicore__ void ${program.entry}(${given}, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(${isShared ? 'KERNEL_TYPE_MIX_AIV_1_0' : 'KERNEL_TYPE_AIV_ONLY'});
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  Kernel${program.name}${instance} op;
  op.Init(${[...names, ...(isShared ? ['workspace'] : []), 'tilingData', '&pipe'].join(', ')});
  op.Process();
}
`),
  ]
}

const plainLines = (body: string): KernelLine[] => body.split('\n').map((each) => ({ text: each, from: null }))

/** Widths of rows, each once, by the expression that says them. */
function stridesOf(program: Program): Map<string, { name: string; columns: Expression }> {
  const found = new Map<string, { name: string; columns: Expression }>()
  for (const { rows, columns } of program.buffers)
    if (rows !== null && !found.has(keyOf(columns)))
      found.set(keyOf(columns), { name: `stride${found.size === 0 ? '' : found.size + 1}_`, columns })
  return found
}

function usedScalars(program: Program): Set<string> {
  const used = new Set<string>()
  const visit = (expression: Expression | null): void => {
    if (expression) for (const part of partsOf(expression)) if (part.op === 'name') used.add(part.name)
  }
  walkStatements(program.kernel, (statement) => {
    for (const part of partsIn(statement)) if (part.op === 'name') used.add(part.name)
    // the width of rows, where single elements are looked for, or a part of the columns
    const asked = partsIn(statement).flatMap((part) => (part.op === 'get' ? [part.buffer] : []))
    if (statement.op === 'set') asked.push(statement.buffer)
    if (statement.op === 'call') asked.push(...askedForWidth(statement))
    for (const { rows, columns } of asked) if (rows) visit(columns)
    if (statement.op === 'declare' && statement.buffer.ways.length > 0)
      [statement.buffer.rows, statement.buffer.columns].forEach(visit)
  })
  return used
}

const needsAlign = ({ strides }: Writing): boolean => strides.size > 0

/** Elements that rows begin at multiples of, as the class knows it. */
function rowAlignText({ memory, program, types, spelling }: Writing): string {
  if (typeof memory.rowAlign === 'number') return String(memory.rowAlign)
  const widths = new Set<string>()
  for (const { rows, type } of program.buffers)
    if (rows !== null) widths.add('dtype' in type && type.dtype === 'mask' ? 'half' : elementType({ type }, types))
  spelling.helpers.add('RowAlign')
  return `RowAlign<${[...widths].join(', ')}>()`
}

function initLines(writing: Writing, addresses: ReadonlyMap<Argument, string>): KernelLine[] {
  const { program, memory, spelling, types } = writing
  const lines: string[] = ['    tiling_ = &tiling;']
  if (program.buffers.some(({ ways }) => ways.length > 0)) lines.push('    pipe_ = pipe;')
  for (const [argument, address] of addresses)
    lines.push(
      argument.isList
        ? `    ${listName(tensorName(argument, program))} = ${address};`
        : `    ${globalName(tensorName(argument, program))}.SetGlobalBuffer(reinterpret_cast<__gm__ ${types.get(argument.name)}*>(${address}));`,
    )
  const fixed = memory.areas.filter(({ buffer }) => buffer === null || buffer.ways.length === 0)
  const sizes = fixed.flatMap((area) => area.sizes)
  const tests = knownTests(program)
  const asked = sizes.flatMap(({ ways }) => ways.flatMap(({ test }) => tests.get(test) ?? []))
  const names = new Set(
    [...sizes.flatMap((size) => [size.rows, size.columns]), ...asked]
      .flatMap((each) => (each ? partsOf(each) : []))
      .flatMap((part) => (part.op === 'name' ? [part.name] : [])),
  )
  const shared = sharedBuffers(program)
  for (const { columns } of [...writing.strides.values(), ...shared])
    for (const part of partsOf(columns)) if (part.op === 'name') names.add(part.name)
  for (const field of program.fields) if (names.has(field.name)) lines.push(`    ${fieldLine(field.name, field.value)}`)
  for (const { name, columns } of writing.strides.values()) {
    spelling.helpers.add('AlignUp')
    lines.push(`    ${name} = AlignUp(${spell(columns, spelling)}, ROW_ALIGN);`)
  }
  if (shared.length > 0) lines.push(...slotLines(shared, writing))
  for (const { buffer, sizes: own } of fixed) {
    if (buffer) lines.push(...underBranches(buffer, initBuffer(buffer, writing, 'pipe'), writing))
    else lines.push(...temporaryInit(own, writing))
  }
  return lines.map((each) => ({ text: each, from: null }))
}

/** Where in the workspace cores leave what they share: a slot each, twice, as one may begin anew while others still read. */
function slotLines(shared: readonly Buffer[], writing: Writing): string[] {
  const { helpers } = writing.spelling
  helpers.add('Bytes')
  if (shared.length > 1) helpers.add('Max')
  const bytes = [...new Set(shared.map((each) => `static_cast<int64_t>(Bytes<float>(${capacityText(each, writing)}))`))]
  return [
    '    slots_ = AscendC::GetUserWorkspace(workspace);',
    `    slotBytes_ = ${bytes.reduce((most, each) => `Max(${most}, ${each})`)};`,
  ]
}

const tensorName = (argument: Argument, { inputs, outputs }: Program): string =>
  outputs.includes(argument) && inputs.some(({ name }) => name === argument.name)
    ? `${argument.name}Out`
    : argument.name

const fieldLine = (name: string, value: Expression): string =>
  `const ${value.type === 'float' ? 'float' : value.type === 'bool' ? 'bool' : 'int64_t'} ${name} = tiling_->${name}${value.type === 'bool' ? ' != 0' : ''};`

const queue = (buffer: Buffer): string => `${buffer.name}Queue_`
const memoryName = (buffer: Buffer): string => `${buffer.name}Buffer_`

function initBuffer(buffer: Buffer, writing: Writing, pipe: string): string {
  const { memory, spelling } = writing
  spelling.helpers.add('Bytes')
  const elements = capacityText(buffer, writing)
  const isMask = 'dtype' in buffer.type && buffer.type.dtype === 'mask'
  if (isMask) spelling.helpers.add('CeilDiv')
  const bytes = `Bytes<${elementType(buffer, writing.types)}>(${isMask ? `CeilDiv(${elements}, 8)` : elements})`
  return memory.roleOf.get(buffer) === 'scratch'
    ? `${pipe}->InitBuffer(${memoryName(buffer)}, ${bytes});`
    : `${pipe}->InitBuffer(${queue(buffer)}, ${memory.depthOf.get(buffer)}, ${bytes});`
}

function capacityText({ rows, columns }: Buffer, { spelling, strides }: Writing): string {
  if (rows === null) return spell(columns, spelling)
  return `${factorText(rows, spelling)} * ${strides.get(keyOf(columns))!.name}`
}

function underBranches(buffer: Buffer, line: string, writing: Writing): string[] {
  if (buffer.branch.length === 0) return [`    ${line}`]
  const test = buffer.branch
    .map(({ test: each, taken }) => (taken ? testText(each, writing) : `!(${testText(each, writing)})`))
    .join(' && ')
  return [`    if constexpr (${test}) {`, `      ${line}`, '    }']
}

/** What calls work in: the largest of all, but for those on a side of a test that is known not to be taken. */
function temporaryInit(sizes: readonly Size[], { program, spelling, strides }: Writing): string[] {
  const tests = knownTests(program)
  const terms = new Set(
    sizes.map(({ rows, columns, align, bytes, ways }) => {
      const width = align !== 1 ? strides.get(keyOf(columns))!.name : factorText(columns, spelling)
      const elements = rows === null ? width : `${factorText(rows, spelling)} * ${width}`
      const total = bytes === 1 ? elements : `${elements} * ${String(bytes)}`
      const test = wayText(ways, tests, spelling)
      return test === '' ? total : `(${test} ? ${total} : static_cast<int64_t>(0))`
    }),
  )
  spelling.helpers.add('Bytes')
  const numbers = [...terms].filter((each) => /^[\d *]+$/.test(each))
  const constant = numbers.map((each) => each.split(' * ').reduce((product, part) => product * Number(part), 1))
  const rest = [...terms].filter((each) => !numbers.includes(each))
  const all = [...rest, ...(constant.length > 0 ? [String(Math.max(...constant))] : [])]
  if (all.length > 1) spelling.helpers.add('Max')
  const most = all.reduce(
    (text, each) =>
      text === '' ? each : `Max(${text}, ${/^\d+$/.test(each) ? `static_cast<int64_t>(${each})` : each})`,
    '',
  )
  return [`    pipe->InitBuffer(workBuffer_, Bytes<uint8_t>(${most}));`]
}

function memberLines(writing: Writing, addresses: ReadonlyMap<Argument, string>): KernelLine[] {
  const { program, memory, types } = writing
  const lines: string[] = []
  if (needsAlign(writing))
    lines.push(`  static constexpr int64_t ROW_ALIGN = ${rowAlignText(writing)};  // rows begin on blocks`, '')
  lines.push(`  const ${program.name}TilingData* tiling_ = nullptr;`)
  if (program.buffers.some(({ ways }) => ways.length > 0)) lines.push('  AscendC::TPipe* pipe_ = nullptr;')
  for (const argument of addresses.keys())
    lines.push(
      argument.isList
        ? `  GM_ADDR ${listName(tensorName(argument, program))} = nullptr;`
        : `  AscendC::GlobalTensor<${types.get(argument.name)}> ${globalName(tensorName(argument, program))};`,
    )
  const positions = {
    in: 'TQue<AscendC::TPosition::VECIN, ',
    out: 'TQue<AscendC::TPosition::VECOUT, ',
    through: 'TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, ',
  }
  for (const { buffer, role } of memory.areas) {
    if (buffer === null) lines.push('  AscendC::TBuf<AscendC::TPosition::VECCALC> workBuffer_;  // what calls work in')
    else if (role === 'scratch') lines.push(`  AscendC::TBuf<AscendC::TPosition::VECCALC> ${memoryName(buffer)};`)
    else lines.push(`  AscendC::${positions[role]}${memory.depthOf.get(buffer)}> ${queue(buffer)};`)
  }
  for (const { name } of writing.strides.values())
    lines.push(`  int64_t ${name} = 0;  // elements from one row to the next`)
  if (sharedBuffers(program).length > 0)
    lines.push(
      '  GM_ADDR slots_ = nullptr;  // what cores leave for each other',
      '  int64_t slotBytes_ = 0;',
      '  int64_t round_ = 0;',
    )
  return lines.map((each) => ({ text: each, from: null }))
}

function processLines(steps: readonly Step[], writing: Writing): KernelLine[] {
  const { program, used, lines, memory } = writing
  const indent = '    '
  if (program.core !== null && used.has(program.core))
    lines.push({ text: `${indent}const int64_t ${program.core} = AscendC::GetBlockIdx();`, from: null })
  for (const { name, value } of program.fields)
    if (used.has(name)) lines.push({ text: `${indent}${fieldLine(name, value)}`, from: null })
  if (memory.areas.some(({ buffer }) => buffer === null))
    lines.push({
      text: `${indent}const AscendC::LocalTensor<uint8_t> work = workBuffer_.template Get<uint8_t>();`,
      from: null,
    })
  writeSteps(steps, indent, writing)
  return lines
}

function writeSteps(steps: readonly Step[], indent: string, writing: Writing): void {
  for (const step of steps)
    if (step.op === 'statement') writeStatement(step, indent, writing)
    else if (step.op === 'order') writing.lines.push({ text: `${indent}${orderText(step.order, writing)}`, from: null })
    else writing.lines.push({ text: `${indent}${trafficText(step, writing)}`, from: null })
}

function orderText(order: Order, { spelling }: Writing): string {
  if (order === 'MTE3' || order === 'ALL') return `AscendC::PipeBarrier<PIPE_${order}>();`
  spelling.helpers.add('Await')
  return `Await<AscendC::HardEvent::${order}>();`
}

function trafficText(step: Traffic, writing: Writing): string {
  const { buffer } = step
  const type = elementType(buffer, writing.types)
  const name = buffer.name
  switch (step.op) {
    case 'alloc':
      return `${step.declares ? `AscendC::LocalTensor<${type}> ` : ''}${name} = ${queue(buffer)}.template AllocTensor<${type}>();`
    case 'dequeue':
      return `${step.declares ? `AscendC::LocalTensor<${type}> ` : ''}${name} = ${queue(buffer)}.template DeQue<${type}>();`
    case 'enqueue':
      return `${queue(buffer)}.EnQue(${name});`
    case 'free':
      return `${queue(buffer)}.FreeTensor(${name});`
    case 'release':
      return `${queue(buffer)}.FreeAllEvent();`
  }
}

/** A question about dtypes in C++: plain where all columns answer it alike. */
export function testText(test: StaticTest, writing: Pick<Writing, 'types' | 'program'>): string {
  const { program, types } = writing
  switch (test.op) {
    case 'is': {
      const [dtype] = test.dtypes
      const own = argumentOf(program, test.tensor).dtypes
      if (own.every((each) => each === own[0])) return String(own[0] === dtype)
      if (!own.includes(dtype!)) return 'false'
      const type = types.get(test.tensor)!
      const flag = `Is${type.replace(/^Type/, '')}Bool`
      if (dtype === 'bool') return flag
      const same = `AscendC::IsSameType<${type}, ${cppOf(dtype!)}>::value`
      return dtype === 'uint8' && own.includes('bool') ? `(${same} && !${flag})` : same
    }
    case 'not':
      return `!${test.operand.op === 'is' ? testText(test.operand, writing) : `(${testText(test.operand, writing)})`}`
    case 'and':
    case 'or':
      return `(${testText(test.left, writing)} ${test.op === 'and' ? '&&' : '||'} ${testText(test.right, writing)})`
  }
}

const scalarTypes = { int: 'int64_t', float: 'float', bool: 'bool' }

function writeStatement(step: Extract<Step, { op: 'statement' }>, indent: string, writing: Writing): void {
  const { statement, blocks } = step
  const { spelling, lines, used, text } = writing
  const from = lineOf(text, statement.span.start)
  const push = (...written: string[]): void => {
    for (const each of written) lines.push({ text: `${indent}${each}`, from })
  }
  const inside = (block: number): void => writeSteps(blocks[block] ?? [], `${indent}  `, writing)
  switch (statement.op) {
    case 'const':
    case 'let':
      if (used.has(statement.name))
        push(
          `${statement.op === 'const' ? 'const ' : ''}${scalarTypes[statement.value.type]} ${statement.name} = ${spell(statement.value, spelling)};`,
        )
      return
    case 'assign':
      return push(`${statement.name} = ${spell(statement.value, spelling)};`)
    case 'for': {
      const { name } = statement
      const isOne = statement.step.op === 'number' && statement.step.value === 1
      push(
        `for (int64_t ${name} = ${spell(statement.from, spelling)}; ${name} < ${spell(statement.to, spelling)}; ${isOne ? `++${name}` : `${name} += ${spell(statement.step, spelling)}`}) {`,
      )
      inside(0)
      return push('}')
    }
    case 'if':
    case 'static-if': {
      const test =
        statement.op === 'if'
          ? `if (${spell(statement.test, spelling)}) {`
          : `if constexpr (${testText(statement.test, writing)}) {`
      push(test)
      inside(0)
      if (statement.no.length > 0) {
        push('} else {')
        inside(1)
      }
      return push('}')
    }
    case 'stage':
      push(`// ${statement.stage}: line ${from}`)
      // tensors that are loaded, and scalars, are the stage's own
      if (statement.stage !== 'copyIn' && !statement.body.some(({ op }) => op === 'const' || op === 'let'))
        return writeSteps(blocks[0] ?? [], indent, writing)
      push('{')
      inside(0)
      return push('}')
    case 'declare':
      return push(...declareLines(statement.buffer, writing))
    case 'matmul':
      // a kernel of its own
      return
    case 'set':
      return push(
        `${statement.buffer.name}.SetValue(${elementAt(statement.buffer, statement.index, spelling)}, static_cast<${elementType(statement.buffer, writing.types)}>(${spell(statement.value, spelling)}));`,
      )
    case 'call':
      return push(...callLines(statement, writing))
    case 'load':
    case 'store':
      return push(transferText(statement, writing))
  }
}

function declareLines(buffer: Buffer, writing: Writing): string[] {
  const type = elementType(buffer, writing.types)
  const isScratch = writing.memory.roleOf.get(buffer) === 'scratch'
  return [
    ...(buffer.ways.length > 0 ? [initBuffer(buffer, writing, 'pipe_')] : []),
    ...(isScratch
      ? [`const AscendC::LocalTensor<${type}> ${buffer.name} = ${memoryName(buffer)}.template Get<${type}>();`]
      : []),
  ]
}

function transferText(
  { op, buffer, tensor, item, offset, extent, pitch }: Transfer,
  { program, spelling, strides, types }: Writing,
): string {
  // an output that overwrites an input has its name: what is stored is the output
  const isOutput =
    op === 'store' && [program.inputs, program.outputs].every((all) => all.some(({ name }) => name === tensor))
  const named = isOutput ? `${tensor}Out` : tensor
  if (item) spelling.helpers.add('TensorOf')
  const global = item
    ? `TensorOf<${types.get(tensor)}>(${listName(named)}, ${spell(item, spelling)})`
    : globalName(named)
  const place = offset.op === 'number' && offset.value === 0 ? global : `${global}[${spell(offset, spelling)}]`
  const [first, second] = op === 'load' ? [buffer.name, place] : [place, buffer.name]
  const columns = spell(extent.columns, spelling)
  const name = `${op === 'load' ? 'Load' : 'Store'}${extent.rows === null ? 'Run' : 'Rows'}`
  spelling.helpers.add(name)
  if (extent.rows === null) return `${name}(${first}, ${second}, ${columns});`
  const stride = strides.get(keyOf(buffer.columns))!.name
  const step = pitch === null || sameExpression(pitch, extent.columns) ? columns : spell(pitch, spelling)
  return `${name}(${first}, ${second}, ${spell(extent.rows, spelling)}, ${columns}, ${step}, ${stride});`
}
