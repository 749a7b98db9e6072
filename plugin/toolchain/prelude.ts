import { dtypes, groupedBy, type Combination, type DType } from '../model/index.ts'
import type { DescribeAnswer } from '../runner/protocol.ts'
import { isIdentifier } from './text.ts'

export type OperatorDescription = DescribeAnswer['operators'][number]
type TilingStruct = DescribeAnswer['tilingStructs'][number]
type Parameter = OperatorDescription['inputs'][number]

/** Tiling structs of the high-level APIs: the kernel headers bring their own definition. */
const providedStructs = new Set([
  'BatchNormTiling',
  'ConfusionTransposeTiling',
  'DeepNormTiling',
  'GroupNormTiling',
  'LayerNormGradBetaTiling',
  'LayerNormGradTiling',
  'LayerNormSeparateTiling',
  'LayerNormTiling',
  'LogSoftMaxTiling',
  'PadTiling',
  'RmsNormTiling',
  'SoftMaxTiling',
  'TCubeTiling',
  'TopkTiling',
  'UnPadTiling',
])

/** Raised when a host library describes itself in a way that no kernel can be compiled against. */
export class PreludeError extends Error {
  override readonly name = 'PreludeError'
}

/** Scalar types a tiling field may have. They are written as they are, so the natural layout equals the host's. */
const scalarTypes = new Set(
  'bool char float double int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t int long short unsigned size_t'.split(
    ' ',
  ),
)

/** One plain struct. What the host puts between fields are fields as well. */
function structText(struct: TilingStruct, known: ReadonlySet<string>): string {
  const fields = struct.fields.map(({ type, name, count }) => {
    if (!isIdentifier(name)) throw new PreludeError(`tiling struct ${struct.name} has a field with no usable name`)
    if (!scalarTypes.has(type) && !known.has(type)) {
      throw new PreludeError(`tiling field ${name} of ${struct.name} has the unknown type ${type}`)
    }
    return `  ${type} ${name}${count > 0 ? `[${count}]` : ''};`
  })
  return [`struct ${struct.name} {`, ...fields, '};'].join('\n')
}

/**
 * C++ definitions of the tiling structs that the host part registers, in order of definition, without those that the kernel
 * defines itself (`own`) and those that hold one of these.
 */
export function tilingStructsText(structs: readonly TilingStruct[], own: readonly string[] = []): string {
  const known = new Set(providedStructs)
  const left = new Set(own)
  const texts: string[] = []
  for (const struct of structs) {
    if (!isIdentifier(struct.name)) throw new PreludeError('a tiling struct has no usable name')
    if (struct.fields.some(({ type }) => left.has(type))) left.add(struct.name)
    if (left.has(struct.name)) continue
    if (!known.has(struct.name)) texts.push(structText(struct, known))
    known.add(struct.name)
  }
  return texts.join('\n')
}

const formatOf = (parameter: Parameter, column: number): string => {
  const format = (parameter.formats[column] ?? parameter.formats[0] ?? 'ND').replace(/^FORMAT_/, '')
  return isIdentifier(format) ? `FORMAT_${format}` : 'FORMAT_ND'
}

function argumentMacros(parameter: Parameter, dtype: DType, column: number, suffix = ''): string[] {
  if (!isIdentifier(parameter.name))
    throw new PreludeError(`the argument name "${parameter.name}" is not a C++ identifier`)
  const name = `${parameter.name.toUpperCase()}${suffix}`
  return [
    `#define DTYPE_${name} ${dtypes[dtype].cpp}`,
    `#define ORIG_DTYPE_${name} ${dtypes[dtype].ge}`,
    `#define FORMAT_${name} ${formatOf(parameter, column)}`,
  ]
}

/** An input and an output of the same name share the macros; the input's are taken, and those of the output end in `_REF`. */
export function dtypeMacros(operator: OperatorDescription, combination: Combination, column: number): string {
  const seen = new Set<string>()
  const macros: string[] = []
  const take = (parameters: readonly Parameter[], types: readonly DType[]): void => {
    parameters.forEach((parameter, index) => {
      const dtype = types[index]
      if (dtype === undefined) return
      const suffix = seen.has(parameter.name.toUpperCase()) ? '_REF' : ''
      seen.add(parameter.name.toUpperCase())
      macros.push(...argumentMacros(parameter, dtype, column, suffix))
    })
  }
  take(operator.inputs, combination.inputs)
  take(operator.outputs, combination.outputs)
  return macros.join('\n')
}

