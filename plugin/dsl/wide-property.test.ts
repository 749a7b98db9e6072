import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs, FixtureOperator, interfaceOf, startService } from '../../fixtures/operator.ts'
import { writeFiles } from '../../fixtures/write-files.ts'
import { sizeOf } from '../model/index.ts'
import type { KernelService } from '../service/index.ts'
import { socOf, defaultSoc } from '../soc/profile.ts'
import { compileDsl } from './compile.ts'
import { interpret } from './interpret.ts'
import { drawnWideProgram, tightPrograms, type DrawnWideProgram } from './random-wide-program.ts'

/** How many programs are drawn: `NPU_DSL_PROGRAMS`. */
const programs = Number(process.env['NPU_DSL_PROGRAMS'] ?? 4)
const seed = Number(process.env['NPU_DSL_SEED'] ?? Date.now() % 2 ** 31)

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

/** Runs a program on the emulator and by the rules of the language, and expects the same bits, and no report. */
async function expectSame(
  { text, dtype, shape, resultShape, values }: DrawnWideProgram,
  attrs: Readonly<Record<string, number>> = {},
): Promise<void> {
  const compiled = compileDsl('drawn.npu.ts', text)
  if (!compiled.ok) throw new Error(`${compiled.message}\n${text}`)
  const root = join(folder, String(count++))
  writeFiles(root, compiled.files)
  const x = Float64Array.from({ length: sizeOf(shape) }, (_, i) => values[i % values.length]!)
  const contents = new Map([
    ['x', x],
    ['y', new Float64Array(sizeOf(resultShape))],
  ])
  const given = {
    shapes: new Map([['x', shape]]),
    attributes: new Map(Object.entries(attrs)),
    column: 0,
    cores: socOf(defaultSoc).aivCores,
  }
  expect(interpret(compiled, given, contents)).toBe(true)
  const { name, entry } = compiled.program
  const operator = await FixtureOperator.build(service, interfaceOf(name, entry, Object.keys(attrs), [dtype]), root)
  const data = Float32Array.from(x)
  const { result, y } = await operator.run({ x: { dtype, shape, data }, y: { dtype, shape: resultShape }, attrs })
  expect(result, text).toMatchObject({ ok: true, reports: [] })
  expect(Array.from(y.data, Number), text).toEqual(Array.from(contents.get('y')!))
}

describe('a compiled kernel computes what its program means, of columns, windows and cores', () => {
  test(`on ${programs} programs, bit for bit (NPU_DSL_SEED=${seed})`, { timeout: buildLimitMs }, async () => {
    await fc.assert(
      fc.asyncProperty(drawnWideProgram, (program) => expectSame(program)),
      {
        numRuns: programs + tightPrograms.length,
        seed,
        endOnFailure: true,
        examples: tightPrograms.map((each): [typeof each] => [each]),
      },
    )
  })

  const page = readFileSync(new URL('../../docs/dsl.md', import.meta.url), 'utf8')
  const examples = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, text]) => text!)
  test.each([
    { name: 'MeanOfRows', shape: [70, 33], resultShape: [33], attrs: {} },
    { name: 'Cumsum', shape: [5, 2100], resultShape: [5, 2100], attrs: {} },
    { name: 'MaxPool', shape: [3, 9, 11], resultShape: [3, 5, 6], attrs: { size: 3, step: 2, padding: 1 } },
  ])('on the example $name of the page', { timeout: buildLimitMs }, async ({ name, shape, resultShape, attrs }) => {
    const text = examples.find((each) => each.includes(`name: '${name}'`)) ?? ''
    await expectSame({ text, dtype: 'float32', shape, resultShape, values: [1, -0.5, 3, 0.1, 2.25, -7, 0.75] }, attrs)
  })
})
