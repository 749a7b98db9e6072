import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { useCompileEnvironment } from '../../fixtures/compile-environment.ts'
import { buildLimitMs } from '../../fixtures/operator.ts'
import { programOf } from '../../fixtures/rejected/programs.ts'
import { BuildError } from './build-failure.ts'
import { exportedSymbols, undefinedSymbols } from './elf.ts'
import { kernelUnit } from './entry.ts'
import { compileUnit, linkAlone, linkLibrary, type CompileEnvironment } from './unit.ts'

/** The object of a kernel that is a template over its tiling key, with one selection of its choices. */
async function objectOfTemplate(environment: CompileEnvironment, ...selected: string[]): Promise<Buffer> {
  const source = join(environment.folder, 'kernel.cpp')
  const text = `#include "kernel_operator.h"
#include "ascendc/host_api/tiling/template_argument.h"
ASCENDC_TPL_ARGS_DECL(Chosen, ASCENDC_TPL_BOOL_DECL(TWICE, 0, 1), );
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(${['ASCENDC_TPL_BOOL_SEL(TWICE, 0, 1)', ...selected].join(', ')}), );
template <bool twice> __global__ __aicore__ void chosen(GM_ADDR x) {}
`
  const prelude = 'static constexpr int npu_emu_input_types[] = {-1}, npu_emu_output_types[] = {-1};'
  writeFileSync(source, kernelUnit({ prelude, path: source, source: text, kernel: 'chosen' }))
  const origin = join(environment.folder, 'chosen.cpp')
  const unit = { stage: 'kernel', kind: 'aiv', source, origin, name: 'kernel', flags: [] } as const
  return readFileSync((await compileUnit(environment, unit)).object)
}

/** Compiles statements and links them alone; the library, and what the object refers to. */
async function built(environment: CompileEnvironment, body: string, before = '') {
  const { folder } = environment
  const source = join(folder, 'kernel.cpp')
  writeFileSync(source, programOf({ body, before }))
  const unit = { stage: 'kernel', kind: 'aiv', source, name: 'kernel', flags: [] } as const
  const { object } = await compileUnit(environment, unit)
  const symbols = undefinedSymbols(readFileSync(object))
  const library = join(folder, 'kernel.so')
  const alone = await linkAlone(environment, { object, symbols, stubbed: [] }, library)
  if (!alone) await linkLibrary(environment, [object], library, 'kernel')
  return { alone, symbols, exports: exportedSymbols(readFileSync(library)) }
}

