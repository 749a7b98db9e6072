import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { ProjectFile } from '../../model/index.ts'
import { Decontamination } from '../hygiene/decontamination.ts'
import type { Compiler } from '../kernels/compile.ts'
import { rowOf, type RowOf } from '../row.ts'
import { assumedNames, tilingFields, withoutThis } from './assumed.ts'
import { checkMixed, type MixedContext } from './check.ts'
import { blocksOf, isAboutAscendC } from './claims.ts'
import { operatorIn, operatorProblem } from './operator.ts'

const provenance = { source: 'cot.json', sha256: '0'.repeat(64), licence: 'Apache-2.0' }

function mixed(request: string, answer: string, thought?: string): RowOf<'mixed'> {
  const row = rowOf({
    kind: 'mixed',
    request,
    answer,
    ...(thought !== undefined && { thought }),
    proof: {},
    provenance,
  })
  if (row.kind !== 'mixed') throw new Error('is one of another corpus')
  return row
}

const fence = (code: string, language = 'cpp'): string => `\`\`\`${language}\n${code}\n\`\`\`\n`
const entry = 'extern "C" __global__ __aicore__ void twice(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {}'
const header = 'BEGIN_TILING_DATA_DEF(Twice)\nTILING_DATA_FIELD_DEF(uint32_t, length);\nEND_TILING_DATA_DEF;'
const host = '#include "twice_tiling.h"\n#include "register/op_def_registry.h"\nOP_ADD(Twice);'

const never = (): never => expect.fail('is read')

test('an operator with a file that is too large to be read is wrong', async () => {
  const files = [{ path: 'op_kernel/a.cpp', content: ' '.repeat(2 ** 20 + 1) }]
  const problem = operatorProblem({ build: never, withFiles: never }, { describe: never, close: never }, files)
  expect(await problem).toBe('op_kernel/a.cpp is larger than 1 MiB')
})

describe('the code of an answer', () => {
  test.each<[string, string, [string | undefined, string][]]>([
    ['of files', `<file path="op_kernel/twice.cpp">\n${entry}\n</file>`, [['op_kernel/twice.cpp', `${entry}\n`]]],
    ['within tags', `Here:\n<kernel_impl>\n${fence(entry)}</kernel_impl>`, [['kernel_impl', `${entry}\n`]]],
    [
      'within tags that are closed, and nothing of others',
      `<a>\n${'<b>\n'.repeat(100_000)}<kernel_impl>\n${entry}\n</kernel_impl>\n</c>`,
      [['kernel_impl', `${entry}\n`]],
    ],
    [
      'of fenced blocks',
      `First ${fence('Add(y, x, z, count);')}`.replace('First ', 'First\n'),
      [[undefined, 'Add(y, x, z, count);']],
    ],
    ['that is a source', `// doubles\n${entry}`, [[undefined, `// doubles\n${entry}`]]],
    ['of a program that calls operators', fence('#include "acl/acl.h"\nint main() { return aclInit(nullptr); }'), []],
    ['in other languages', fence('cmake_minimum_required(VERSION 3.16)', 'cmake'), []],
    ['that is prose', 'A `LocalTensor` lies in the unified buffer.\nIt is aligned.', []],
  ])('%s', (_, answer, blocks) => {
    expect(blocksOf(answer).map(({ name, text }) => [name, text])).toEqual(blocks)
  })

  test('claims nothing where the row is not about Ascend C', () => {
    expect(isAboutAscendC(mixed('Sum a vector.', fence('int sum = 0;')))).toBe(false)
    expect(isAboutAscendC(mixed('Sum a vector in Ascend C.', 'Use a loop.'))).toBe(true)
    expect(isAboutAscendC(mixed('Sum it.', fence('LocalTensor<float> sum;')))).toBe(true)
  })
})

const paths = (...texts: string[]) => operatorIn(texts.map((text) => ({ text })))?.map(({ path }) => path)