const endedList = (types: readonly DType[]): string => [...types.map((dtype) => dtypes[dtype].ge), '-1'].join(', ')

/** The dtypes of inputs and outputs in order, for kernels whose template parameters stand for them. */
function dtypeLists(combination: Combination): string {
  if (combination.inputs.length + combination.outputs.length === 0) return ''
  return [
    `[[maybe_unused]] static constexpr int npu_emu_input_types[] = {${endedList(combination.inputs)}};`,
    `[[maybe_unused]] static constexpr int npu_emu_output_types[] = {${endedList(combination.outputs)}};`,
  ].join('\n')
}

/** A struct of the tiling data of some keys: those that meet a condition on TILING_KEY_VAR, or choices of a template. */
export interface StructOfKeys {
  struct: string
  condition: string | null
}

/** What a kernel says of its tiling data itself, and what its folder defines. */
export interface OwnTiling {
  /** the struct of REGISTER_TILING_DEFAULT */
  tilingStruct?: string | undefined
  /** others for single tiling keys */
  structsOfKeys?: readonly StructOfKeys[]
  /** structs that the kernel defines */
  defined?: readonly string[]
}

type TilingClasses = DescribeAnswer['tilingClasses']

/** Structs that the host part registers for single tiling keys of an operator (`AddCustom_101`), by the key. */
const classesOfKeys = (classes: TilingClasses, operator: string): { key: string; struct: string }[] =>
  classes.flatMap(({ operator: name, struct }) => {
    const key = name.startsWith(`${operator}_`) ? name.slice(operator.length + 1) : ''
    return /^\d+$/.test(key) ? [{ key, struct }] : []
  })

/** Throws where a struct within one that a kernel gets is registered under no name of its own: the vendor's tools look for it by that. */
function requireNested({ tilingStructs, tilingClasses }: DescribeAnswer, struct: string): void {
  const fieldsOf = new Map(tilingStructs.map(({ name, fields }) => [name, fields]))
  const registered = new Set(tilingClasses.map((entry) => `${entry.operator} ${entry.struct}`))
  const required = new Set([struct])
  // a set goes on with what is added on the way
  for (const outer of required)
    for (const { type } of fieldsOf.get(outer) ?? []) {
      if (scalarTypes.has(type) || providedStructs.has(type)) continue
      if (![`${type}Op`, `${type}OpApi`].some((operator) => registered.has(`${operator} ${type}`)))
        throw new PreludeError(
          `${outer} has a field of the tiling struct ${type}, which is not registered: add REGISTER_TILING_DATA_CLASS(${type}Op, ${type})`,
        )
      required.add(type)
    }
}

const unqualified = (name: string): string => name.replace(/^.*::/, '')

/**
 * The struct that `GET_TILING_DATA` reads: the one that the kernel names itself, or that is registered for the operator, or the only one
 * there is. Where some tiling keys have others, the kernel is compiled for each key by itself; one that is a template has to name its struct.
 */