describe.each(['clang++-16', 'g++'])('%s', (name) => {
  vi.setConfig({ testTimeout: buildLimitMs })
  const made = useCompileEnvironment(name)

  test('links what only calls the runtime without searching libraries', async ({ skip }) => {
    skip(made.environment === null, `no ${name} here`)
    const body = 'AscendC::LocalTensor<float> t = queue.AllocTensor<float>(); Exp(t, t, 64); queue.FreeTensor(t);'
    const { alone, exports } = await built(made.environment!, `TQue<TPosition::VECIN, 1> queue; ${body}`)
    expect(alone).toBe(true)
    expect(exports.length).toBeGreaterThan(0)
  })

  test('compiles nothing below a folder whose name has a =', async ({ skip }) => {
    skip(made.environment === null, `no ${name} here`)
    const environment = made.environment!
    const trees = [{ root: '/a=b', mark: '/mark', files: [], key: '' }]
    const unit = { stage: 'kernel', kind: 'aiv', source: '/a=b/k.cpp', name: 'kernel', flags: [] } as const
    await expect(compileUnit({ ...environment, trees }, unit)).rejects.toThrow(
      '/a=b: compilers take no = in a path: rename the folder',
    )
  })

  test('leaves the code of tensors and queues to the runtime', async ({ skip }) => {
    skip(made.environment === null, `no ${name} here`)
    const body = 'AscendC::LocalTensor<half> t = queue.AllocTensor<half>(); queue.EnQue(t[16]);'
    const { symbols } = await built(made.environment!, `TQue<TPosition::VECOUT, 2> queue; ${body}`)
    const offered = await made.environment!.runtime.exports()
    const left = symbols.filter((symbol) => symbol.includes('AscendC'))
    for (const part of ['11AllocTensor', '5EnQue', '11LocalTensorIDF16_Eix']) {
      const found = left.find((symbol) => symbol.includes(part))
      expect(found, part).toBeDefined()
      expect(offered.has(found!), part).toBe(true)
    }
  })

  test('code of the device that is taken for code of the host ends the build', async ({ skip }) => {
    skip(made.environment === null, `no ${name} here`)
    const source = join(made.environment!.folder, 'kernel.cpp')
    const compile = async (head: string, call: string): Promise<unknown> => {
      const text = `#include "kernel_operator.h"
#define CAT(a, b) a##b
template <int N> struct Tag {};
${head}(Tag<int{3}>, float& f) { ignored<<<1, nullptr, f>>>(f); f *= 2; }
extern "C" __global__ __aicore__ void k(GM_ADDR x) { float f = 1; ${call}; }
`
      writeFileSync(source, kernelUnit({ prelude: '', path: source, source: text, kernel: 'k' }))
      const origin = join(made.environment!.folder, 'k.cpp')
      const unit = { stage: 'kernel', kind: 'aiv', source, origin, name: 'kernel', flags: [] } as const
      const done: unknown = await compileUnit(made.environment!, unit).catch((reason: unknown) => reason)
      return done instanceof BuildError ? done.failure.diagnostics[0]?.message : done
    }
    expect(await compile('void launch', '')).toMatchObject({ read: expect.any(Array) as unknown })
    const message = expect.stringContaining('code of the host, which the device does not run') as unknown
    expect(await compile('__aicore__ inline void launch', 'launch(Tag<3>{}, f)')).toEqual(message)
    expect(await compile('CAT(__ai, core__) inline void launch', 'launch(Tag<3>{}, f)')).toEqual(message)
    expect(await compile('constexpr void launch', 'launch(Tag<3>{}, f)')).not.toBeInstanceOf(Object)
  })

  test('says which limit has ended a compiler', async ({ skip }) => {
    skip(made.environment === null, `no ${name} here`)
    const hurried = { ...made.environment!, limits: { timeoutMs: 1, memoryMiB: 4096 } }
    const error: unknown = await built(hurried, '').catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(BuildError)
    if (error instanceof BuildError) expect(error.failure.diagnostics[0]?.message).toMatch(/0\.001 s.*compileTimeoutMs/)
  })

  test('a compiler that has no more memory has not judged what it was given', async ({ skip }) => {
    skip(made.environment === null, `no ${name} here`)
    const poor = { ...made.environment!, limits: { timeoutMs: 120_000, memoryMiB: 200 } }
    const source = join(poor.folder, 'memory.cpp')
    writeFileSync(source, `const char text[] = {${'1,'.repeat(1_000_000)}};\n`)
    const unit = { stage: 'host', kind: 'host', source, name: 'memory', flags: [] } as const
    await expect(compileUnit(poor, unit)).rejects.toMatchObject({ name: 'BuildError', lasting: false })
  })

  test('macros of compile options are read behind the words that a kernel cannot use', async ({ skip }) => {
    skip(made.environment === null, `no ${name} here`)
    const source = join(made.environment!.folder, 'kernel.cpp')
    writeFileSync(source, programOf({ body: 'static_assert(FIVE == 5 && ONE == 1, "as on a command line");' }))
    const unit = { stage: 'kernel', kind: 'aiv', source, name: 'kernel', flags: [] } as const
    await compileUnit(made.environment!, { ...unit, defines: ['-DFIVE=(2 + 3)', '-DONE', '-DONE=1'] })
    const defines = ['-DFIVE=5', '-DONE', '-DQUIET=no_sanitize']
    const error: unknown = await compileUnit(made.environment!, { ...unit, defines }).catch((reason: unknown) => reason)
    if (!(error instanceof BuildError)) throw new Error('compiled')
    const message = expect.stringContaining('leave out the attribute or pragma') as unknown
    expect(error.failure.diagnostics[0]).toMatchObject({ message, file: 'compile options', line: 3 })
  })

  test('searches libraries for what the runtime does not have', async ({ skip }) => {
    skip(made.environment === null, `no ${name} here`)
    const { alone, symbols } = await built(
      made.environment!,
      '',
      '__int128 ofHost(__int128 x, __int128 y) { return x / y; }',
    )
    expect(symbols).toContain('__divti3')
    expect(alone).toBe(false)
  })

  test('has the tables of a tiling key in the object only where a choice has a kernel type', async ({ skip }) => {
    skip(made.environment === null, `no ${name} here`)
    const [typed, plain] = [
      await objectOfTemplate(made.environment!, 'ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY)'),
      await objectOfTemplate(made.environment!),
    ]
    expect([typed.includes('taskTypeIn'), plain.includes('taskTypeIn')]).toEqual([true, false])
    // g++ keeps every table of a file that is not optimised
    if (name === 'g++') return
    expect([typed.includes('npu_emu_tpl_selection'), plain.includes('npu_emu_tpl_selection')]).toEqual([true, false])
  })
})
