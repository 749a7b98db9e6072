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
import { drawnWideProgram, tightPrograms } from './random-wide-program.ts'

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

describe('a compiled kernel computes what its program means, of columns, windows and cores', () => {
  test(`on ${programs} programs, bit for bit (NPU_DSL_SEED=${seed})`, { timeout: buildLimitMs }, async () => {
    await fc.assert(
      fc.asyncProperty(drawnWideProgram, async ({ text, shape, values, dtype, resultShape }) => {
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
        numRuns: programs + tightPrograms.length,
        seed,
        endOnFailure: true,
        examples: tightPrograms.map((each): [typeof each] => [each]),
      },
    )
  })
})
