import { dtypes, type DType } from '../model/index.ts'
import { bytesName, factorText, givenName, shapeName, spell, wayText, type Spelling } from './cpp.ts'
import { helperTexts, hostHelpers } from './helpers.ts'
import { argumentOf } from './columns.ts'
import { doubtfulDivisors } from './divisors.ts'
import { fitIsNeeded, namesIn, originOf, sizedBy } from './fitted.ts'
import type { Argument, Attribute, Expression, HostConstant, Product, Program } from './ir.ts'
import { groupsText, planField, planLines, workspaceOfProduct } from './lower-product.ts'
import { listFields, listLines, listOutputs, listSetters } from './lower-lists.ts'
import { type Factor, type Memory, type Size } from './memory.ts'
import { productOf, sizesOf } from './product.ts'
import { fail, lineOf } from './problem.ts'
import { sharedBuffers } from './together.ts'
import { partsOf } from './walk.ts'
import { excludes, knownTests, mostOf } from './ways.ts'

// The first lowering: the host part, that is the tiling struct, the function that fills it, shapes and types of outputs, and
// the definition of the operator.

/** `op_host/<entry>_tiling.h` */
export const tilingHeader = (
  program: Program,
): string => `// What the host decides and the kernel of ${program.name} reads.
#pragma once

#include "register/tilingdata_base.h"${productOf(program) ? '\n#include "tiling/tiling_api.h"' : ''}

namespace optiling {
BEGIN_TILING_DATA_DEF(${program.name}TilingData)
${[
  ...(productOf(program) ? [planField] : []),
  ...listFields(program),
  ...fieldsOf(program.fields).map(
    ({ name, value }) => `TILING_DATA_FIELD_DEF(${value.type === 'float' ? 'float' : 'int64_t'}, ${name});`,
  ),
].join('\n')}
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(${program.name}, ${program.name}TilingData)
}  // namespace optiling
`

/** A struct has one field at least. */
const fieldsOf = (fields: readonly HostConstant[]): readonly HostConstant[] =>
  fields.length > 0 ? fields : [{ name: 'unused', value: zero, span: zero.span }]

const zero: Expression = { op: 'number', value: 0, type: 'int', span: { start: 0, end: 0 } }

interface Writing {
  readonly program: Program
  readonly memory: Memory
  readonly text: string
  readonly spelling: Spelling
  /** names of fields as the host part has them */
  readonly inner: Spelling
  /** tables with a number for each dtype column, by name */
  readonly tables: Map<string, readonly number[]>
}

/** `op_host/<entry>.cpp` */
export function hostSource(program: Program, memory: Memory, text: string): string {
  const spelling: Spelling = { part: 'host', helpers: new Set() }
  const inner = originSpelling(program, spelling)
  const writing: Writing = { program, memory, text, spelling, inner, tables: new Map() }
  const tiling = tilingFunction(writing)
  const helpers = helperTexts(hostHelpers, writing.spelling.helpers)
  const words = program.attributes.some(({ type }) => type === 'string') ? '#include <cstring>\n' : ''
  return `#include <algorithm>
#include <cmath>
${words}#include <limits>

#include "${program.entry}_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"${productOf(program) ? '\n#include "tiling/tiling_api.h"' : ''}

namespace {
${[columnTable(program, writing), ...helpers].filter((each) => each !== '').join('\n\n')}
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
${tiling}
}
}  // namespace optiling

${inference(program)}

${definition(program)}
`
}

const geOf = (dtype: DType): string => `ge::${dtypes[dtype].ge}`

const required = ({ inputs }: Program): Argument[] => inputs.filter((each) => each.required)

/** The arguments that tell dtype columns apart: required inputs, and the others where these do not. */
function telling(program: Program): Argument[] {
  const typed = required(program)
  const rows = Array.from({ length: program.columns }, (_, column) =>
    typed.map(({ dtypes: all }) => all[column]).join(),
  )
  if (new Set(rows).size === program.columns) return typed
  const others = [...program.inputs.filter((each) => !each.required), ...program.outputs]
  return [...typed, ...others.filter(({ dtypes: all }) => all.some((each) => each !== all[0]))]
}

