import * as fc from 'fast-check'
import {
  dtypes,
  sizeOf,
  type ArgumentSpec,
  type AttributeValue,
  type DType,
  type KernelCase,
  type TaskArgument,
} from '../model/index.ts'
import { socOf } from '../soc/devices.ts'
import { architecture } from '../soc/profile.ts'
import { combinationsOf } from '../task/combinations.ts'
import { describePattern, specsOf, type KernelTask, type Pattern } from '../task/index.ts'

// What a task says, in words and lists for a prompt. Everything follows from the spec.

const list = (lines: readonly string[]): string => lines.map((line) => `- ${line}`).join('\n')

const kinds: Record<TaskArgument['kind'], string> = {
  tensor: 'tensor',
  tensorList: 'list of tensors',
  scalarTensor: 'one number in device memory',
}

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)]

const shapeText = ({ kind }: TaskArgument, pattern: Pattern | null | undefined): string => {
  if (kind === 'scalarTensor') return ''
  if (!pattern) return ', any shapes'
  return kind === 'tensorList' ? `, each of shape ${describePattern(pattern)}` : `, shape ${describePattern(pattern)}`
}

const argumentLine = (
  argument: TaskArgument,
  pattern: Pattern | null | undefined,
  { absent = 'the address is null where it is absent', more = '' }: { absent?: string | undefined; more?: string },
): string =>
  `${argument.name}: ${kinds[argument.kind]}, ${distinct(argument.dtypes).join(' or ')}, format ND${shapeText(argument, pattern)}${argument.required ? '' : `, optional: ${absent}`}${more}`

export const inputsText = ({ interface: { inputs }, patterns }: KernelTask, absent?: string): string =>
  list(inputs.map((input) => argumentLine(input, patterns.inputs[input.name], { absent })))

export const outputsText = ({ interface: { outputs }, patterns }: KernelTask): string =>
  list(
    outputs.map((output) => {
      const inPlace =
        output.aliases === undefined ? '' : `, in place: it has the address of the input ${output.aliases}`
      const zeroed = output.zeroed ? ', filled with zeros before the launch' : ''
      return argumentLine(output, patterns.outputs[output.name], { more: `${inPlace}${zeroed}` })
    }),
  )

const valueText = (value: AttributeValue): string =>
  Array.isArray(value) || typeof value === 'string' ? JSON.stringify(value) : String(value)

/** Empty where there is none. */
export const attributesText = ({ interface: { attrs } }: KernelTask): string =>
  list(
    attrs.map(
      ({ name, type, default: initial }, index) =>
        `${name} (index ${index}): ${type}${initial === undefined ? ', always given' : `, default ${valueText(initial)}`}`,
    ),
  )

const typed = (of: readonly TaskArgument[], types: readonly DType[]): string =>
  of.map(({ name }, i) => `${name} ${types[i]}`).join(', ')

/** Which dtypes go together: a column of an OpDef each. */
export function combinationsText(task: KernelTask): string {
  const { inputs, outputs } = task.interface
  const all = combinationsOf(task)
  return list(distinct(all.map((each) => `${typed(inputs, each.inputs)} -> ${typed(outputs, each.outputs)}`)))
}

/** `2^-21` where it is one, `3 * 2^-24`, else three digits. */
export function numberText(value: number): string {
  if (value === 0 || Number.isInteger(value)) return String(value)
  const exponent = Math.floor(Math.log2(value))
  for (let power = exponent; power > exponent - 6; power--) {
    const factor = value / 2 ** power
    if (Number.isInteger(factor) && factor < 64) return factor === 1 ? `2^${power}` : `${factor} * 2^${power}`
  }
  return value.toPrecision(3)
}

/** How far each output may be from the reference, for every dtype that the given cases have it in. */
export function toleranceText({ interface: { outputs }, profiles }: KernelTask, cases: readonly KernelCase[]): string {
  const lines = outputs.flatMap(({ name }) => {
    const judged = cases.filter((each) => profiles.judged?.(each).includes(name) ?? true)
    if (judged.length === 0) return [`${name}: not judged`]
    const byDType = new Map<DType, KernelCase>()
    for (const each of judged)
      for (const { dtype } of specsOf(each.outputs[name])) if (!byDType.has(dtype)) byDType.set(dtype, each)
    return [...byDType].map(([dtype, kernelCase]) => {
      const { absolute, relative, scaled = 0 } = profiles.strict({ case: kernelCase, output: name, dtype })
      const terms = [
        ...(relative > 0 ? [`${numberText(relative)} * |${name}|`] : []),
        ...(scaled > 0 ? [`${numberText(scaled)} * (size of the terms that are added up)`] : []),
        ...(absolute > 0 ? [numberText(absolute)] : []),
      ]
      const isRounded = dtypes[dtype].kind === 'float' || dtypes[dtype].kind === 'complex'
      if (terms.length === 0) return `${name} (${dtype}): ${isRounded ? 'the exact result, rounded once' : 'exactly'}`
      return isRounded
        ? `${name} (${dtype}): ${terms.join(' + ')}, before the rounding to ${dtype}`
        : `${name} (${dtype}): the rounded result; where it is nearly a tie, the neighbour as well`
    })
  })
  return list(lines)
}

const shapesShown = 12

