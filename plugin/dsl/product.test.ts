import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs, startService } from '../../fixtures/operator.ts'
import { ProgramBatch } from '../../fixtures/program-batch.ts'
import { encode, toFloat64 } from '../inputs/index.ts'
import { emptyTensor, type DType, type Tensor } from '../model/index.ts'
import type { KernelService } from '../service/index.ts'
import { compileDsl, type Compiled } from './compile.ts'
import { interpret } from './interpret.ts'

// Products are held to what they mean by whole numbers, whose sums are exact in whatever order they are added.

const matrices = ['float16', 'bfloat16', 'float32'] as const
const results = ['float16', 'float32', 'float32'] as const
const biases = ['float16', 'float32', 'float32'] as const

const quoted = (dtypes: readonly string[]): string => dtypes.map((each) => `'${each}'`).join(', ')

const compiledOf = (name: string, call: string): Compiled => {
  const compiled = compileDsl(
    'product.npu.ts',
    `import { matmul, operator, tensor } from 'vitest-npu/dsl'
export default operator({
  name: '${name}',
  inputs: { a: tensor([${quoted(matrices)}]), b: tensor([${quoted(matrices)}]), bias: tensor([${quoted(biases)}]) },
  outputs: { c: tensor([${quoted(results)}], ['m', 'n']) },
  host({ a, b }, { cores }) {
    return { blockDim: cores, m: a.shape(0), k: a.shape(1), n: b.shape(1) }
  },
  kernel({ a, b, bias, c }, { m, k, n }) {
    ${call}
  },
})
`,
  )
  if (compiled.ok) return compiled
  throw new Error(compiled.message)
}

const programs = [
  { name: 'Plain', compiled: compiledOf('Plain', 'matmul(c, a, b, [m, k, n])') },
  { name: 'Biased', compiled: compiledOf('Biased', 'matmul(c, a, b, [m, k, n], bias)') },
]

const argument = (name: string, dtypes: readonly DType[]) => ({
  name,
  kind: 'tensor' as const,
  required: true,
  dtypes: [...dtypes],
})
const folder = mkdtempSync(join(tmpdir(), 'dsl-product-'))
let service: KernelService
let built: ProgramBatch
beforeAll(async () => {
  service = await startService()
  built = await ProgramBatch.build(
    service,
    programs.map(({ compiled: { program, files } }) => ({ name: program.name, entry: program.entry, files })),
    {
      inputs: [argument('a', matrices), argument('b', matrices), argument('bias', biases)],
      outputs: [argument('c', results)],
      attrs: [],
    },
    folder,
  )
}, buildLimitMs)
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

/** Whole numbers from -3 to 3. */
const numbers = (count: number, step: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => ((i * step) % 7) - 3)

function tensorOf(dtype: DType, shape: number[], values: Float64Array): Tensor {
  const tensor = emptyTensor(dtype, shape)
  encode(values, tensor)
  return tensor
}

const shapes = [
  { m: 1, k: 1, n: 1 },
  { m: 17, k: 33, n: 5 },
  { m: 66, k: 20, n: 130 },
]
const cases = programs.flatMap(({ name }, which) =>
  shapes.flatMap((shape) => matrices.map((dtype, column) => ({ name, which, ...shape, dtype, column }))),
)

describe('a compiled product computes what its program means', () => {
  test.each(cases)('$name, $dtype [$m, $k] x [$k, $n]', async ({ which, m, k, n, column }) => {
    const given = {
      a: { shape: [m, k], dtype: matrices[column]!, values: numbers(m * k, 5) },
      b: { shape: [k, n], dtype: matrices[column]!, values: numbers(k * n, 3) },
      bias: { shape: [n], dtype: biases[column]!, values: numbers(n, 2) },
    }
    const wanted = new Float64Array(m * n)
    const contents = new Map([
      ...Object.entries(given).map(([name, { values }]) => [name, values] as const),
      ['c', wanted] as const,
    ])
    const shapesOf = new Map(Object.entries(given).map(([name, { shape }]) => [name, shape]))
    const { compiled } = programs[which]!
    expect(interpret(compiled, { shapes: shapesOf, attributes: new Map(), column, cores: 40 }, contents)).toBe(true)
    const specs = Object.fromEntries(Object.entries(given).map(([name, { dtype, shape }]) => [name, { dtype, shape }]))
    const tensors = Object.fromEntries(
      Object.entries(given).map(([name, { dtype, shape, values }]) => [name, tensorOf(dtype, shape, values)]),
    )
    const problem = {
      combination: column,
      inputs: specs,
      outputs: { c: { dtype: results[column]!, shape: [m, n] } },
      attrs: {},
    }
    const { result, outputs } = await built.run(which, problem, tensors)
    expect(result).toMatchObject({ ok: true, reports: [] })
    const { c } = outputs
    if (!c || !('dtype' in c)) throw new Error('there is no output')
    expect(Array.from(toFloat64(c))).toEqual(Array.from(wanted))
  })
})