/** Getters count the tensors that are there; behind an optional input those that count parameters are asked. */
function gettersOf({ inputs, outputs }: Program, argument: Argument): { shape: string; desc: string; type: string } {
  const at = inputs.indexOf(argument)
  if (at < 0) {
    const output = outputs.indexOf(argument)
    if (outputs.some(({ isList }) => isList))
      return { shape: `GetDynamicOutputShape(${output}, 0)`, desc: `GetDynamicOutputDesc(${output}, 0)`, type: '' }
    return { shape: `GetOutputShape(${output})`, desc: `GetOutputDesc(${output})`, type: '' }
  }
  if (argument.isList)
    return {
      shape: `GetDynamicInputShape(${at}, 0)`,
      desc: `GetDynamicInputDesc(${at}, 0)`,
      type: `GetDynamicInputDataType(${at}, 0)`,
    }
  const isBehind = inputs.slice(0, at).some((each) => !each.required || each.isList)
  const kind = argument.required ? (isBehind ? 'Required' : '') : 'Optional'
  return {
    shape: `Get${kind}InputShape(${at})`,
    desc: `Get${kind}InputDesc(${at})`,
    type: `Get${kind}InputDataType(${at})`,
  }
}

/** Which dtypes go together, and what differs by that. */
function columnTable(program: Program, { tables }: Writing): string {
  const typed = telling(program)
  const numbers = [...tables].map(([name, values]) => `constexpr int64_t ${name}[] = {${values.join(', ')}};`)
  if (typed.length === 0) return numbers.join('\n')
  const indices = Array.from({ length: program.columns }, (_, column) => column)
  const rows = indices.map((column) => `    {${typed.map(({ dtypes: all }) => geOf(all[column]!)).join(', ')}},`)
  return [
    `// Types of ${typed.map(({ name }) => name).join(', ')} that go together.`,
    `constexpr ge::DataType COLUMNS[][${typed.length}] = {`,
    ...rows,
    '};',
    ...numbers,
    '',
    '// The column that the arguments are in; the number of columns where there is none.',
    'size_t ColumnOf(const gert::TilingContext* context) {',
    '  size_t column = 0;',
    '  for (const auto& types : COLUMNS) {',
    '    bool isThis = true;',
    ...typed.map((each, i) => {
      const desc = `context->${gettersOf(program, each).desc}`
      const absent = program.inputs.includes(each) && !each.required ? `${desc} == nullptr || ` : ''
      const same = `${desc}->GetDataType() == types[${i}]`
      return `    isThis = isThis && ${absent === '' ? same : `(${absent}${same})`};`
    }),
    '    if (isThis) {',
    '      break;',
    '    }',
    '    ++column;',
    '  }',
    '  return column;',
    '}',
  ].join('\n')
}

const attributeGetters: Readonly<Record<Attribute['type'], string>> = {
  int: 'GetInt',
  float: 'GetFloat',
  bool: 'GetBool',
  string: 'GetStr',
  listInt: 'GetListInt',
  listFloat: 'GetListFloat',
}

