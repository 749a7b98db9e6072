import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs, startService } from '../../fixtures/operator.ts'
import { ProgramBatch } from '../../fixtures/program-batch.ts'
import { encode, toFloat64 } from '../inputs/index.ts'
import { dtypes, emptyTensor, type DType, type Tensor, type TensorValue } from '../model/index.ts'
import type { KernelService } from '../service/index.ts'
import { compileDsl, type Compiled } from './compile.ts'
import { interpret } from './interpret.ts'
import {
  drawnBatch,
  illTyped,
  outputsOf,
  type DrawnBatch,
  type DrawnInterface,
  type DrawnProgram,
} from './random-program.ts'
import { programsOfRun, seed } from './random-run.ts'

/** How many programs are drawn: `wide-property.test.ts` draws one in six. */
const programs = Math.floor((programsOfRun * 5) / 6)
/** How many are built together. */
const together = Math.min(programs, 25)

const folder = mkdtempSync(join(tmpdir(), 'dsl-'))
let service: KernelService
beforeAll(async () => {
  service = await startService()
}, buildLimitMs)
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

let count = 0

function compiledOf({ text }: DrawnProgram, i: number): Compiled {
  const compiled = compileDsl('drawn.npu.ts', text(`Drawn${i}`))
  if (compiled.ok) return compiled
  throw new Error(`${compiled.message}\n${text('Drawn')}`)
}

const argument = (name: string, types: readonly DType[], columns: number, required = true) => ({
  name,
  kind: 'tensor' as const,
  required,
  dtypes: types.length === columns ? [...types] : Array.from({ length: columns }, () => types[0]!),
})

function interfaceOf(shape: DrawnInterface) {
  const columns = shape.x.length
  const inputs = [argument('x', shape.x, columns), argument('z', ['float32'], columns, false)]
  return {
    inputs: shape.isOptionalFirst ? inputs.reverse() : inputs,
    outputs: outputsOf(shape).map(([name, types]) => argument(name, types, columns)),
    attrs: [
      { name: 'k', type: 'int' as const, required: true },
      { name: 'e', type: 'float' as const, required: true },
    ],
  }
}

/** Values of a type that are drawn ones, as near as it has them. */
function tensorOf(dtype: DType, shape: readonly number[], values: readonly number[]): Tensor {
  const { kind, bytes } = dtypes[dtype]
  const limit = 2 ** (bytes * 8 - 1)
  const fitting = (value: number): number => {
    if (kind === 'float') return value
    if (kind === 'bool') return value > 0 ? 1 : 0
    const low = dtype.startsWith('u') ? 0 : -limit
    return Math.min(low + limit * 2 - 1, Math.max(low, Math.trunc(value)))
  }
  const tensor = emptyTensor(dtype, [...shape])
  const size = shape.reduce((product, extent) => product * extent, 1)
  encode(
    Float64Array.from({ length: size }, (_, i) => fitting(values[i % values.length]!)),
    tensor,
  )
  return tensor
}

function oneOf(value: TensorValue | undefined): Tensor {
  if (value && 'dtype' in value) return value
  throw new Error('the launch left no output')
}

/** Runs a program of a batch in a column, on the emulator and by the rules of the language: what differs, or nothing. */
async function judge(
  built: ProgramBatch,
  { shape, programs: all }: DrawnBatch,
  compiled: Compiled,
  which: number,
  column: number,
): Promise<string[]> {
  const program = all[which]!
  const { shape: dims, values, isGiven, k, e, cores, unifiedBuffer } = program
  const x = tensorOf(shape.x[column]!, dims, values)
  const z = isGiven ? tensorOf('float32', dims, values.toReversed()) : null
  const outputs = outputsOf(shape).map(([name, types]): [string, DType] => [name, types[column] ?? types[0]!])
  const size = x.data.length
  const contents = new Map([
    ['x', toFloat64(x)],
    ...(z ? [['z', toFloat64(z)] as const] : []),
    ...outputs.map(([name]) => [name, new Float64Array(size)] as const),
  ])
  const isRun = interpret(
    compiled,
    {
      shapes: new Map([
        ['x', dims],
        ['z', isGiven ? dims : null],
      ]),
      attributes: new Map([
        ['k', k],
        ['e', e],
      ]),
      column,
      cores,
      unifiedBuffer,
    },
    contents,
  )
  const spec = (dtype: DType) => ({ dtype, shape: [...dims] })
  const run = await built.run(
    which,
    {
      combination: column,
      inputs: { x: spec(x.dtype), z: z && spec('float32') },
      outputs: Object.fromEntries(outputs.map(([name, dtype]) => [name, spec(dtype)])),
      attrs: { k, e },
      device: { cores, unifiedBuffer },
    },
    { x, z },
  )
  const found = (what: string): string[] => [
    `${what}\nin column ${column} of ${JSON.stringify({ ...program, text: undefined })}\n${program.text(`Drawn${which}`)}`,
  ]
  const { result } = run
  if (!isRun) return result.ok ? found('the host part takes what it should refuse') : []
  if (!result.ok) return found(JSON.stringify(result.verdict))
  // types of outputs that inputs do not tell are not known to the framework
  const isTold = new Set(shape.x).size === shape.x.length
  const reports = result.reports.filter(({ code }) => isTold || code !== 'HostWarning')
  if (reports.length > 0) return found(JSON.stringify(reports))
  return outputs.flatMap(([name]) => {
    const got = Array.from(toFloat64(oneOf(run.outputs[name])))
    const wanted = Array.from(contents.get(name)!)
    const at = got.findIndex((each, i) => !Object.is(each, wanted[i]))
    return at < 0 ? [] : found(`${name}[${at}] is ${got[at]} and not ${wanted[at]}`)
  })
}

describe('a compiled kernel computes what its program means', () => {
  test(`on ${programs} programs, bit for bit (NPU_DSL_SEED=${seed})`, { timeout: 0 }, async () => {
    await fc.assert(
      fc.asyncProperty(drawnBatch(together), async (batch) => {
        const compiled = batch.programs.map(compiledOf)
        const projects = compiled.map(({ program, files }) => ({ name: program.name, entry: program.entry, files }))
        const built = await ProgramBatch.build(
          service,
          projects,
          interfaceOf(batch.shape),
          join(folder, String(count++)),
        )
        const problems: string[] = []
        for (const [which, each] of compiled.entries())
          for (const column of batch.shape.x.keys()) problems.push(...(await judge(built, batch, each, which, column)))
        expect(problems.join('\n'), 'what differs').toBe('')
      }),
      { numRuns: Math.ceil(programs / together), seed, endOnFailure: true },
    )
  })
})

describe('a program that is wrong', () => {
  test('has a message with a place, and neither an exception nor a project', () => {
    fc.assert(
      fc.property(illTyped, (text) => {
        const compiled = compileDsl('wrong.npu.ts', text)
        if (compiled.ok) return
        expect(compiled).not.toHaveProperty('files')
        expect(compiled.message).toMatch(/^wrong\.npu\.ts:\d+:\d+: error: /)
      }),
      { numRuns: 300, seed },
    )
  })

  test('is refused where an operand is of another type', () => {
    fc.assert(
      fc.property(drawnBatch(1), ({ programs: [program] }) => {
        const text = program!.text('Drawn')
        const broken = text.replace("const f0 = buffer('float32'", "const f0 = buffer('int16'")
        expect(broken).not.toBe(text)
        expect(compileDsl('wrong.npu.ts', broken).ok).toBe(false)
      }),
      { numRuns: 50, seed },
    )
  })
})
