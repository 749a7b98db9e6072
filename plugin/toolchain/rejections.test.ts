import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { buildLimitMs } from '../../fixtures/operator.ts'
import { programOf, rejected, taken } from '../../fixtures/rejected/programs.ts'
import { useWorkshop } from '../../fixtures/workshop.ts'
import { BuildError } from './build-failure.ts'
import { compileUnit, type Workshop } from './unit.ts'

const compile = async (workshop: Workshop, text: string): Promise<unknown> => {
  const source = join(workshop.folder, 'rejected.cpp')
  writeFileSync(source, text)
  const unit = { stage: 'kernel', kind: 'aiv', source, name: 'rejected', flags: [] } as const
  return await compileUnit(workshop, unit).catch((reason: unknown) => reason)
}

describe.each(['clang++-16', 'g++'])('%s', (name) => {
  vi.setConfig({ testTimeout: buildLimitMs })
  const made = useWorkshop(name)

  test('takes all of them once the mistake is gone', async ({ skip }) => {
    skip(made.workshop === null, `no ${name} here`)
    const body = rejected.map(({ title, clean }) => `{  // ${title}\n    ${clean}\n    }`).join('\n    ')
    if (made.workshop) expect(await compile(made.workshop, programOf({ body }))).not.toBeInstanceOf(Error)
  })

  test.each(taken)('takes $title', async ({ body, before }) => {
    if (made.workshop) expect(await compile(made.workshop, programOf({ body, before }))).not.toBeInstanceOf(Error)
  })

  test.each(rejected.filter(({ clangOnly }) => !clangOnly || name.startsWith('clang')))(
    'rejects $title',
    async (program) => {
      if (made.workshop === null) return
      const error = await compile(made.workshop, programOf(program))
      if (!(error instanceof BuildError)) throw new Error('compiled')
      const [first] = error.failure.diagnostics
      expect(first?.message).toMatch(program.says)
      expect(first?.file).toMatch(/\/rejected\.cpp$/)
      expect(first?.message).not.toMatch(/npu_emu|static assertion/)
      expect(error.failure.class, first?.message).toBe(program.class)
    },
  )
})