function tilingFunction(writing: Writing): string {
  const { program, memory, spelling, text } = writing
  const { inputs, name, fields } = program
  const lines: string[] = []
  const used = usedInHost(program)
  const needed = required(program)
  const dims = (input: Argument): string => `context->${gettersOf(program, input).shape}`
  const checks = needed.flatMap((input) => [
    `${dims(input)} == nullptr`,
    `context->${gettersOf(program, input).desc} == nullptr`,
  ])
  if (checks.length > 0) lines.push(`  if (${checks.join(' || ')}) {`, '    return ge::GRAPH_FAILED;', '  }')
  for (const input of inputs) {
    if (!input.required && used.has(input.name))
      lines.push(`  const bool ${givenName(input.name)} = ${dims(input)} != nullptr;`)
    const shape = `${dims(input)}->GetStorageShape()`
    if (!used.has(input.name)) continue
    lines.push(
      input.required
        ? `  const gert::Shape& ${shapeName(input.name)} = ${shape};`
        : `  const gert::Shape ${shapeName(input.name)} = ${givenName(input.name)} ? ${shape} : gert::Shape();`,
    )
  }
  const empty = inputs
    .filter((each) => used.has(each.name))
    .map((each) => `${shapeName(each.name)}.GetShapeSize() <= 0`)
  if (empty.length > 0) lines.push(`  if (${empty.join(' || ')}) {`, '    return ge::GRAPH_FAILED;', '  }')
  lines.push(...listLines(program))
  if (lines.some((each) => each.includes('= Starts('))) spelling.helpers.add('Starts')
  if (needed.length > 0)
    lines.push(
      '  const size_t column = ColumnOf(context);',
      `  if (column == ${program.columns}) {`,
      '    return ge::GRAPH_FAILED;',
      '  }',
    )
  for (const input of inputs)
    if (used.has(`${input.name}.bytes`)) {
      const bytes = input.dtypes.map((each) => dtypes[each].bytes)
      lines.push(`  const int64_t ${bytesName(input.name)} = ${table(writing, `${upper(input.name)}_BYTES`, bytes)};`)
    }
  for (const [i, attribute] of program.attributes.entries())
    if (used.has(attribute.name)) lines.push(...attributeLines(attribute, i))
  lines.push('  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());')
  if (used.has('cores')) lines.push('  const int64_t cores = platform.GetCoreNumAiv();')
  const product = productOf(program)
  if (!product)
    lines.push(
      '  uint64_t ubBytes = 0;',
      '  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);',
      '  const int64_t available = static_cast<int64_t>(ubBytes) - 8 * 1024;  // the library works in the rest',
    )
  const known = new Set(program.attributes.map((each) => each.name))
  const direct = fields.filter(({ name: field, value }) => !(value.op === 'name' && value.name === field))
  for (const constant of program.host)
    if (used.has(constant.name) || fields.some((field) => field.name === constant.name)) {
      lines.push(...constantLines(constant, writing, known))
      known.add(constant.name)
    }
  for (const field of direct) lines.push(...constantLines(field, writing, known))
  lines.push(...unfitLines(writing))
  const total = bytesText(writing, memory.areas)
  if (total.length > 0)
    lines.push(
      ...total.map(
        (each, i) =>
          `${i === 0 ? '  const int64_t bytes = ' : '                        '}${each}${i === total.length - 1 ? ';' : ' +'}`,
      ),
    )
  lines.push(...divisorLines(program.blockDim, writing))
  lines.push(
    `  const int64_t usedCores = ${spell(program.blockDim, spelling)};  // line ${lineOf(text, program.blockDim.span.start)}`,
    `  if (usedCores <= 0${total.length > 0 ? ' || bytes > available' : ''}) {`,
    '    return ge::GRAPH_FAILED;',
    '  }',
    `  ${name}TilingData tiling;`,
    ...(product ? productPlan(product, writing) : []),
    ...listSetters(program),
    ...fieldsOf(fields).map(
      ({ name: field, value }) =>
        `  tiling.set_${field}(${fields.length === 0 ? '0' : value.type === 'float' ? `static_cast<float>(${field})` : field});`,
    ),
    '  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());',
    '  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());',
    `  context->SetBlockDim(static_cast<uint32_t>(${product ? groupsText : 'usedCores'}));`,
    ...(product ? [workspaceOfProduct] : workspaceLines(writing)),
    '  return ge::GRAPH_SUCCESS;',
  )
  return lines.join('\n')
}

/** The library plans a product, of what the arguments are. */
function productPlan(product: Product, { program, inner }: Writing): string[] {
  return planLines(product, {
    spelling: inner,
    descOf: (tensor) => gettersOf(program, argumentOf(program, tensor)).desc,
    shapeOf: shapeName,
  })
}

