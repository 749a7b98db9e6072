import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { interfaceOf } from '../../fixtures/operator.ts'
import type { EmulatorArtifact, KernelVariants } from '../toolchain/artifact.ts'
import { saveBlocks, type CodeBlock } from '../toolchain/code-blocks.ts'
import { ReachedCode } from './reached-code.ts'

const block = (offset: number, line: number, lines = [line]): CodeBlock => {
  return { offset, file: 0, line, column: 3, ordinal: 0, lines }
}

const folder = mkdtempSync(join(tmpdir(), 'reached-code-'))
const libraryIn = (name: string): string => join(mkdtempSync(join(folder, name)), 'kernel.so')
const [float, int, host] = [libraryIn('float'), libraryIn('int'), libraryIn('host')]
const files = ['/npu/candidate/op_kernel/a.cpp']
const tilingKeys = new Set(['10', '9'])

const artifact: EmulatorArtifact = {
  id: 'a',
  task: interfaceOf('A', 'a', [], ['float32', 'int32']),
  operator: { name: 'A', inputs: [], outputs: [], attrs: [], socs: [], hasTiling: true, infers: false },
  host,
  kernels: new Map([
    ['float', { supported: true, aiv: float, aic: null, tilingKeys }],
    ['int', { supported: true, aiv: int, aic: null, tilingKeys }],
    ['half', { supported: false, message: '' }],
  ]),
  autoSync: true,
  trees: [{ root: '/here', mark: '/npu/candidate' }],
}

let reached: ReachedCode

beforeAll(async () => {
  // the second block goes on otherwise; the third is of one type alone
  await saveBlocks(join(float, '..'), {
    files,
    blocks: [block(200, 1), block(64, 2, [2, 3])],
    tilingKeys: [{ key: '10', fields: 'MODE=1' }],
  })
  await saveBlocks(join(int, '..'), {
    files,
    blocks: [block(128, 1), block(640, 2, [2, 5]), block(700, 7)],
    tilingKeys: [],
  })
  // of a file that the kernel reads as well, at the same place as a block of it
  await saveBlocks(join(host, '..'), { files, blocks: [block(64, 1), block(96, 9)], tilingKeys: [] })
  reached = await ReachedCode.of(artifact)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Numbers below 2^14, as the runner tells them. */
function told(...offsets: number[]): string {
  const steps = offsets.map((offset, index) => offset - (offsets[index - 1] ?? 0))
  return Buffer.from(steps.flatMap((step) => (step < 128 ? [step] : [(step & 127) | 128, step >> 7]))).toString(
    'base64',
  )
}

/** Numbers of the blocks that a launch of a library has told. */
function numbersOf(library: string, aiv: string): number[] {
  const told = [
    { library, reached: aiv },
    { library: null, reached: 'AAAA' },
  ]
  const bits = Buffer.from(reached.bitsOf(told), 'base64')
  return reached.code.blocks.flatMap((_, number) => ((bits[number >> 3] ?? 0) & (1 << (number & 7)) ? [number] : []))
}

test('blocks of all libraries are those of the source, in its order', () => {
  expect(reached.code.files).toEqual(['/here/op_kernel/a.cpp'])
  expect(reached.code.blocks.map(({ side, lines }) => [side, ...lines])).toEqual([
    ['host', 1],
    ['kernel', 1],
    ['kernel', 2, 3],
    ['kernel', 2, 5],
    ['kernel', 7],
    ['host', 9],
  ])
  expect(reached.code.tilingKeys).toEqual([{ key: '9' }, { key: '10', fields: 'MODE=1' }])
})

test('a launch reaches blocks of its library by their places in it', () => {
  expect(numbersOf(float, told(64, 200))).toEqual([1, 2])
  expect(numbersOf(int, told(128, 640, 700))).toEqual([1, 3, 4])
})

test('a request to the host part reaches blocks of its library', () => {
  expect(numbersOf(host, told(64, 200))).toEqual([0])
  expect(numbersOf(host, told(96))).toEqual([5])
})

test('both halves of a mixed kernel count', async () => {
  const kernels = new Map([['mixed', { supported: true, aiv: float, aic: int, tilingKeys } as const]])
  const mixed = await ReachedCode.of({ ...artifact, kernels })
  const bits = mixed.bitsOf([
    { library: float, reached: told(64) },
    { library: int, reached: told(700) },
    { library: host, reached: told(96) },
  ])
  expect(Buffer.from(bits, 'base64')).toEqual(Buffer.from([0b110100]))
})

test('an artifact of which a library has lost its blocks has none', async () => {
  const lost: KernelVariants = { supported: true, aiv: join(folder, 'lost', 'kernel.so'), aic: null, tilingKeys }
  const { code } = await ReachedCode.of({ ...artifact, kernels: new Map([...artifact.kernels, ['lost', lost]]) })
  expect(code.blocks).toEqual([])
})

describe('a kernel that claims what is no block', () => {
  test.each(['', '%%%', told(1, 63, 65, 1000), 'gICAgICAgICAgICAgICAgICAgICAgICAgAE=', 'gICA', 'AAAA'.repeat(60_000)])(
    'gets nothing for it: %#',
    (claim) => expect(numbersOf(float, claim)).toEqual([]),
  )
  test('gets nothing for a library that it is not in', () => expect(numbersOf('/elsewhere', told(64))).toEqual([]))
})