const specText = (spec: ArgumentSpec | undefined): string => {
  if (!spec) return 'absent'
  if (!Array.isArray(spec)) {
    const { dtype, shape, values } = spec
    return `${dtype} [${shape.join(', ')}]${values && values.length <= 32 ? ` holding ${values.join(', ')}` : ''}`
  }
  const shown = spec.slice(0, shapesShown).map(({ shape }) => `[${shape.join(', ')}]`)
  const more = spec.length > shapesShown ? ` and ${spec.length - shapesShown} more` : ''
  return `${spec.length} of ${spec[0]?.dtype ?? 'no dtype'}: ${shown.join(' ')}${more}`
}

/** Shapes, dtypes and attributes of one case. */
export const caseText = ({ inputs, outputs, attrs }: KernelCase): string =>
  list([
    ...Object.entries(inputs).map(([name, spec]) => `input ${name}: ${specText(spec)}`),
    ...Object.entries(outputs).map(([name, spec]) => `output ${name}: ${specText(spec)}`),
    ...Object.entries(attrs).map(([name, value]) => `attribute ${name}: ${valueText(value)}`),
  ])

const lineLength = 220
const casesShown = 12

/** The public cases, one line each. */
export function casesText(cases: readonly KernelCase[]): string {
  const lines = cases.slice(0, casesShown).map(({ name, inputs, attrs }) => {
    const parts = [
      ...Object.entries(inputs).map(([argument, spec]) => `${argument} ${specText(spec)}`),
      ...Object.entries(attrs).map(([attribute, value]) => `${attribute} = ${valueText(value)}`),
    ]
    const text = `${name.replace('static', 'case')}: ${parts.join('; ')}`
    return text.length > lineLength ? `${text.slice(0, lineLength)} ...` : text
  })
  return list(cases.length > casesShown ? [...lines, `${cases.length - casesShown} more of that kind`] : lines)
}

const samples = 200

const range = (values: readonly number[]): string => {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  return least === most ? String(least) : `${least} ... ${most}`
}

function attributeRange(values: readonly AttributeValue[]): string {
  const texts = distinct(values.map(valueText))
  if (texts.length <= 6) return texts.sort().join(', ')
  if (values.every((value) => typeof value === 'number')) return range(values)
  return values.every(Array.isArray) ? `lists of ${range(values.map(({ length }) => length))} numbers` : 'any'
}

/** What cases of the domain have been seen to be: ranks, lengths, values of attributes. The draws are always the same. */
export function domainText({ domain, interface: { inputs, attrs }, maxElements }: KernelTask): string {
  const cases = fc.sample(domain, { numRuns: samples, seed: 1 })
  const lines = inputs.flatMap(({ name, kind }) => {
    const specs = cases.map((each) => specsOf(each.inputs[name]))
    const all = specs.flat()
    if (kind === 'scalarTensor' || all.length === 0) return []
    const count = kind === 'tensorList' ? `${range(specs.map(({ length }) => length))} tensors, ` : ''
    const absent = specs.some(({ length }) => length === 0) ? 'sometimes absent, ' : ''
    const [ranks, sizes] = [all.map(({ shape }) => shape.length), all.map(({ shape }) => sizeOf(shape))]
    return [`${name}: ${absent}${count}rank ${range(ranks)}, ${range(sizes)} elements`]
  })
  return list([
    ...lines,
    ...attrs.map(({ name }) => `attribute ${name}: ${attributeRange(cases.flatMap((each) => each.attrs[name] ?? []))}`),
    `generated cases have at most ${maxElements} elements in each argument; the public cases above may have more`,
  ])
}

/** Figures of the device that a program of the DSL has to do with. */
export function vectorCoresText(soc: string): string {
  const { name, aivCores, clockGHz, l2Bytes, hbmBytesPerNs } = socOf(soc)
  const { ubBytes, systemBytes } = architecture
  return list([
    `${name}: ${aivCores} vector cores, ${clockGHz} GHz, each with a unified buffer of ${ubBytes - systemBytes} bytes for buffers and what calls work in`,
    `L2 ${l2Bytes / 2 ** 20} MiB, global memory ${hbmBytesPerNs} GB/s: transfers of 512 bytes and more, aligned to 512 bytes, are fastest`,
    'a vector instruction works on 256 bytes at a time (128 float16, 64 float32)',
  ])
}

const kib = (bytes: number): string => `${bytes / 1024} KiB`

/** Figures of the device. */
export function hardwareText(soc: string): string {
  const { name, aicCores, aivCores, clockGHz, l2Bytes, hbmBytesPerNs } = socOf(soc)
  const { ubBytes, systemBytes, l1Bytes, l0aBytes, l0bBytes, l0cBytes } = architecture
  return list([
    `${name}: ${aicCores} cube cores (AIC) and ${aivCores} vector cores (AIV), two vector cores to a cube core, ${clockGHz} GHz`,
    `unified buffer (UB) of a vector core: ${kib(ubBytes)}, of which GetCoreMemSize tells ${ubBytes - systemBytes} bytes; the upper 8 KiB are used by functions of the library (Select, Matmul messages), so plan for 184 KiB`,
    `memories of a cube core: L1 ${kib(l1Bytes)}, L0A ${kib(l0aBytes)}, L0B ${kib(l0bBytes)}, L0C ${kib(l0cBytes)}`,
    `L2 ${l2Bytes / 2 ** 20} MiB, global memory ${hbmBytesPerNs} GB/s: transfers of 512 bytes and more, aligned to 512 bytes, are fastest`,
    'a vector instruction works on 256 bytes at a time (128 half, 64 float), a block of local memory has 32 bytes',
  ])
}