/** Two slots for each core, where cores leave something for each other. */
function workspaceLines(writing: Writing): string[] {
  const sizes = sharedBuffers(writing.program).map(({ columns }) =>
    sizeText({ copies: 1, rows: null, columns, align: 1, bytes: 4, ways: [] }, 'slot', writing),
  )
  if (sizes.length === 0) return ['  context->GetWorkspaceSizes(1)[0] = 0;']
  const [first, ...more] = [...new Set(sizes)]
  return [
    `  const int64_t slotBytes = ${more.length === 0 ? first! : `std::max({${[first, ...more].join(', ')}})`};`,
    '  const int64_t workspaceBytes = static_cast<int64_t>(platform.GetLibApiWorkSpaceSize()) + 2 * usedCores * slotBytes;',
    '  context->GetWorkspaceSizes(1)[0] = static_cast<size_t>(workspaceBytes);',
    '  context->SetScheduleMode(1);  // all cores at once: they wait for each other',
  ]
}

const upper = (name: string): string => name.replace(/([a-z\d])([A-Z])/g, '$1_$2').toUpperCase()

/** A number, or the place of it in a table of columns. */
function table({ tables }: Writing, name: string, values: readonly number[]): string {
  if (values.every((each) => each === values[0])) return String(values[0])
  let free = name
  for (let i = 2; tables.has(free) && String(tables.get(free)) !== String(values); i++) free = `${name}_${i}`
  tables.set(free, values)
  return `${free}[column]`
}

const columnText = (writing: Writing, name: string, factor: Factor): string =>
  typeof factor === 'number' ? String(factor) : table(writing, name, factor)

const scalarTypes = { int: 'int64_t', float: 'double', bool: 'bool' } as const

function attributeLines(attribute: Attribute, index: number): string[] {
  const { name, type } = attribute
  const get = `context->GetAttrs()->${attributeGetters[type]}(${index})`
  const fallback = ['  if (', ' == nullptr) {', '    return ge::GRAPH_FAILED;', '  }']
  const check = (pointer: string): string[] => [`${fallback[0]}${pointer}${fallback[1]}`, fallback[2]!, fallback[3]!]
  if (type === 'string') return [`  const char* ${name} = ${get};`, ...check(name)]
  if (type === 'listInt' || type === 'listFloat') return [`  const auto* ${name} = ${get};`, ...check(name)]
  return [
    `  const auto* ${name}Given = ${get};`,
    ...check(`${name}Given`),
    `  const ${scalarTypes[type]} ${name} = *${name}Given;`,
  ]
}

function constantLines({ name, value, span }: HostConstant, writing: Writing, known: ReadonlySet<string>): string[] {
  const { spelling, text } = writing
  const type = scalarTypes[value.type]
  const note = `  // line ${lineOf(text, span.start)}`
  if (value.op === 'fit') return fitLines(name, value, writing, known, note)
  return [...divisorLines(value, writing), `  const ${type} ${name} = ${spell(value, spelling)};${note}`]
}

/** Refuses what would be divided by zero. */
const divisorLines = (value: Expression, { program, spelling }: Writing): string[] =>
  [
    ...new Set(
      doubtfulDivisors(value, program).map(({ divisor, under }) =>
        [...under.map((each) => factorText(each, spelling)), `${factorText(divisor, spelling)} == 0`].join(' && '),
      ),
    ),
  ].flatMap((test) => [`  if (${test}) {`, '    return ge::GRAPH_FAILED;  // nothing is divided by it', '  }'])

/** Refuses where not even one of a tile fits, in buffers that the kernel then has. */
function unfitLines({ program, inner }: Writing): string[] {
  const tests = knownTests(program)
  const tiles = [...program.host, ...program.fields].filter(
    ({ name, value }) => value.op === 'fit' && !fitIsNeeded(name, program),
  )
  return tiles.flatMap(({ name }) => {
    const ways = sizedBy(name, program).map((each) => wayText(each.ways, tests, inner))
    const there = ways.includes('')
      ? []
      : [[...new Set(ways)].map((each) => (ways.length > 1 ? `(${each})` : each)).join(' || ')]
    const test = [`${name} == 0`, ...there.map((each) => `(${each})`)].join(' && ')
    return [`  if (${test}) {`, '    return ge::GRAPH_FAILED;  // not even one fits', '  }']
  })
}

