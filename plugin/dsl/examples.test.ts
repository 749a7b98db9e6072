import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dslExample, dslExamples } from '../../fixtures/dsl-pages.ts'
import { buildLimitMs, startService } from '../../fixtures/operator.ts'
import { ProgramBatch } from '../../fixtures/program-batch.ts'
import { encode, toFloat64 } from '../inputs/index.ts'
import { emptyTensor, sizeOf, type DType, type Tensor } from '../model/index.ts'
import type { KernelService } from '../service/index.ts'
import { compileDsl, type Compiled } from './compile.ts'
import { interpret } from './interpret.ts'
import type { Argument } from './ir.ts'

// The programs that the pages show are run, and held to formulas and to what they mean.

const folder = mkdtempSync(join(tmpdir(), 'dsl-examples-'))
let service: KernelService
beforeAll(async () => {
  service = await startService()
}, buildLimitMs)
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

type Numbers = readonly number[]
type Shape = readonly number[]

interface Example {
  readonly name: string
  /** tells programs of one name apart */
  readonly part?: string
  /** the dtype column; 0 */
  readonly column?: number
  /** shapes of tensors; of lists, of each of their tensors */
  readonly inputs: Readonly<Record<string, readonly Shape[]>>
  readonly output: readonly Shape[]
  readonly attrs?: Readonly<Record<string, number>>
  /** the output, tensor after tensor, by the values of inputs, tensor after tensor */
  readonly formula: (inputs: Readonly<Record<string, Numbers>>) => number[]
}

const sum = (values: Numbers): number => values.reduce((total, each) => total + each, 0)
const rowsOf = (values: Numbers, width: number): Numbers[] =>
  Array.from({ length: values.length / width }, (_, row) => values.slice(row * width, (row + 1) * width))

const softsign = ({ x }: Readonly<Record<string, Numbers>>): number[] => x!.map((each) => each / (1 + Math.abs(each)))

const examples: readonly Example[] = [
  { name: 'SoftsignCustom', part: 'blockDim: 1', inputs: { x: [[3, 1001]] }, output: [[3, 1001]], formula: softsign },
  { name: 'SoftsignCustom', part: 'fit(', inputs: { x: [[70, 1003]] }, output: [[70, 1003]], formula: softsign },
  {
    name: 'SoftmaxCustom',
    inputs: { x: [[70, 133]] },
    output: [[70, 133]],
    formula: ({ x }) =>
      rowsOf(x!, 133).flatMap((row) => {
        const powers = row.map((each) => Math.exp(each - Math.max(...row)))
        return powers.map((each) => each / sum(powers))
      }),
  },
  {
    name: 'MseLossCustom',
    inputs: { predictions: [[70, 1003]], targets: [[70, 1003]] },
    output: [[1]],
    formula: ({ predictions, targets }) => [
      sum(predictions!.map((each, i) => (each - targets![i]!) ** 2)) / predictions!.length,
    ],
  },
  {
    name: 'MatmulBias',
    inputs: { a: [[17, 33]], b: [[33, 20]], bias: [[20]] },
    output: [[17, 20]],
    formula: ({ a, b, bias }) =>
      rowsOf(a!, 33).flatMap((row) =>
        bias!.map((each, column) => each + sum(row.map((one, k) => one * b![k * 20 + column]!))),
      ),
  },
  {
    name: 'Root',
    column: 2,
    inputs: { x: [[70, 1003]] },
    output: [[70, 1003]],
    formula: ({ x }) => x!.map((each) => Math.sqrt(each + 1)),
  },
  {
    name: 'IsSmall',
    inputs: { x: [[5, 1003]] },
    output: [[5, 1003]],
    formula: ({ x }) => x!.map((each) => (Math.abs(each) < 0.001 ? 1 : 0)),
  },
  {
    name: 'ScaleAll',
    column: 1,
    inputs: { x: [[700, 3], [5], [33, 9]], factors: [[3]] },
    output: [[700, 3], [5], [33, 9]],
    formula: ({ x, factors }) => x!.map((each, i) => each * factors![i < 2100 ? 0 : i < 2105 ? 1 : 2]!),
  },
  {
    name: 'MeanOfRows',
    inputs: { x: [[70, 33]] },
    output: [[33]],
    formula: ({ x }) => Array.from({ length: 33 }, (_, column) => sum(rowsOf(x!, 33).map((row) => row[column]!)) / 70),
  },
  {
    name: 'Cumsum',
    inputs: { x: [[5, 2100]] },
    output: [[5, 2100]],
    formula: ({ x }) =>
      rowsOf(x!, 2100).flatMap((row) => {
        let total = 0
        return row.map((each) => (total += each))
      }),
  },
  {
    name: 'MaxPool',
    inputs: { x: [[3, 9, 11]] },
    output: [[3, 5, 6]],
    attrs: { size: 3, step: 2, padding: 1 },
    formula: ({ x }) => {
      const at = (image: number, row: number, column: number): number =>
        row < 0 || row >= 9 || column < 0 || column >= 11 ? -Infinity : x![(image * 9 + row) * 11 + column]!
      return Array.from({ length: 3 * 5 * 6 }, (_, i) => {
        const [image, row, column] = [Math.trunc(i / 30), Math.trunc(i / 6) % 5, i % 6]
        const window = Array.from({ length: 9 }, (_place, k) =>
          at(image, row * 2 - 1 + Math.trunc(k / 3), column * 2 - 1 + (k % 3)),
        )
        return Math.max(...window)
      })
    },
  },
]