describe('a whole operator', () => {
  test('is told by what its blocks hold, and headers are called as others include them', () => {
    expect(paths(host, entry, header)).toEqual([
      'op_host/twice.cpp',
      'op_kernel/twice.cpp',
      'op_host/twice_tiling.h',
      'op_kernel/twice_tiling.h',
    ])
  })

  test('is none without a host part, or with two kernels', () => {
    expect([paths(entry, header), paths(host, entry, entry), paths(host, header)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('what the skeleton of a foreign snippet declares', () => {
  test('follows from how names are spelled', () => {
    const text = 'AscendC::Muls(dstLocal, srcLocal[offset], this->scaleValue, tileLength);\noutQueueY.EnQue(dstLocal);'
    expect(assumedNames(withoutThis(text)).map((line) => line.replace('[[maybe_unused]] ', ''))).toEqual([
      'LocalTensor<U> dstLocal;',
      'LocalTensor<T> srcLocal;',
      'T scaleValue = T();',
      'uint32_t tileLength = 32;',
      'TQue<QuePosition::VECOUT, 1> outQueueY;',
    ])
  })

  test('are the fields of the row, else those that the kernel reads', () => {
    const kernel = 'GET_TILING_DATA(plan, tiling);\nRun(plan.length, plan.scale, plan.matmul.M);'
    expect(tilingFields(kernel, [kernel, header])).toEqual(['TILING_DATA_FIELD_DEF(uint32_t, length);'])
    expect(tilingFields(kernel, [kernel])).toEqual([
      'TILING_DATA_FIELD_DEF(int32_t, length);',
      'TILING_DATA_FIELD_DEF(float, scale);',
    ])
    expect(tilingFields('Run();', [])).toEqual([])
  })
})

const folder = mkdtempSync(join(tmpdir(), 'mixed-'))
afterAll(() => rmSync(folder, { recursive: true }))

let projects = 0

async function withFiles(
  _: unknown,
  files: readonly ProjectFile[],
  work: (sample: { root: string }) => unknown,
): Promise<unknown> {
  const root = join(folder, String(++projects))
  for (const { path, content } of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  return await work({ root })
}

/** Builds everything but what says `Wrong`, or `Needs` without `Has` in its namespace. */
function build({ sample }: { sample: { root: string } }) {
  const text = readFileSync(join(sample.root, 'op_kernel/snippet.cpp'), 'utf8')
  const units = text.split(/(?=^namespace row_)/m)
  const wrong = units.findIndex((unit) => unit.includes('Wrong') || (unit.includes('Needs') && !unit.includes('Has')))
  if (wrong < 0) return Promise.resolve({ ok: true, artifact: '' })
  const line = units.slice(0, wrong).join('').split('\n').length + 1
  const diagnostics = [{ severity: 'error', message: 'expected something else', line, file: 'op_kernel/snippet.cpp' }]
  return Promise.resolve({ ok: false, verdict: { diagnostics, log: '' } })
}

const poem = Array.from({ length: 40 }, (_, i) => `word${i}`).join(' ')
const decontamination = new Decontamination([{ suite: 'own', task: 'Poem', words: [poem], code: [] }])
const context: MixedContext = {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a compiler of the test in place of the real one
  compiler: { withFiles, build } as unknown as Compiler,
  reader: {
    describe: () => Promise.reject(new Error('its host part does not compile')),
    close: () => Promise.resolve(),
  },
  decontamination,
}
const outcomes = async (...rows: RowOf<'mixed'>[]): Promise<string[]> =>
  (await checkMixed(rows, context)).map(
    ({ problems, compiled, names }) =>
      `${problems.map(({ reason, detail }) => `${reason}: ${detail}`.slice(0, 40)).join('; ')}|${compiled}|${names}`,
  )

test('rows are held to what they claim, each by itself', async () => {
  const bad = mixed('Add in Ascend C', fence('Wrong(y, x);'))
  expect(
    await outcomes(
      mixed('Add in Ascend C', fence('Add(y, x, z, count);')),
      bad,
      mixed('Add two numbers', fence('Wrong(y, x);')),
      mixed('What copies tails in Ascend C?', '`DataCopyPad` does.'),
      mixed('What copies tails in Ascend C?', '`DataCopyTails` does, and `CopyIn` calls it.'),
      mixed('What does CANN stand for?', 'An architecture.'),
      mixed('Write `ScaleRow` in Ascend C', '`ScaleRow` needs a queue.'),
      mixed('What does AscendC::Ads do in Ascend C?', 'It adds.'),
      mixed('Say a poem', poem),
      mixed('An operator of Ascend C', `${fence(host)}${fence(entry)}${fence(header)}`),
    ),
  ).toEqual([
    '|1|0',
    'does not compile: expected something els|1|0',
    '|0|0',
    '|0|1',
    'unknown name: DataCopyTails|0|1',
    '|0|0',
    '|0|1',
    'unknown name: Ads|0|1',
    'benchmark task: own/Poem: 28 runs of wor|0|0',
    'does not compile: its host part does not|1|0',
  ])
})

test('a block may need what stands before it in its answer, and nothing of other answers', async () => {
  const needing = '__aicore__ inline void F() { Needs(); }'
  const having = '__aicore__ inline void Has() {}'
  expect(
    await outcomes(
      mixed('Ascend C, one after the other', `${fence(having)}\n${fence(needing)}`),
      mixed('Ascend C, the other way round', `${fence(needing)}\n${fence(having)}`),
    ),
  ).toEqual(['|2|0', 'does not compile: expected something els|2|0'])
})

test('no task is protected where nobody asks for it', async () => {
  const [checked] = await checkMixed([mixed('Say a poem', poem)], { ...context, decontamination: undefined })
  expect(checked?.problems).toEqual([])
})