function fitLines(
  name: string,
  value: Extract<Expression, { op: 'fit' }>,
  writing: Writing,
  known: ReadonlySet<string>,
  note: string,
): string[] {
  const { program, memory, spelling } = writing
  const sized = sizedBy(name, program)
  if (sized.length === 0)
    fail(value.span, `the size of no buffer is ${name}`, 'fit finds the value of a field that sizes buffers')
  const counted = memory.areas
    .map((area) => ({ ...area, sizes: area.sizes.filter((size) => sized.some((each) => !excludes(each, size))) }))
    .filter(({ sizes }) => sizes.length > 0)
  for (const { sizes } of counted)
    for (const used of sizes.flatMap((size) => [...namesIn(size.rows), ...namesIn(size.columns)])) {
      const origin = originOf(program, used)
      if (origin !== name && !known.has(origin))
        fail(value.span, `${used} sizes buffers too, and is computed behind this`, `compute ${used} before fit`)
    }
  const sum = bytesLines(writing, counted)
  spelling.helpers.add('Fit')
  return [
    ...divisorLines(value.limit, writing),
    `  const auto bytesWith${name[0]!.toUpperCase()}${name.slice(1)} = [&](int64_t ${name}) {`,
    ...sum.map((each, i) => `    ${i === 0 ? 'return ' : '       '}${each}${i === sum.length - 1 ? ';' : ' +'}`),
    '  };',
    `  const int64_t ${name} = Fit(${spell(value.limit, spelling)}, available, bytesWith${name[0]!.toUpperCase()}${name.slice(1)});${note}`,
    // where a test at run time leaves other buffers, it is asked when all fields are known
    ...(!fitIsNeeded(name, program)
      ? []
      : [`  if (${name} == 0) {`, '    return ge::GRAPH_FAILED;  // not even one fits', '  }']),
  ]
}

/** The bytes of areas, one term each. */
function bytesLines(writing: Writing, areas: Memory['areas']): string[] {
  return areas.map(({ name, sizes }) => {
    const terms = [...new Set(sizes.map((size) => sizeText(size, name, writing)))]
    if (terms.length === 1) return terms[0]!
    return `std::max({${terms.join(', ')}})`
  })
}

/** Terms as texts, each once. */
const joined = (terms: readonly (readonly string[])[]): string[] => [...new Set(terms.map((each) => each.join(' + ')))]

/** The most bytes that areas take on any way through the kernel, as terms of a sum. */
function bytesText(writing: Writing, areas: Memory['areas']): string[] {
  const { program, inner } = writing
  const tests = knownTests(program)
  const total = mostOf<readonly string[]>(areas, tests, {
    size: (size, area) => [sizeText(size, area.name, writing)],
    where: (known, term) => {
      const test = wayText(known, tests, inner)
      return test === '' ? term : [`(${test} ? ${term.join(' + ')} : 0)`]
    },
    sum: (terms) => terms.flat(),
    largest: (terms) => {
      const all = joined(terms)
      return all.length === 1 ? [all[0]!] : [`std::max<int64_t>({${all.join(', ')}})`]
    },
  })
  return total === null ? [] : [...total]
}

/** Names of fields as the host part has them. */
const originSpelling = (program: Program, spelling: Spelling): Spelling => ({
  ...spelling,
  rename: new Map(program.fields.map((field): [string, string] => [field.name, originOf(program, field.name)])),
})

