import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs, interfaceOf, startService } from '../../fixtures/operator.ts'
import type { BuildResult, TaskInterface } from '../model/index.ts'
import type { KernelService } from '../service/service.ts'
import { hostFamilies, hostSurroundings, families, surroundings, type ApiCall } from './api-calls.ts'
import { allCalls, callsFor, cardOf, entriesNamedIn, entryOf, tokenCounter, typesOf } from './api-card.ts'
import { skeletonOf } from './skeleton.ts'

const folder = mkdtempSync(join(tmpdir(), 'npu-card-test-'))
let service: KernelService

beforeAll(async () => {
  service = await startService()
}, buildLimitMs)

afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

/** One function for each legal type of each call: all of them are one unit. */
function functionsFor(calls: readonly ApiCall[], unit: string): string {
  return calls
    .flatMap((call, i) =>
      (typesOf(call) ?? call.tries ?? ['float']).map((types, j) => {
        const [from, to = from] = types.split('->')
        return `// ${call.name} ${types}
__aicore__ inline void ${unit}${i}_${j}() {
  using T = ${from};
  using U = ${to};
  using namespace AscendC;
${surroundings.code}  (void)scalar;
  (void)count;
  (void)bytes;
  (void)pipe;
  ${call.call}
}
`
      }),
    )
    .join('\n')
}

async function build(
  name: string,
  edit: (path: string, content: string, task: TaskInterface) => string,
): Promise<BuildResult> {
  const task = interfaceOf(name, name.toLowerCase(), [], ['float32'])
  const root = join(folder, name)
  for (const { path, content } of skeletonOf(task)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), edit(path, content, task))
  }
  const [kernelDir, hostDir] = [join(root, 'op_kernel'), join(root, 'op_host')]
  return await service.build({
    sample: { task: name, name: 'card', root, kernelDir, hostDir, cmakeLists: [] },
    task,
    combinations: [{ inputs: ['float32'], outputs: ['float32'] }],
  })
}

const problemsOf = (built: BuildResult): unknown => {
  if (built.ok) return []
  return built.verdict.kind === 'compile-failed'
    ? built.verdict.diagnostics.map(({ line, message }) => `${line}: ${message}`)
    : built.verdict
}

const kernelWith =
  (calls: readonly ApiCall[], kind: string, header = '') =>
  (path: string, content: string, { kernel }: TaskInterface): string =>
    path.startsWith('op_kernel/')
      ? content
          .replace(
            '#include "kernel_operator.h"\n',
            `#include "kernel_operator.h"\n${header}\n${functionsFor(calls, kernel)}`,
          )
          .replace('KERNEL_TYPE_AIV_ONLY', kind)
      : content

const { matmul, cube, ...vector } = families
const vectorCalls: ApiCall[] = Object.values(vector).flat()

describe('every call of the card compiles, with every type that it names', () => {
  test('those of vector kernels', { timeout: buildLimitMs }, async () => {
    const built = await build('CardVector', kernelWith(vectorCalls, 'KERNEL_TYPE_AIV_ONLY'))
    expect(problemsOf(built)).toEqual([])
  })

  test('those of the cube core', { timeout: buildLimitMs }, async () => {
    const built = await build(
      'CardCube',
      kernelWith([...matmul, ...cube], 'KERNEL_TYPE_MIX_AIC_1_2', '#include "lib/matmul_intf.h"'),
    )
    expect(problemsOf(built)).toEqual([])
  })

  test('those of host parts', { timeout: buildLimitMs }, async () => {
    const calls: ApiCall[] = Object.values(hostFamilies).flat()
    const functions = calls.map(
      ({ call }, i) =>
        `static ge::graphStatus Call${i}([[maybe_unused]] gert::TilingContext* context) { ${call} return ge::GRAPH_SUCCESS; }\n`,
    )
    const uses = calls.map((_, i) => `&Call${i}`).join(', ')
    const built = await build('CardHost', (path, content) =>
      path === 'op_host/cardhost.cpp'
        ? `${hostSurroundings.includes.map((each) => `#include "${each}"\n`).join('')}${functions.join('')}using Call = ge::graphStatus (*)(gert::TilingContext*);\nextern const Call cardCalls[];\nconst Call cardCalls[] = {${uses}};\n${content}`
        : content,
    )
    expect(problemsOf(built)).toEqual([])
  })
})

