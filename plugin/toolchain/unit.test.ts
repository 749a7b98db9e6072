import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { buildLimitMs } from '../../fixtures/operator.ts'
import { programOf } from '../../fixtures/rejected/programs.ts'
import { useWorkshop } from '../../fixtures/workshop.ts'
import { BuildError } from './build-failure.ts'
import { exportedSymbols, undefinedSymbols } from './elf.ts'
import { compileUnit, linkAlone, linkLibrary, type Workshop } from './unit.ts'

/** Compiles statements and links them alone; the library, and what the object refers to. */
async function built(workshop: Workshop, body: string) {
  const { folder } = workshop
  const source = join(folder, 'kernel.cpp')
  writeFileSync(source, programOf({ body }))
  const unit = { stage: 'kernel', kind: 'aiv', source, name: 'kernel', flags: [] } as const
  const { object } = await compileUnit(workshop, unit)
  const symbols = undefinedSymbols(readFileSync(object))
  const library = join(folder, 'kernel.so')
  const alone = await linkAlone(workshop, { object, symbols, idle: [] }, library)
  if (!alone) await linkLibrary(workshop, [object], library, 'kernel')
  return { alone, symbols, exports: exportedSymbols(readFileSync(library)) }
}

describe.each(['clang++-16', 'g++'])('%s', (name) => {
  vi.setConfig({ testTimeout: buildLimitMs })
  const made = useWorkshop(name)

  test('links what only calls the runtime without searching libraries', async ({ skip }) => {
    skip(made.workshop === null, `no ${name} here`)
    const body = 'AscendC::LocalTensor<float> t = queue.AllocTensor<float>(); Exp(t, t, 64); queue.FreeTensor(t);'
    const { alone, exports } = await built(made.workshop!, `TQue<TPosition::VECIN, 1> queue; ${body}`)
    expect(alone).toBe(true)
    expect(exports.length).toBeGreaterThan(0)
  })

  test('leaves the code of tensors and queues to the runtime', async ({ skip }) => {
    skip(made.workshop === null, `no ${name} here`)
    const body = 'AscendC::LocalTensor<half> t = queue.AllocTensor<half>(); queue.EnQue(t[16]);'
    const { symbols } = await built(made.workshop!, `TQue<TPosition::VECOUT, 2> queue; ${body}`)
    const offered = await made.workshop!.runtime.exports()
    const left = symbols.filter((symbol) => symbol.includes('AscendC'))
    for (const part of ['11AllocTensor', '5EnQue', '11LocalTensorIDF16_Eix']) {
      const found = left.find((symbol) => symbol.includes(part))
      expect(found, part).toBeDefined()
      expect(offered.has(found!), part).toBe(true)
    }
  })

  test('says which limit has ended a compiler', async ({ skip }) => {
    skip(made.workshop === null, `no ${name} here`)
    const hurried = { ...made.workshop!, limits: { timeoutMs: 1, memoryMiB: 4096 } }
    const error: unknown = await built(hurried, '').catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(BuildError)
    if (error instanceof BuildError) expect(error.failure.diagnostics[0]?.message).toMatch(/0\.001 s.*compileTimeoutMs/)
  })

  test('searches libraries for what the runtime does not have', async ({ skip }) => {
    skip(made.workshop === null, `no ${name} here`)
    const { alone, symbols } = await built(made.workshop!, 'volatile double x = 2; x = std::atan2(x, x);')
    expect(symbols).toContain('atan2')
    expect(alone).toBe(false)
  })
})