function sizeText({ copies, rows, columns, align, bytes }: Size, name: string, writing: Writing): string {
  const { spelling, inner } = writing
  const isAligned = align !== 1
  if (isAligned) spelling.helpers.add('AlignUp')
  spelling.helpers.add('Bytes')
  const width = isAligned
    ? `AlignUp(${spell(columns, inner)}, ${columnText(writing, 'ROW_ALIGN', align)})`
    : factorText(columns, inner)
  const elements = rows === null ? width : `${factorText(rows, inner)} * ${width}`
  const label = upper(name.replace(/\W/g, '') || 'work')
  const total =
    typeof bytes === 'number' && bytes < 1
      ? `(${elements} + 7) / 8`
      : bytes === 1
        ? elements
        : `${elements} * ${columnText(writing, `${label}_BYTES`, bytes)}`
  return `Bytes(${columnText(writing, `${label}_COPIES`, copies)}, ${total})`
}

/** What the host part speaks of: inputs, `x.bytes`, attributes, constants, and cores. */
function usedInHost(program: Program): Set<string> {
  const used = new Set<string>()
  const visit = (expression: Expression): void =>
    partsOf(expression).forEach((part) => {
      if (part.op === 'name') used.add(part.name)
      else if (part.op === 'bytes') used.add(`${part.tensor}.bytes`)
      else if (part.op === 'is-word') used.add(part.attribute)
      else if (part.op === 'length' || part.op === 'item') used.add(part.attribute)
      else if (part.op === 'extent' || part.op === 'product' || part.op === 'rank' || part.op === 'given')
        used.add(part.tensor)
    })
  visit(program.blockDim)
  const product = productOf(program)
  if (product) for (const [tensor] of sizesOf(product)) used.add(tensor)
  for (const { value } of [...program.fields, ...program.host]) visit(value)
  return used
}

/** Shapes and types of outputs, for those who do not know them. */
function inference(program: Program): string {
  const { outputs } = program
  if (outputs.some(({ isList }) => isList)) return inferenceOfLists(program)
  const shapes = outputs.flatMap((output, i) => [
    '  {',
    `    gert::Shape& shape = *context->GetOutputShape(${i});  // ${output.name}`,
    ...shapeLines(output, program),
    '  }',
  ])
  const types = outputs.map((output, i) => `  context->SetOutputDataType(${i}, ${typeText(output, program)});`)
  return inferenceText(shapes, types)
}

const inferenceText = (shapes: readonly string[], types: readonly string[]): string => `namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
${shapes.join('\n')}
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
${types.join('\n')}
  return GRAPH_SUCCESS;
}
}  // namespace ge`

/** The same where outputs are lists: they are counted one after the other. */
function inferenceOfLists(program: Program): string {
  const { inputs, outputs } = program
  const shapes = listOutputs(inputs, outputs, (output) => shapeLines(output, program), {
    more: (source) => `context->GetDynamicInputShape(${source}, i) != nullptr`,
    each: (source) => `*context->GetOutputShape(at) = *context->GetDynamicInputShape(${source}, i);`,
    one: ({ name }) => [`    gert::Shape& shape = *context->GetOutputShape(at);  // ${name}`],
  })
  const types = listOutputs(
    inputs,
    outputs,
    (output) => [`    context->SetOutputDataType(at, ${typeText(output, program)});`],
    {
      more: (source) => `context->GetDynamicInputDataType(${source}, i) != ge::DT_UNDEFINED`,
      each: (source) => `context->SetOutputDataType(at, context->GetDynamicInputDataType(${source}, i));`,
      one: () => [],
    },
  )
  return inferenceText(shapes, types)
}

/** The type of an output: that of an input, or what follows from the types of all. */
function typeText({ dtypes: own, like }: Argument, program: Program): string {
  const inputs = required(program)
  const type = (input: Argument): string => `context->${gettersOf(program, input).type}`
  if (own.every((each) => each === own[0])) return geOf(own[0]!)
  const same = inputs.find((input) => like === input.name || String(input.dtypes) === String(own))
  if (same) return type(same)
  const varied = inputs.filter(({ dtypes: all }) => all.some((each) => each !== all[0]))
  const rows = own.map((each, column) => ({
    test: varied.map((input) => `${type(input)} == ${geOf(input.dtypes[column]!)}`).join(' && '),
    is: geOf(each),
  }))
  const told = rows.filter(({ test }, i) => rows.findIndex((other) => other.test === test) === i)
  const last = told.pop()!
  return [...told.map(({ test, is }) => `${test} ? ${is} : `), last.is].join('')
}

