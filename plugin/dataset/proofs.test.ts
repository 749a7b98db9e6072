import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildLimitMs, interfaceOf, startService } from '../../fixtures/operator.ts'
import { writeFiles } from '../../fixtures/write-files.ts'
import { skeletonOf as projectSkeleton } from '../generation/skeleton.ts'
import { InfrastructureError } from '../model/index.ts'
import type { KernelService } from '../service/service.ts'
import { compileSnippets } from './documents/compile-snippets.ts'
import { skeletonOf, snippetsOf } from './documents/snippets.ts'
import { verifyDocumentRow } from './documents/verifier.ts'
import { compileCodes, kernelFileOf, type Compiler } from './kernels/compile.ts'
import type { OperatorFacts } from './kernels/operator.ts'
import { verifyKernelRow } from './kernels/verifier.ts'
import { rowOf, type RowOf } from './row.ts'

const folder = mkdtempSync(join(tmpdir(), 'npu-proofs-test-'))
let service: KernelService
let number = 0

const compiler: Compiler = {
  async build(args) {
    const built = await service.build(args)
    if (built.ok) return built
    const { verdict } = built
    if (verdict.kind === 'infrastructure') throw new InfrastructureError(verdict.message)
    return { ok: false, verdict }
  },
  async withFiles({ name }, files, work) {
    const root = join(folder, String(++number))
    writeFiles(root, files)
    const [kernelDir, hostDir] = [join(root, 'op_kernel'), join(root, 'op_host')]
    return await work({ task: name, name: 'row', root, kernelDir, hostDir, cmakeLists: [] })
  },
}

beforeAll(async () => {
  service = await startService()
}, buildLimitMs)

afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

const task = interfaceOf('Double', 'double_it', [], ['float32'])
const facts: OperatorFacts = {
  interface: task,
  combination: { inputs: ['float32'], outputs: ['float32'] },
  core: 'KERNEL_TYPE_AIV_ONLY',
  host: projectSkeleton(task).filter(({ path }) => path.startsWith('op_host/')),
}

const twice = `#include "kernel_operator.h"

template <typename T>
__aicore__ inline void Twice(const AscendC::LocalTensor<T>& y, const AscendC::LocalTensor<T>& x, int32_t count) {
  AscendC::Add(y, x, x, count);
}
`

test(
  'of codes that are compiled together those are refused that are wrong, and no others',
  { timeout: buildLimitMs },
  async () => {
    const length = `__aicore__ inline uint64_t Length(const DoubleTilingData& tiling) { return tiling.totalLength; }\n`
    const codes = [
      twice,
      length,
      length.replace('totalLength', 'noLength'),
      `#define COUNT 4\n__aicore__ inline int32_t Count() { return COUNT; }\n`,
      `__aicore__ inline void Run() { Twice(1); }\n`,
      twice,
    ]
    const problems = await compileCodes(compiler, facts, codes)
    expect(problems.map((problem) => problem === null)).toEqual([true, true, false, true, false, true])
    expect(problems[2]).toContain('noLength')
    // what another code declares is not there
    expect(problems[4]).toContain('Twice')
  },
)

test('snippets of answers compile in the skeletons that they need', { timeout: buildLimitMs }, async () => {
  const right = [
    'Add(y, x, z, count);',
    'ShiftLeft(y, x, scalar, count);',
    'LocalTensor<half> h = x;\nLocalTensor<float> f = y;\nCast(f, h, RoundMode::CAST_NONE, count);',
    'Cast(y, x, RoundMode::CAST_NONE, count);',
    'LocalTensor<half> x = work.ReinterpretCast<half>();\nAbs(x, x, count);',
    '__aicore__ inline void Wait() {\n  PipeBarrier<PIPE_V>();\n}',
    'auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());\ncontext->SetBlockDim(platform.GetCoreNumAiv());',
    'extern "C" __global__ __aicore__ void nothing(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {\n  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);\n}',
  ]
  const wrong = [
    'Add(y, x);',
    'TensorAdd(y, x, z, count);',
    'context->SetCoreCount(8);',
    'extern "C" __global__ __aicore__ void nothing(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {\n  std::vector<int> v;\n}',
  ]
  const snippets = [...right, ...wrong].map((text) => ({ skeleton: skeletonOf(text), text }))
  const problems = await compileSnippets(compiler, snippets)
  expect(problems.slice(0, right.length)).toEqual(right.map(() => null))
  expect(problems.slice(right.length).map((problem) => typeof problem)).toEqual(wrong.map(() => 'string'))
})

