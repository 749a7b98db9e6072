import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs, FixtureOperator, interfaceOf, startService } from '../../fixtures/operator.ts'
import type { KernelService } from '../service/index.ts'
import { socOf, defaultSoc } from '../soc/profile.ts'
import { compileDsl } from './compile.ts'
import { interpret } from './interpret.ts'
import { drawnProgram, illTyped } from './random-program.ts'
import { drawnWideProgram, tightPrograms } from './random-wide-program.ts'

/** How many programs of each kind are drawn: `NPU_DSL_PROGRAMS`. */
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

describe.each([
  { of: 'elements and rows', drawn: drawnProgram, first: [] },
  { of: 'columns, windows and cores', drawn: drawnWideProgram, first: tightPrograms },
])('a compiled kernel computes what its program means, of $of', ({ drawn, first }) => {
  test(`on ${programs} programs, bit for bit (NPU_DSL_SEED=${seed})`, { timeout: buildLimitMs }, async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async ({ text, shape, values, dtype, resultShape = [3, ...shape] }) => {
        const compiled = compileDsl('drawn.npu.ts', text)
        if (!compiled.ok) throw new Error(`${compiled.message}\n${text}`)
        const root = join(folder, String(count++))
        for (const { path, content } of compiled.files) {
          mkdirSync(dirname(join(root, path)), { recursive: true })
          writeFileSync(join(root, path), content)
        }
        const given = {
          shapes: new Map([['x', shape]]),
          attributes: new Map(),
          column: 0,
          cores: socOf(defaultSoc).aivCores,
        }
        const size = shape.reduce((product, extent) => product * extent, 1)
        const x = Float64Array.from({ length: size }, (_, i) => values[i % values.length]!)
        const contents = new Map([
          ['x', x],
          ['y', new Float64Array(resultShape.reduce((product, extent) => product * extent, 1))],
        ])
        expect(interpret(compiled, given, contents)).toBe(true)
        const data = Float32Array.from(x)
        const operator = await FixtureOperator.build(service, interfaceOf('Drawn', 'drawn', [], [dtype]), root)
        const { result, y } = await operator.run({ x: { dtype, shape, data }, y: { dtype, shape: resultShape } })
        expect(result, text).toMatchObject({ ok: true, reports: [] })
        expect(Array.from(y.data, Number), text).toEqual(Array.from(contents.get('y')!))
      }),
      {
        numRuns: programs + first.length,
        seed,
        endOnFailure: true,
        examples: first.map((each): [typeof each] => [each]),
      },
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
      fc.property(drawnProgram, ({ text }) => {
        const broken = text.replace("const f0 = buffer('float32'", "const f0 = buffer('int16'")
        fc.pre(broken !== text)
        expect(compileDsl('wrong.npu.ts', broken).ok).toBe(false)
      }),
      { numRuns: 50, seed },
    )
  })
})