function compiledOf(text: string): Compiled {
  const compiled = compileDsl('example.npu.ts', text)
  if (compiled.ok) return compiled
  throw new Error(compiled.message)
}

const values = [1, -0.5, 3, 0.0005, 2.25, -7, 0.75, 0.1]

/** What a tensor holds: `step` tells tensors apart. */
function filled(dtype: DType, shape: Shape, step: number): Tensor {
  const tensor = emptyTensor(dtype, [...shape])
  encode(
    Float64Array.from({ length: sizeOf(shape) }, (_, i) => values[(i * step) % values.length]!),
    tensor,
  )
  return tensor
}

const argument = ({ name, isList, required, dtypes }: Argument) => ({
  name,
  kind: isList ? ('tensorList' as const) : ('tensor' as const),
  required,
  dtypes: [...dtypes],
})

const interfaceOf = ({ program: { inputs, outputs, attributes } }: Compiled) => {
  return {
    inputs: inputs.map(argument),
    outputs: outputs.map(argument),
    attrs: attributes.map(({ name, type, initial }) => ({ name, type, required: initial === undefined })),
  }
}

const specs = (each: Argument, tensors: readonly { dtype: DType; shape: Shape }[]) => {
  const all = tensors.map(({ dtype, shape }) => ({ dtype, shape: [...shape] }))
  return each.isList ? all : all[0]!
}

/** What the roundings of a dtype come to, of sums as well. */
const roundings: Partial<Record<DType, number>> = { float32: 2 ** -18, float16: 2 ** -10, bfloat16: 2 ** -7 }

describe('an example of the pages, run on the emulator, is its formula, and what it means bit for bit', () => {
  test('all of them are run', () => {
    const run = examples.map(({ name, part }) => dslExample(name, part))
    expect(dslExamples.filter((each) => !run.includes(each))).toEqual([])
  })

  test.each(examples.map((example, i) => ({ ...example, i })))(
    '$name $i',
    { timeout: buildLimitMs },
    async ({ name, part, column = 0, inputs, output, attrs = {}, formula, i }) => {
      const compiled = compiledOf(dslExample(name, part))
      const { program, files } = compiled
      const project = { name: program.name, entry: program.entry, files }
      const built = await ProgramBatch.build(service, [project], interfaceOf(compiled), join(folder, String(i)))
      const result = program.outputs[0]!
      const resultType = result.dtypes[column]!
      const given = new Map(
        program.inputs.map((input, at) => [
          input,
          inputs[input.name]!.map((shape) => filled(input.dtypes[column]!, shape, 2 * at + 1)),
        ]),
      )
      const run = await built.run(
        0,
        {
          combination: column,
          inputs: Object.fromEntries([...given].map(([input, tensors]) => [input.name, specs(input, tensors)])),
          outputs: {
            [result.name]: specs(
              result,
              output.map((shape) => ({ dtype: resultType, shape })),
            ),
          },
          attrs,
        },
        Object.fromEntries([...given].map(([input, tensors]) => [input.name, input.isList ? tensors : tensors[0]!])),
      )
      expect(run.result).toMatchObject({ ok: true, reports: [] })
      const got = [run.outputs[result.name]!].flat().flatMap((tensor) => [...toFloat64(tensor)])

      const wanted = formula(
        Object.fromEntries([...given].map(([input, all]) => [input.name, all.flatMap((each) => [...toFloat64(each)])])),
      )
      const relative = roundings[resultType] ?? 0
      const isRight = (each: number, at: number): boolean =>
        Object.is(each, wanted[at]) || Math.abs(each - wanted[at]!) <= relative * Math.max(1, Math.abs(wanted[at]!))
      expect(got).toHaveLength(wanted.length)
      expect(got.flatMap((each, at) => (isRight(each, at) ? [] : [`${at}: ${each}, not ${wanted[at]}`]))).toEqual([])

      expect(got).toEqual(meantBy(compiled, given, { column, output, attrs }))
    },
  )
})

/** How contents call a tensor. */
const nameOf = ({ name, isList }: Argument, i: number): string => (isList ? `${name}[${i}]` : name)

/** The output by the rules of the language. */
function meantBy(
  compiled: Compiled,
  given: ReadonlyMap<Argument, readonly Tensor[]>,
  { column, output, attrs }: { column: number; output: readonly Shape[]; attrs: Readonly<Record<string, number>> },
): number[] {
  const result = compiled.program.outputs[0]!
  const results = output.map((shape, i) => [nameOf(result, i), new Float64Array(sizeOf(shape))] as const)
  const contents = new Map([
    ...[...given].flatMap(([input, tensors]) =>
      tensors.map((tensor, i) => [nameOf(input, i), Float64Array.from(toFloat64(tensor))] as const),
    ),
    ...results,
  ])
  const tensors = [...given].filter(([{ isList }]) => !isList)
  const lists = [...given].filter(([{ isList }]) => isList)
  const problem = {
    shapes: new Map(tensors.map(([{ name }, [tensor]]) => [name, tensor!.shape])),
    lists: new Map(lists.map(([{ name }, all]) => [name, all.map(({ shape }) => shape)])),
    attributes: new Map(Object.entries(attrs)),
    column,
    cores: 48,
  }
  expect(interpret(compiled, problem, contents)).toBe(true)
  return results.flatMap(([, numbers]) => [...numbers])
}