const provenance = { source: 'a.md:1', sha256: '0'.repeat(64), licence: 'MIT' }

describe('a row about a document', () => {
  const passages = [
    'Add sums two local tensors element by element, for as many elements as its count says and for no others.',
  ]
  const answer = 'Give `Add` the number of elements.\n\n```cpp\nAdd(y, x, z, count);\n```'
  const row = (changed: Partial<RowOf<'api'>> = {}): RowOf<'api'> => {
    const text = changed.answer ?? answer
    const made = rowOf({
      kind: 'api',
      request: 'How do I add two tensors?',
      thought: 'The vector unit sums lanes, so a count is all that it needs.',
      operator: 'Add',
      provenance,
      ...changed,
      answer: text,
      proof: changed.proof ?? { quotes: 0, code: snippetsOf(text), names: ['Add'], passages },
    })
    if (made.kind !== 'api') throw new Error('no row of an API')
    return made
  }

  test('is right where its code compiles', { timeout: buildLimitMs }, async () => {
    expect(await verifyDocumentRow(row(), { judging: compiler })).toBeUndefined()
  })

  test.each([
    ['does not compile', { answer: answer.replace('x, z, count', 'x') }],
    ['unknown name', { answer: `${answer}\nOr take \`AddTensors\`.` }],
    ['quotes the document', { thought: passages[0]! }],
    ['not about the API', { operator: 'Mul' }],
    ['not that of its answer', { proof: { quotes: 0, code: [], names: [], passages } }],
  ])('is wrong where it %s', { timeout: buildLimitMs }, async (problem, changed) => {
    expect(await verifyDocumentRow(row(changed), { judging: compiler })).toContain(problem)
  })
})

const kernelRow = (code: string, changed: { request?: string; content?: string } = {}): RowOf<'kernel'> => {
  const file = kernelFileOf(facts, code)
  const made = rowOf({
    kind: 'kernel',
    request: changed.request ?? 'Write a function of the device that doubles a local tensor of any element type.',
    thought: 'Adding a tensor to itself doubles it, in one vector instruction over a count.',
    answer: `\`\`\`cpp\n${code.trimEnd()}\n\`\`\``,
    operator: 'Double',
    proof: {
      files: [...facts.host, { path: file.path, content: changed.content ?? file.content }],
      entry: file.path,
      interface: facts.interface,
      combination: facts.combination,
    },
    provenance,
  })
  if (made.kind !== 'kernel') throw new Error('no row of a kernel')
  return made
}

describe('a row about a kernel', () => {
  test('is right where its code compiles', { timeout: buildLimitMs }, async () => {
    expect(await verifyKernelRow(kernelRow(twice), { judging: compiler })).toBeUndefined()
  })

  test('is wrong where it does not compile', { timeout: buildLimitMs }, async () => {
    const wrong = twice
      .replace('AscendC::Add(y, x, x, count)', 'AscendC::Add(y, x)')
      .replace('<typename T>', '<typename T = float>')
      .replaceAll('LocalTensor<T>', 'LocalTensor<float>')
    expect(await verifyKernelRow(kernelRow(wrong), { judging: compiler })).toContain('does not compile')
  })

  test('is wrong where something else than its answer compiles', { timeout: buildLimitMs }, async () => {
    const { content } = kernelFileOf(facts, twice)
    const wrong = twice.replace('x, x, count', 'x, q')
    expect(await verifyKernelRow(kernelRow(wrong, { content }), { judging: compiler })).toContain(
      'not the code of its answer',
    )
    const hidden = `#if 0\n${wrong}\n#endif\n${content}`
    expect(await verifyKernelRow(kernelRow(wrong, { content: hidden }), { judging: compiler })).toContain(
      'not the code of its answer',
    )
  })

  test('is wrong where its request gives the code away', async () => {
    const request = 'Write this: AscendC::Add(y, x, x, count) in a function'
    expect(await verifyKernelRow(kernelRow(twice, { request }), { judging: compiler })).toContain('holds code')
  })
})
