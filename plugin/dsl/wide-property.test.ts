import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs, interfaceOf, startService } from '../../fixtures/operator.ts'
import { ProgramBatch } from '../../fixtures/program-batch.ts'
import { toFloat64 } from '../inputs/index.ts'
import { sizeOf } from '../model/index.ts'
import type { KernelService } from '../service/index.ts'
import { socOf } from '../soc/devices.ts'
import { defaultSoc } from '../soc/profile.ts'
import { compileDsl, type Compiled } from './compile.ts'
import { interpret } from './interpret.ts'
import { programsOfRun, seed } from './random-run.ts'
import { drawnWideProgram, tightProgramOfCores, tightPrograms, type DrawnWideProgram } from './random-wide-program.ts'

/** How many programs are drawn: one in six of `NPU_DSL_PROGRAMS`; `property.test.ts` draws the others. */
const programs = Math.ceil(programsOfRun / 6)
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
const nextFolder = (): string => join(folder, String(count++))

function compiledOf(text: string): Compiled {
  const compiled = compileDsl('drawn.npu.ts', text)
  if (compiled.ok) return compiled
  throw new Error(`${compiled.message}\n${text}`)
}

const inputOf = ({ shape, values }: DrawnWideProgram): Float32Array =>
  Float32Array.from({ length: sizeOf(shape) }, (_, i) => values[i % values.length]!)

/** The result by the rules of the language. */
function meantBy(compiled: Compiled, given: DrawnWideProgram): number[] {
  const result = new Float64Array(sizeOf(given.resultShape))
  const contents = new Map([
    ['x', Float64Array.from(inputOf(given))],
    ['y', result],
  ])
  const problem = {
    shapes: new Map([['x', given.shape]]),
    attributes: new Map(),
    column: 0,
    cores: socOf(defaultSoc).aivCores,
  }
  expect(interpret(compiled, problem, contents)).toBe(true)
  return Array.from(result)
}

const float = (shape: readonly number[]) => ({ dtype: 'float32' as const, shape: [...shape] })

/** Builds programs together, runs them on the emulator and by the rules of the language: the same bits, and no report. */
async function expectAllSame(programs: readonly DrawnWideProgram[]): Promise<void> {
  const texts = programs.map(({ text }, i) => text(`Drawn${i}`))
  const compiled = texts.map(compiledOf)
  const projects = compiled.map(({ program, files }) => ({ name: program.name, entry: program.entry, files }))
  const built = await ProgramBatch.build(
    service,
    projects,
    interfaceOf('Drawn', 'drawn', [], ['float32']),
    nextFolder(),
  )
  for (const [which, program] of programs.entries()) {
    const problem = {
      combination: 0,
      inputs: { x: float(program.shape) },
      outputs: { y: float(program.resultShape) },
      attrs: {},
    }
    const x = { ...float(program.shape), data: inputOf(program) }
    const { result, outputs } = await built.run(which, problem, { x })
    expect(result, texts[which]).toMatchObject({ ok: true, reports: [] })
    const { y } = outputs
    const got = y && 'dtype' in y ? Array.from(toFloat64(y)) : []
    expect(got, texts[which]).toEqual(meantBy(compiled[which]!, program))
  }
}

describe('a compiled kernel computes what its program means, of columns, windows and cores', () => {
  test(`on ${programs} programs, bit for bit (NPU_DSL_SEED=${seed})`, { timeout: 0 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(drawnWideProgram, { minLength: together, maxLength: together }),
        async (batch) => await expectAllSame(batch),
      ),
      { numRuns: Math.ceil(programs / together), seed, endOnFailure: true },
    )
  })

  test('on programs whose calls need all of their memory', { timeout: buildLimitMs }, async () => {
    await expectAllSame(tightPrograms)
    await expectAllSame([tightProgramOfCores])
  })
})