test('it has at least 120 functions and classes of everyday use', () => {
  expect(new Set(allCalls().map(({ call }) => call.name)).size).toBeGreaterThanOrEqual(120)
})

test('functions have the signature that their call means, of the headers', () => {
  const add = families.arithmetic.find(({ name }) => name === 'Add')!
  expect(entryOf(add)).toBe(
    [
      '**Add**: y = x + z',
      '  `Add(LocalTensor<T> dst, LocalTensor<T> src0, LocalTensor<T> src1, int32_t count)`',
      '  T: int16_t, half, int32_t, float',
      '  `Add(y, x, z, count);`',
    ].join('\n'),
  )
  const methods = /::|^(?:Matmul|ListTensorDesc|MatmulApiTiling|MultiCoreMatmulTiling|Matmul)$/
  const without = allCalls().filter(
    ({ call }) =>
      !methods.test(call.name) && !/^ {2}`\w+\(.*\)`$/m.test(entryOf(call).split('\n').slice(1, -1).join('\n')),
  )
  expect(without.map(({ call }) => call.name)).toEqual([])
})

const names = (category: string): Set<string> => new Set(callsFor(category, 'kernel-only').map(({ name }) => name))

test('tokens of what no language has are counted in a time that grows with its length', async () => {
  const count = await tokenCounter()
  const started = performance.now()
  for (const run of ['~', 'Aa', '\u0300', ' \n', '`']) expect(count(run.repeat(40_000))).toBeGreaterThan(100)
  expect(performance.now() - started).toBeLessThan(8000)
  // of what has one, nothing changes
  const text = 'Each core takes tiles of its own.\n\n  x = AscendC::Add(y, z, 256); // 加法\n'.repeat(100)
  expect(count(text)).toBe((await import('gpt-tokenizer')).countTokens(text))
}, 60_000)

describe('a card', () => {
  const entries = callsFor('Norm', 'full').map(entryOf)

  test('holds what fits into its tokens', async () => {
    const count = await tokenCounter()
    for (const tokens of [400, 1000, 4000, 12_000]) {
      const card = await cardOf(entries, tokens, 'full')
      expect(count(card)).toBeLessThanOrEqual(tokens)
      expect(count(card)).toBeGreaterThan(Math.min(tokens, count(entries.join('\n\n'))) * 0.9)
    }
    expect(await cardOf(entries, 0, 'full')).toBe('')
    expect(await cardOf(entries, 20, 'full')).toBe('')
  })

  test('begins with how data gets in and out, and with what its category is about', async () => {
    const norm = await cardOf(entries, 4000, 'full')
    for (const name of ['DataCopyPad', 'TQue::EnQue', 'ReduceSum', 'Adds', 'Mul']) expect(norm).toContain(`**${name}**`)
    const product = await cardOf(callsFor('GMM', 'full').map(entryOf), 4000, 'full')
    for (const name of ['DataCopyPad', 'Matmul', 'Mmad', 'MatmulApiTiling']) expect(product).toContain(`**${name}**`)
  })

  test('is that of the category', () => {
    expect(names('Norm')).toContain('ReduceSum')
    expect(names('Norm')).not.toContain('Matmul')
    expect(names('GMM')).toContain('Matmul')
    expect(names('of my own')).toContain('Add')
    expect(names('Norm')).not.toContain('TilingContext::GetAttrs')
  })

  test('has entries for the names of a complaint, of whatever the headers declare', () => {
    const [first, ...rest] = entriesNamedIn(
      "error: no matching function for call to 'DataCopyPad' in MyKernel; see also 'GetSystemCycle'",
    )
    expect(first).toContain('**DataCopyPad**')
    expect(rest.join('\n')).toContain('GetSystemCycle()')
    expect(entriesNamedIn('expected a semicolon')).toEqual([])
  })
})
