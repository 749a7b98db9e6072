import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { useCompileEnvironment } from '../../fixtures/compile-environment.ts'
import { buildLimitMs } from '../../fixtures/operator.ts'
import { programOf, rejected, taken } from '../../fixtures/rejected/programs.ts'
import { BuildError } from './build-failure.ts'
import { compileUnit, type CompileEnvironment } from './unit.ts'

const compile = async (environment: CompileEnvironment, text: string): Promise<unknown> => {
  const source = join(environment.folder, 'rejected.cpp')
  writeFileSync(source, text)
  const unit = { stage: 'kernel', kind: 'aiv', source, name: 'rejected', flags: [] } as const
  return await compileUnit(environment, unit).catch((reason: unknown) => reason)
}

describe.each(['clang++-16', 'g++'])('%s', (name) => {
  vi.setConfig({ testTimeout: buildLimitMs })
  const made = useCompileEnvironment(name)

  test('takes all of them once the mistake is gone', async ({ skip }) => {
    skip(made.environment === null, `no ${name} here`)
    const body = rejected.map(({ title, clean }) => `{  // ${title}\n    ${clean}\n    }`).join('\n    ')
    if (made.environment) expect(await compile(made.environment, programOf({ body }))).not.toBeInstanceOf(Error)
  })

  test.each(taken)('takes $title', async ({ body, before }) => {
    if (made.environment) expect(await compile(made.environment, programOf({ body, before }))).not.toBeInstanceOf(Error)
  })

  test.each(rejected.filter(({ clangOnly }) => !clangOnly || name.startsWith('clang')))(
    'rejects $title',
    async (program) => {
      if (made.environment === null) return
      const error = await compile(made.environment, programOf(program))
      if (!(error instanceof BuildError)) throw new Error('compiled')
      const [first] = error.failure.diagnostics
      expect(first?.message).toMatch(program.says)
      expect(first?.file).toMatch(/\/rejected\.cpp$/)
      expect(first?.message).not.toMatch(/npu_emu|static assertion/)
      expect(error.failure.class, first?.message).toBe(program.class)
    },
  )
})