export function tilingStructMacros(
  description: DescribeAnswer,
  operator: string,
  own: OwnTiling = {},
): { text: string; dependsOnKey: boolean } {
  const { tilingStruct, structsOfKeys = [], defined = [] } = own
  const classes = description.tilingClasses.filter((entry) => isIdentifier(entry.struct))
  const ofOperator = classes.find((entry) => entry.operator === operator)?.struct
  const registered = ofOperator ?? (classes.length === 1 ? classes[0]?.struct : undefined)
  const ofKeys = classesOfKeys(classes, operator)
  const isSame = tilingStruct !== undefined && unqualified(tilingStruct) === registered && !defined.includes(registered)
  const chosen = isSame ? registered : (tilingStruct ?? registered)
  if (tilingStruct === undefined) {
    const [first] = ofKeys
    if (first && ofOperator === undefined)
      throw new PreludeError(
        `REGISTER_TILING_DATA_CLASS registers ${first.struct} for tiling key ${first.key} of ${operator}, and no struct for ${operator}`,
      )
    for (const struct of [...(ofOperator === undefined ? [] : [ofOperator]), ...ofKeys.map((each) => each.struct)])
      requireNested(description, struct)
  }
  const byHost = ofKeys.map(({ key, struct }) => ({ struct, condition: `TILING_KEY_VAR == ${key}` }))
  // those of the host part are declared in front of the kernel, in no namespace
  const isOfHost = (name: string): boolean =>
    !defined.includes(name) && description.tilingStructs.some((struct) => struct.name === name)
  const others = (tilingStruct === undefined ? byHost : structsOfKeys)
    .map(({ struct, condition }) => ({
      struct: isOfHost(unqualified(struct)) ? unqualified(struct) : struct,
      condition,
    }))
    .filter(({ struct }) => struct !== chosen)
  const all = chosen === undefined ? [] : [`#define NPU_EMU_TILING_STRUCT ${chosen}`]
  if (others.length === 0) return { text: all.join('\n'), dependsOnKey: false }
  if (others.every(({ condition }) => condition !== null)) {
    const ofConditions = [...groupedBy(others, ({ struct }) => struct)].flatMap(([struct, same]) => [
      `#if ${same.map(({ condition }) => `(${condition})`).join(' || ')}`,
      '#ifdef NPU_EMU_TILING_STRUCT',
      `#error ${twoStructs}`,
      '#endif',
      `#define NPU_EMU_TILING_STRUCT ${struct}`,
      '#endif',
    ])
    const text = [...ofConditions, '#ifndef NPU_EMU_TILING_STRUCT', ...all, '#endif'].join('\n')
    return { text, dependsOnKey: true }
  }
  const read = 'GET_TILING_DATA_WITH_STRUCT(NPU_EMU_TILING_STRUCT, name, tiling)'
  const text = [
    ...all,
    '#undef GET_TILING_DATA',
    `#define GET_TILING_DATA(name, tiling) ${read}; static_assert(false, ${JSON.stringify(oneStruct)})`,
  ].join('\n')
  return { text, dependsOnKey: false }
}

const twoStructs =
  'tiling key should have 1 unique corresponding tiling struct: two REGISTER_TILING_FOR_TILINGKEY name it'
const oneStruct =
  'GET_TILING_DATA reads the struct of one choice of the template, and a template is compiled once for all here: name the struct by GET_TILING_DATA_WITH_STRUCT'

/**
 * What is said where `GET_TILING_DATA` reads the only struct that there is, registered for another operator: the vendor's tools look
 * for it by the name of the operator, and find none.
 */
export function tilingStructWarning(description: DescribeAnswer, operator: string, kernel: string): string | undefined {
  const [only, another] = description.tilingClasses.filter((entry) => isIdentifier(entry.struct))
  if (!only || another || !/\bGET_TILING_DATA/.test(kernel)) return undefined
  if (only.operator === operator || only.operator.startsWith(`${operator}_`)) return undefined
  return `REGISTER_TILING_DATA_CLASS registers ${only.struct} for ${only.operator}: the vendor's tools find it as that of ${operator} alone`
}

/** What the tiling key is where a kernel is compiled for this one alone. */
export const keyMacros = (key: string): string => `#undef TILING_KEY_VAR\n#define TILING_KEY_VAR ${key}UL`

/** What stands before a kernel's own text: tiling structs, then the macros of one dtype combination. */
export function preludeText(
  description: DescribeAnswer,
  operator: OperatorDescription,
  combination: Combination,
  column: number,
  own: OwnTiling = {},
): { text: string; dependsOnKey: boolean } {
  const struct = tilingStructMacros(description, operator.name, own)
  const parts = [
    tilingStructsText(description.tilingStructs, own.defined),
    struct.text,
    dtypeMacros(operator, combination, column),
    dtypeLists(combination),
  ]
  return { text: parts.filter((part) => part !== '').join('\n'), dependsOnKey: struct.dependsOnKey }
}
