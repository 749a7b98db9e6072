import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { useCompileEnvironment } from '../../fixtures/compile-environment.ts'
import { buildLimitMs } from '../../fixtures/operator.ts'
import { deviceMacros, hiddenMacros, hostCode } from '../../fixtures/rejected/host-code.ts'
import { programOf } from '../../fixtures/rejected/programs.ts'
import { BuildError } from './build-failure.ts'
import { compileUnit, type CompileEnvironment } from './unit.ts'

const compile = async (
  environment: CompileEnvironment,
  text: string,
  kind: 'aiv' | 'host' = 'aiv',
): Promise<BuildError | null> => {
  const source = join(environment.folder, 'rejected.cpp')
  writeFileSync(source, text)
  const stage = kind === 'host' ? 'host' : 'kernel'
  const done = compileUnit(environment, { stage, kind, source, name: 'rejected', flags: [] })
  const error: unknown = await done.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error === null || error instanceof BuildError) return error
  throw error
}

/** Asks whether headers are there. */
const asking = (...names: string[]): string =>
  names.map((name) => `#if __has_include("${name}")\nconstexpr int found${name.length} = 1;\n#endif\n`).join('')

describe.each(['clang++-16', 'g++'])('%s', (name) => {
  vi.setConfig({ testTimeout: buildLimitMs })
  const made = useCompileEnvironment(name)
  const family = name.startsWith('clang') ? 'clang' : 'gcc'
  const rules = hostCode.filter(({ only }) => only === undefined || only === family)

  test.each(rules)('rejects $title', async ({ body = '', before = '', says }) => {
    if (made.environment === null) return
    const text = programOf({ body, before })
    const error = await compile(made.environment, text)
    const [first] = error?.failure.diagnostics ?? []
    expect(first?.message).toMatch(says)
    if (says.source === '.') return
    expect(first?.message).not.toMatch(/npu_emu|poisoned/)
    expect(error?.failure.class, first?.message).toBe('language')
    const here = text.split('\n').findIndex((line) => line.includes('// here')) + 1
    if (here > 0) expect([first?.file, first?.line]).toEqual([expect.stringMatching(/\/rejected\.cpp$/), here])
  })

  test.each(rules)('takes a kernel without $title', async ({ clean: { body = '', before = '' } }) => {
    if (made.environment) expect(await compile(made.environment, programOf({ body, before }))).toBeNull()
  })

  test('rejects what compiles to more than anybody reads', async () => {
    if (made.environment === null) return
    const error = await compile(made.environment, 'extern const char big[96 << 20] = {1};', 'host')
    expect(error?.failure.log).toBe('rejected.cpp compiles to more than 64 MiB: make its constants smaller')
    expect(error?.lasting).toBe(true)
  })

  test('tells a kernel the macros of the device, and none of this processor', async () => {
    if (made.environment === null) return
    const conditions = [...hiddenMacros.map((macro) => `!defined(${macro})`), ...deviceMacros]
    const before = conditions.map((each) => `#if !(${each})\n#error "${each}"\n#endif`).join('\n')
    expect(await compile(made.environment, programOf({ before, body: '' }))).toBeNull()
    const [first] = hiddenMacros
    const text = `#ifndef ${first}\n#error hidden\n#endif\n`
    expect((await compile(made.environment, programOf({ before: text, body: '' })))?.message).toMatch(/hidden/)
  })

  test('a file outside ends the build of a kernel that asks whether it is there, where the kernel has Landlock', async ({
    skip,
  }) => {
    if (made.environment === null) return
    const outside = realpathSync(mkdtempSync(join(tmpdir(), 'host-code-outside-')))
    try {
      const [there, not] = [join(outside, 'there.h'), join(outside, 'not_there.h')]
      const own = '#if !__has_include("kernel_operator.h")\n#error own\n#endif\n'
      expect(await compile(made.environment, programOf({ before: own + asking(there, not), body: '' }))).toBeNull()
      writeFileSync(there, '')
      const error = await compile(made.environment, programOf({ before: asking(there), body: '' }))
      skip(error === null, 'no Landlock on this machine')
      expect(error?.message).toContain(there)
    } finally {
      rmSync(outside, { recursive: true })
    }
  })

  test.each([
    ['a statement', 'int f() {\n  __asm__ volatile("nop");  // here\n  return 1;\n}\n', noAssembly],
    ['outside of functions', '__asm__(".incbin \\"/etc/hostname\\"");\n', noAssembly],
    [
      'the name of a section',
      '__attribute__((section(".rodata.x,\\"a\\"\\n\\t.incbin \\"/etc/hostname\\" #"))) int f() { return 1; }\n',
      family === 'gcc' ? noAssembly : null,
    ],
    ['the day of the build', 'int f() { return __DATE__[4]; }\n', /every day/],
  ])('host code has no assembly in %s', async (_, text, says) => {
    if (made.environment === null) return
    const error = await compile(made.environment, text, 'host')
    if (says === null) expect(error).toBeNull()
    else expect(error?.message).toMatch(says)
  })
})

const noAssembly = /^assembly is not allowed/