function shapeLines({ like, shape }: Argument, program: Program): string[] {
  const inputs = required(program).filter(({ isList }) => !isList)
  const shapeOf = (input: Argument): string => `context->${gettersOf(program, input).shape}`
  const source = inputs.find(
    ({ name, shape: own }) => like === name || (like === null && String(own) === String(shape)),
  )
  if (source) return [`    shape = *${shapeOf(source)};`]
  const isKnown = (token: string | number): boolean =>
    typeof token === 'number' || inputs.some((each) => each.shape.includes(token))
  if (shape.some((token) => String(token).startsWith('...') && !isKnown(token)))
    return [
      '    shape.SetDimNum(0);',
      '    shape.AppendDim(-2);  // not even the rank is known from the shapes of inputs',
    ]
  return [
    '    shape.SetDimNum(0);',
    ...shape.flatMap((token) => {
      if (typeof token === 'number') return [`    shape.AppendDim(${token});`]
      const input = inputs.find(({ shape: own }) => own.includes(token))
      if (!input) return ['    shape.AppendDim(-1);  // not known from the shapes of inputs']
      const own = input.shape
      const at = own.indexOf(token)
      const spread = own.findIndex((each) => String(each).startsWith('...'))
      const dims = shapeOf(input)
      if (token.startsWith('...'))
        return [
          `    for (size_t axis = ${at}; axis + ${own.length - at - 1} < ${dims}->GetDimNum(); ++axis) {`,
          `      shape.AppendDim(${dims}->GetDim(axis));`,
          '    }',
        ]
      const index = spread >= 0 && at > spread ? `${dims}->GetDimNum() - ${own.length - at}` : String(at)
      return [`    shape.AppendDim(${dims}->GetDim(${index}));`]
    }),
  ]
}

const attributeBuilders: Readonly<Record<Attribute['type'], string>> = {
  int: 'Int',
  float: 'Float',
  bool: 'Bool',
  string: 'String',
  listInt: 'ListInt',
  listFloat: 'ListFloat',
}

function literal({ type, initial }: Attribute): string {
  const one = (value: number | boolean): string =>
    typeof value === 'number' && (type === 'float' || type === 'listFloat')
      ? `${/[.e]/.test(String(value)) ? value : `${value}.0`}f`
      : String(value)
  if (initial === undefined) return ''
  if (typeof initial === 'string') return `"${initial}"`
  return typeof initial === 'object' ? `{${initial.map(one).join(', ')}}` : one(initial)
}

const parameter = (
  direction: string,
  { name: argument, dtypes: all, required: isRequired, isList }: Argument,
): string =>
  `    this->${direction}("${argument}")
        .ParamType(${isList ? 'DYNAMIC' : isRequired ? 'REQUIRED' : 'OPTIONAL'})
        .DataType({${all.map(geOf).join(', ')}})
        .Format({${all.map(() => 'ge::FORMAT_ND').join(', ')}})
        .UnknownShapeFormat({${all.map(() => 'ge::FORMAT_ND').join(', ')}});`

function definition({ name, inputs, outputs, attributes }: Program): string {
  const lines = [
    ...inputs.map((each) => parameter('Input', each)),
    ...outputs.map((each) => parameter('Output', each)),
    ...attributes.map((each) =>
      each.initial === undefined
        ? `    this->Attr("${each.name}").AttrType(REQUIRED).${attributeBuilders[each.type]}();`
        : `    this->Attr("${each.name}").AttrType(OPTIONAL).${attributeBuilders[each.type]}(${literal(each)});`,
    ),
  ]
  return `namespace ops {
class ${name} : public OpDef {
 public:
  explicit ${name}(const char* name) : OpDef(name) {
${lines.join('\n')}
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(${name});
}  // namespace ops`
}
