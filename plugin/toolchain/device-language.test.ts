import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { languageRules, languageTaken, rejectedBefore85 } from '../../fixtures/rejected/language.ts'
import { buildLimitMs } from '../../fixtures/operator.ts'
import { programOf } from '../../fixtures/rejected/programs.ts'
import { useCompileEnvironment } from '../../fixtures/compile-environment.ts'
import { BuildError } from './build-failure.ts'
import { parseDiagnostics } from './diagnostics.ts'
import { compileUnit, type CompileEnvironment, type UnitResult } from './unit.ts'

const compile = async (environment: CompileEnvironment, text: string): Promise<UnitResult> => {
  const source = join(environment.folder, 'rejected.cpp')
  writeFileSync(source, text)
  return await compileUnit(environment, { stage: 'kernel', kind: 'aiv', source, name: 'rejected', flags: [] })
}

const select = (mask: string): string => `Select(a, ${mask}, b, c, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);`

describe.each(['clang++-16', 'g++'])('%s', (name) => {
  vi.setConfig({ testTimeout: buildLimitMs })
  const made = useCompileEnvironment(name)
  const earlier = useCompileEnvironment(name, '8.3')

  test.each(languageRules.filter(({ clangOnly }) => !clangOnly || name.startsWith('clang')))(
    'rejects $title',
    async ({ body, before = '', class: errorClass, says }) => {
      if (made.environment === null) return
      const text = programOf({ body, before })
      const error: unknown = await compile(made.environment, text).catch((reason: unknown) => reason)
      if (!(error instanceof BuildError)) throw new Error('compiled')
      const [first] = error.failure.diagnostics
      expect(first?.message).toMatch(says)
      expect(first?.file).toMatch(/\/rejected\.cpp$/)
      expect(error.failure.class, first?.message).toBe(errorClass)
      const here = text.split('\n').findIndex((line) => line.includes('// here')) + 1
      if (here > 0) expect(first?.line).toBe(here)
    },
  )

  test.each([...languageRules.map(({ title, clean }) => ({ title: `without ${title}`, ...clean })), ...languageTaken])(
    'takes $title',
    async ({ body, before = '' }) => {
      if (made.environment) await compile(made.environment, programOf({ body, before }))
    },
  )

  test(`only the compiler of CANN 8.3 rejects ${rejectedBefore85.title}`, async () => {
    if (made.environment === null || earlier.environment === null) return
    const { body, clean, says } = rejectedBefore85
    await compile(made.environment, programOf({ body }))
    await compile(earlier.environment, programOf(clean))
    await expect(compile(earlier.environment, programOf({ body }))).rejects.toMatchObject({
      failure: { class: 'language', diagnostics: [{ message: expect.stringMatching(says) }] },
    })
  })

  test('scalar code rounds after every operation', async () => {
    if (made.environment === null) return
    const body = 'float f = tiling.scale * tiling.scale + tiling.scale; Duplicate(a, f, 64);'
    const { object } = await compile(made.environment, programOf({ body }))
    expect(readFileSync(object).includes('llvm.fmuladd')).toBe(false)
  })

  test('warns of a mask of Select that is no tensor of bits', async () => {
    if (made.environment === null) return
    const { log } = await compile(made.environment, programOf({ body: `${select('u8')}\n    ${select('c')}` }))
    const warnings = parseDiagnostics(log).filter(({ message }) => message.startsWith('the mask of Select'))
    expect(warnings.map(({ severity, line }) => [severity, line])).toEqual([['warning', 13]])
  })
})
