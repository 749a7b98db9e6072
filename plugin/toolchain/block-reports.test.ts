import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { useCompileEnvironment } from '../../fixtures/compile-environment.ts'
import { buildLimitMs } from '../../fixtures/operator.ts'
import { programOf } from '../../fixtures/rejected/programs.ts'
import { areReportsOfCompiler } from './block-reports.ts'
import { undefinedSymbols } from './elf.ts'
import { readLibrary } from './object-file.ts'
import { compileUnit, linkAlone, linkLibrary, type CompileEnvironment } from './unit.ts'

const number = Buffer.from('8877665544332211', 'hex')
const body =
  'uint64_t sum = 0; for (uint64_t i = 0; i < count; ++i) sum += i ^ 0x1122334455667788u; tiling.length = sum >> 32;'

/** The object and the library of a kernel with that number in its code. */
async function built(environment: CompileEnvironment, alone: boolean): Promise<[object: Buffer, library: Buffer]> {
  const { folder } = environment
  const source = join(folder, 'kernel.cpp')
  writeFileSync(source, programOf({ body }))
  const { object } = await compileUnit(environment, { stage: 'kernel', kind: 'aiv', source, name: 'kernel', flags: [] })
  const library = join(folder, 'kernel.so')
  const symbols = undefinedSymbols(readFileSync(object))
  if (alone) expect(await linkAlone(environment, { object, symbols, stubbed: [] }, library)).toBe(true)
  else await linkLibrary(environment, [object], library, 'kernel')
  return [readFileSync(object), readFileSync(library)]
}

/** Puts a call of what the code calls most, the report of a block, where the number is; the buffers share their memory. */
function imitate(library: Buffer): void {
  const targets = new Map<number, number>()
  for (const { isCode, bytes, address } of readLibrary(library)?.sections ?? []) {
    const at = isCode ? bytes.indexOf(number) : -1
    if (at < 0) continue
    for (let from = bytes.indexOf(0xe8); from >= 0 && from + 5 <= bytes.length; from = bytes.indexOf(0xe8, from + 1)) {
      const target = address + from + 5 + bytes.readInt32LE(from + 1)
      targets.set(target, (targets.get(target) ?? 0) + 1)
    }
    const [target] = [...targets].reduce((most, each) => (each[1] > most[1] ? each : most))
    bytes[at] = 0xe8
    bytes.writeInt32LE(target - (address + at + 5), at + 1)
    return
  }
  throw new Error('the number is not in the code')
}

describe.each(['clang++-16', 'g++'])('%s', (name) => {
  vi.setConfig({ testTimeout: buildLimitMs })
  const made = useCompileEnvironment(name)

  test.each([true, false])(
    'a number that reads like the report of a block is found, linked alone: %s',
    async (alone) => {
      if (made.environment === null || made.environment.runtime.compiler.target.startsWith('aarch64')) return
      const [object, library] = await built(made.environment, alone)
      expect(areReportsOfCompiler(object, library)).toBe(true)
      imitate(library)
      expect(areReportsOfCompiler(object, library)).toBe(false)
    },
  )
})

test('what cannot be read has no reports of the compiler', () => {
  expect(areReportsOfCompiler(Buffer.alloc(0), Buffer.alloc(0))).toBe(false)
})
