import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { cacheFolderOf } from '../cache/cache.ts'
import { withCaseFile } from '../case-file/index.ts'
import {
  InfrastructureError,
  type BuildResult,
  type DType,
  type KernelCase,
  type LaunchResult,
  type Sample,
  type TaskInterface,
  type Tensor,
} from '../model/index.ts'
import { KernelService } from '../service/service.ts'
import { emulator } from './emulator.ts'

// compilers and processes take their time on a loaded machine
vi.setConfig({ testTimeout: 120_000 })

const repository = fileURLToPath(new URL('../../', import.meta.url))
const cacheDir = cacheFolderOf(repository)
const baseline = join(repository, 'references', 'baseline', 'AddCustom')
/** The first run on a machine compiles the emulator. */
const firstBuildMs = 600_000

const argument = (name: string, dtypes: DType[] = ['float16']) =>
  ({ name, kind: 'tensor', required: true, dtypes }) as const

const listArgument = (name: string) => ({ ...argument(name), kind: 'tensorList' as const })

const task: TaskInterface = {
  name: 'AddCustom',
  kernel: 'add_custom',
  suite: 'own',
  group: null,
  category: 'Math',
  inputs: [argument('x'), argument('y')],
  outputs: [argument('z')],
  attrs: [],
}

let folder: string
let service: KernelService
let count = 0

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'service-test-')))
  const target = emulator.create({
    cacheDir,
    soc: 'Ascend910B2',
    jobs: 2,
    launchTimeoutMs: 1000,
    compileTimeoutMs: 30_000,
    defaultHost: ({ name }) => join(repository, 'references', 'baseline', name),
  })
  service = new KernelService({
    target,
    cacheDir,
    jobs: 2,
    digestOf: (spec, project) => (spec === 'reads files' ? null : `${spec} ${project}`),
  })
  await service.start()
  await service.build({ sample: candidate(), task, combinations: [] })
}, firstBuildMs)

afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

type Edit = readonly [file: string, from: string, to: string]

/** A copy of the baseline operator with some text replaced, in a folder of its own. */
function candidate(...edits: Edit[]): Sample {
  const root = join(folder, `sample${count++}`)
  cpSync(baseline, root, { recursive: true })
  for (const [file, from, to] of edits) {
    const path = join(root, file)
    const text = readFileSync(path, 'utf8')
    expect(text).toContain(from)
    writeFileSync(path, text.replace(from, to))
  }
  const dir = (name: string): string => join(root, name)
  return { task: 'AddCustom', name: 's', root, kernelDir: dir('op_kernel'), hostDir: dir('op_host'), cmakeLists: [] }
}

const kernelFile = 'op_kernel/add_custom.cpp'
const hostFile = 'op_host/add_custom.cpp'
const combinations = [{ inputs: ['float16', 'float16'] as DType[], outputs: ['float16'] as DType[] }]

/** Replaces the start of the kernel's body. */
const inKernel = (code: string): Edit => [
  kernelFile,
  'GET_TILING_DATA(tilingData, tiling);',
  `GET_TILING_DATA(tilingData, tiling); ${code}`,
]

/** A kernel without a type that calls what nobody defines where it runs on cores of this kind. */
const missingWhere = (kind: string): Edit[] => [
  [kernelFile, 'class KernelAdd {', '__aicore__ void Missing();\n\nclass KernelAdd {'],
  [
    kernelFile,
    'KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);',
    `if ASCEND_IS_${kind} {\n    Missing();\n    return;\n  }`,
  ],
]

const build = (...edits: Edit[]): Promise<BuildResult> =>
  service.build({ sample: candidate(...edits), task, combinations })

function failureOf(result: BuildResult) {
  if (result.ok || result.verdict.kind !== 'compile-failed')
    throw new Error(`no compile failure: ${JSON.stringify(result)}`)
  return result.verdict
}

const spec = (shape: number[]) => ({ dtype: 'float16' as const, shape })

/** Builds, runs 1 + 1 on `shape`, returns the result and the output's bit patterns. */
async function run(shape: number[], ...edits: Edit[]): Promise<{ result: LaunchResult; z: Uint16Array }> {
  const built = await build(...edits)
  if (!built.ok) throw new Error(JSON.stringify(built.verdict))
  const kernelCase: KernelCase = {
    task: 'AddCustom',
    name: 'test',
    combination: 0,
    inputs: { x: spec(shape), y: spec(shape) },
    outputs: { z: spec(shape) },
    attrs: {},
    seed: 1,
  }
  const ones: Tensor = { ...spec(shape), data: new Uint16Array(shape.reduce((a, b) => a * b)).fill(0x3c00) }
  return await withCaseFile(task, kernelCase, { x: ones, y: ones }, async ({ path, fileBytes, slots, readOutputs }) => {
    const place = { artifact: built.artifact, case: kernelCase, file: path, fileBytes, slots }
    const result = await service.launch({ ...place, poison: 'a5a5a5a5a5a5a5a5' })
    const { z } = readOutputs()
    if (!z || !('dtype' in z) || !(z.data instanceof Uint16Array)) throw new Error('no output z')
    return { result, z: z.data }
  })
}

const hosts = (): number => readdirSync(join(cacheDir, 'host')).length

describe('building', () => {
  test('a machine without a compiler answers every build with the one line that says so', async () => {
    vi.stubEnv('NPU_CXX', '/nowhere/clang++')
    const target = emulator.create({ cacheDir: join(folder, 'cache'), soc: 'Ascend910B2', jobs: 1 })
    try {
      const args = { sample: candidate(), task, combinations }
      await expect(target.build(args, () => true)).rejects.toThrow('NPU_CXX=/nowhere/clang++: there is no such program')
      await expect(target.build(args, () => true)).rejects.toThrow(InfrastructureError)
    } finally {
      vi.unstubAllEnvs()
      target.release()
    }
  })

  test('compilers do not share the limit of candidates', async () => {
    const target = emulator.create({ cacheDir, soc: 'Ascend910B2', jobs: 1, memoryLimitMiB: 64 })
    try {
      const sample = candidate(inKernel(`/* ${Date.now()} */`), [
        hostFile,
        'namespace {',
        `/* ${Date.now()} */ namespace {`,
      ])
      expect(await target.build({ sample, task, combinations }, () => true)).toMatchObject({ ok: true, cached: false })
    } finally {
      await target.close()
    }
  })

  test('a copy of a candidate elsewhere is known, and has the same artifact', async () => {
    const [one, two] = [await build(), await build()]
    expect(one).toMatchObject({ ok: true })
    expect(two).toMatchObject({ ok: true, cached: true, ms: 0 })
    expect(one.ok && two.ok && one.artifact === two.artifact).toBe(true)
  })

  test('an error names the file of this candidate, also when it is remembered', async () => {
    const edit: Edit = [kernelFile, 'Add(z, x, y,', `/* ${Date.now()} */ Add(z, x, "y",`]
    const samples = [candidate(edit), candidate(edit)]
    for (const sample of samples) {
      const result = await service.build({ sample, task, combinations })
      const line =
        readFileSync(join(sample.root, kernelFile), 'utf8')
          .split('\n')
          .findIndex((text) => text.includes('"y"')) + 1
      const { stage, diagnostics } = failureOf(result)
      expect(stage).toBe('kernel')
      expect(diagnostics[0]).toMatchObject({ severity: 'error', file: join(sample.root, kernelFile), line })
      expect(result.cached).toBe(sample === samples[1])
    }
  })

  test('an edit of the kernel leaves the host part as it was built', async () => {
    await build()
    const before = hosts()
    const edited = await build(inKernel(`/* ${Date.now()} */`))
    expect(edited).toMatchObject({ ok: true, cached: false })
    expect(hosts()).toBe(before)
  })

  test('what was built holds where the cache is restored in another place', async () => {
    await build()
    const restored = join(folder, 'restored')
    mkdirSync(restored)
    for (const kind of readdirSync(cacheDir))
      if (kind !== 'headers' && kind !== 'pch') symlinkSync(join(cacheDir, kind), join(restored, kind))
    const target = emulator.create({ cacheDir: restored, soc: 'Ascend910B2', jobs: 2 })
    const elsewhere = new KernelService({ target, cacheDir: restored, jobs: 2 })
    await elsewhere.start()
    try {
      expect(await elsewhere.build({ sample: candidate(), task, combinations })).toMatchObject({
        ok: true,
        cached: true,
      })
      expect(existsSync(join(restored, 'pch'))).toBe(false)
      const edited = candidate(inKernel(`/* ${Date.now()} */`))
      expect(await elsewhere.build({ sample: edited, task, combinations })).toMatchObject({ ok: true, cached: false })
    } finally {
      await elsewhere.close()
    }
  })

  test('a kernel that is nowhere defined is named', async () => {
    const { stage, diagnostics } = failureOf(await build([kernelFile, 'void add_custom(', 'void sub_custom(']))
    expect(stage).toBe('kernel')
    expect(diagnostics[0]?.message).toBe('no file in op_kernel defines the kernel `add_custom`')
  })

  test.each([
    ['GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling', 'GM_ADDR z, GM_ADDR tiling', 4],
    ['add_custom(GM_ADDR x,', 'add_custom(GM_ADDR x, GM_ADDR more, GM_ADDR evenMore,', 7],
  ])('a kernel that does not take the addresses of its operator is told how many there are: %#', async (...edit) => {
    const [from, to, takes] = edit
    const { stage, class: errorClass, diagnostics } = failureOf(await build([kernelFile, from, to]))
    expect([stage, errorClass]).toEqual(['kernel', 'api-signature'])
    expect(diagnostics[0]?.message).toMatch(
      `no matching function for call to 'add_custom': it takes ${takes} addresses, and AddCustom has 5: ` +
        '2 of inputs, 1 of outputs, the workspace and the tiling data',
    )
    const lines = readFileSync(join(baseline, kernelFile), 'utf8').split('\n')
    expect(lines[diagnostics[0]!.line! - 1]).toContain('void add_custom(')
  })

  test('one more address than the operator has is for the shapes of outputs', async () => {
    const built = await build([kernelFile, 'GM_ADDR z, GM_ADDR', 'GM_ADDR z, GM_ADDR shapes, GM_ADDR'])
    expect(built.ok).toBe(true)
  })

  test('headers of op_host are those of the host part alone', async () => {
    const {
      stage,
      class: errorClass,
      diagnostics,
    } = failureOf(
      await build([
        kernelFile,
        '#include "kernel_operator.h"',
        '#include "kernel_operator.h"\n#include "add_custom_tiling.h"',
      ]),
    )
    expect([stage, errorClass]).toEqual(['kernel', 'include'])
    expect(diagnostics[0]).toMatchObject({
      line: expect.any(Number),
      message: expect.stringContaining('add_custom_tiling.h'),
    })
    const shared = candidate(
      [kernelFile, '#include "kernel_operator.h"', '#include "kernel_operator.h"\n#include "add_custom_shape.h"'],
      [hostFile, '#include <algorithm>', '#include <algorithm>\n#include "../op_kernel/add_custom_shape.h"'],
    )
    writeFileSync(join(shared.kernelDir, 'add_custom_shape.h'), '#pragma once\nconstexpr int LEAST = 8;\n')
    expect(await service.build({ sample: shared, task, combinations })).toMatchObject({ ok: true })
  })

  test('files outside the candidate cannot be included', async () => {
    writeFileSync(join(folder, 'secret.h'), 'constexpr int SECRET = 1;\n')
    const { diagnostics } = failureOf(
      await build([kernelFile, '#include "kernel_operator.h"', '#include "../../secret.h"']),
    )
    expect(diagnostics[0]?.message).toMatch(/secret\.h/)
    const passwd = failureOf(await build([hostFile, '#include <algorithm>', '#include "/etc/passwd"']))
    expect(passwd.stage).toBe('host')
    expect(passwd.log).not.toContain('root:')
  })

  test('what no library defines is a link failure', async () => {
    const { stage, diagnostics } = failureOf(
      await build(
        [hostFile, 'namespace {', 'int MissingFunction();\nnamespace {'],
        [hostFile, '  uint64_t ubBytes = 0;', '  uint64_t ubBytes = MissingFunction();'],
      ),
    )
    expect(stage).toBe('link')
    expect(diagnostics[0]?.message).toContain('undefined reference to `MissingFunction()')
  })

  test('a column of a type that no tensor of a task has leaves the others as they are', async () => {
    const formats: Edit = [hostFile, '.Format({ge::FORMAT_ND})', '.Format({ge::FORMAT_ND, ge::FORMAT_ND})']
    const columns = (types: string): Edit[] =>
      Array.from({ length: 3 }, (): Edit[] => [
        [hostFile, '.DataType({ge::DT_FLOAT16})', `.DataType({${types}})`],
        formats,
      ]).flat()
    const sizes: Edit = [
      hostFile,
      'uint64_t ubBytes = 0;',
      'if (ge::GetSizeByDataType(ge::DT_INT4) != ge::kDataTypeSizeBitOffset + 4) return ge::GRAPH_FAILED;\n  uint64_t ubBytes = 0;',
    ]
    const { result, z } = await run([64], ...columns('ge::DT_INT4, ge::DT_FLOAT16'), sizes)
    expect(result).toMatchObject({ ok: true })
    expect(new Set(z)).toEqual(new Set([0x4000]))
    const { diagnostics } = failureOf(await build(...columns('ge::DT_INT5, ge::DT_FLOAT16')))
    expect(diagnostics[0]?.message).toMatch(/DT_INT5/)
  })

  test('the half of a kernel without a type that has no part in it need not link', async () => {
    const { result, z } = await run([64], ...missingWhere('AIC'))
    expect(result).toMatchObject({ ok: true })
    expect(new Set(z)).toEqual(new Set([0x4000]))
  })

  test('the half that has a part in it must link', async () => {
    const { stage, diagnostics } = failureOf(await build(...missingWhere('AIV')))
    expect(stage).toBe('link')
    expect(diagnostics[0]?.message).toContain('undefined reference to `Missing()')
  })

  test('a host part that does not fit the task says how', async () => {
    const sample = candidate()
    const third: TaskInterface = { ...task, inputs: [...task.inputs, argument('w')] }
    const wider = failureOf(await service.build({ sample, task: third, combinations }))
    expect(wider.diagnostics[0]?.message).toBe('operator AddCustom declares 2 inputs, but the task has 3')
    const listed: TaskInterface = { ...task, inputs: [task.inputs[0]!, listArgument('y')] }
    const single = failureOf(await service.build({ sample, task: listed, combinations }))
    expect(single.diagnostics[0]?.message).toBe(
      'operator AddCustom declares y REQUIRED, but y of the task is a list: its ParamType is DYNAMIC',
    )
    const other = failureOf(await service.build({ sample, task: { ...task, name: 'SubCustom' }, combinations }))
    expect(other.diagnostics[0]?.message).toBe(
      'op_host does not register the operator SubCustom; it registers AddCustom',
    )
  })

  test('a kernel alone is completed with the default host part of its operator', async () => {
    const sample = { ...candidate(), hostDir: null }
    rmSync(join(sample.root, 'op_host'), { recursive: true })
    expect(await service.build({ sample, task, combinations })).toMatchObject({ ok: true })
    const unknown = failureOf(await service.build({ sample, task: { ...task, name: 'Unknown' }, combinations }))
    expect(unknown.diagnostics[0]?.message).toContain('Unknown has no op_host, and there is no default one at')
  })

  test('a default host part finds the headers that it shares with others', async () => {
    const root = join(folder, `alone${count++}`)
    const kernelDir = join(root, 'op_kernel')
    mkdirSync(kernelDir, { recursive: true })
    writeFileSync(
      join(kernelDir, 'foreach_abs.cpp'),
      `#include "kernel_operator.h"
extern "C" __global__ __aicore__ void foreach_abs(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  static_assert(std::is_same_v<decltype(data), ForeachTilingData>);
}
`,
    )
    const foreach = { ...task, name: 'ForeachAbs', kernel: 'foreach_abs' }
    const sample = { task: 'ForeachAbs', name: 'alone', root, kernelDir, hostDir: null, cmakeLists: [] }
    const built = await service.build({
      sample,
      task: { ...foreach, inputs: [listArgument('x')], outputs: [listArgument('y')] },
      combinations: [{ inputs: ['float16'], outputs: ['float16'] }],
    })
    expect(built).toMatchObject({ ok: true })
  })

  test('sources in folders below op_host are left out with a note', async () => {
    const sample = candidate()
    mkdirSync(join(sample.root, 'op_host', 'op_api'))
    const api = join(sample.root, 'op_host', 'op_api', 'aclnn_add_custom.cpp')
    writeFileSync(api, '#include "opdev/op_executor.h"\n')
    const result = await service.build({ sample, task, combinations })
    expect(result.ok && result.warnings).toContainEqual({
      severity: 'note',
      message: 'in a folder below op_host: left out',
      file: api,
    })
  })
})

describe('launching', () => {
  test('a right kernel gives right values and an emulated latency', async () => {
    const { result, z } = await run([48, 1000])
    expect(result).toMatchObject({ ok: true, source: 'emulated' })
    expect(result.ok && result.latencyNs).toBeGreaterThan(0)
    expect(z.every((bits) => bits === 0x4000)).toBe(true)
  })

  test('a kernel cannot end the run, hang it or pass by leaving early', async () => {
    const verdictOf = async (code: string) => {
      const { result } = await run([64], inKernel(code))
      return result.ok ? null : result.verdict
    }
    expect(await verdictOf('*reinterpret_cast<volatile int*>(8) = 1;')).toMatchObject({
      kind: 'device-error',
      report: { code: 'ErrorGmWrite' },
    })
    expect(await verdictOf('for (volatile int step = 0;; step = step + 1) {}')).toMatchObject({
      kind: 'device-error',
      report: { code: 'InstructionLimit', file: expect.stringContaining('add_custom.cpp') },
    })
    const { result } = await run([64])
    expect(result.ok).toBe(true)
  })

  test.each(['std::exit(0);', 'timespec left{1000, 0}; nanosleep(&left, nullptr);'])(
    'a kernel that calls the host does not compile: %s',
    async (code) => {
      const include = '#include "kernel_operator.h"'
      const failure = failureOf(
        await build(inKernel(code), [kernelFile, include, `#include <cstdlib>\n#include <ctime>\n${include}`]),
      )
      expect(failure).toMatchObject({ stage: 'kernel', class: 'language' })
      expect(failure.diagnostics[0]?.message).toMatch(/^no matching function for call to '(?:exit|nanosleep)'/)
    },
  )

  test('a trap of the device names the line of the candidate', async () => {
    const { result } = await run([64], inKernel('\nascendc_assert(GetBlockNum() == 0);\n'))
    const verdict = result.ok ? null : result.verdict
    expect(verdict).toMatchObject({ kind: 'device-error' })
    if (verdict?.kind !== 'device-error') return
    expect(verdict.report.file, JSON.stringify(verdict)).toBeDefined()
    const text = readFileSync(verdict.report.file ?? '', 'utf8').split('\n')
    expect(text[(verdict.report.line ?? 0) - 1]).toContain('ascendc_assert(GetBlockNum() == 0)')
  })

  test('a tiling function that fails is told apart from a kernel that fails', async () => {
    const { result } = await run(
      [64],
      [hostFile, 'uint64_t ubBytes = 0;', 'return ge::GRAPH_FAILED; uint64_t ubBytes = 0;'],
    )
    expect(result).toMatchObject({ ok: false, verdict: { kind: 'tiling-failed' } })
  })
})

test('dtypes that the operator does not declare cannot be launched', async () => {
  const wide: TaskInterface = {
    ...task,
    inputs: [argument('x', ['float32']), argument('y', ['float32'])],
    outputs: [argument('z', ['float32'])],
  }
  const float32 = { inputs: ['float32', 'float32'] as DType[], outputs: ['float32'] as DType[] }
  const built = await service.build({ sample: candidate(), task: wide, combinations: [float32] })
  if (!built.ok) throw new Error(JSON.stringify(built))
  const kernelCase: KernelCase = {
    task: 'AddCustom',
    name: 'c',
    combination: 0,
    inputs: {},
    outputs: {},
    attrs: {},
    seed: 1,
  }
  const result = await service.launch({
    artifact: built.artifact,
    case: kernelCase,
    file: '',
    fileBytes: 0,
    slots: [],
    poison: '',
  })
  const message = 'operator AddCustom does not declare the dtypes (float32, float32) -> (float32)'
  expect(result).toMatchObject({ ok: false, verdict: { kind: 'tiling-failed', message } })
  expect(existsSync(service.path)).toBe(true)
})

/** Where right verdicts on an artifact are kept. */
const rememberedAt = (artifact: string, spec = 'a.spec.ts', project = 'level1'): string | null =>
  service.verdictFile({ artifact, spec, project })

async function artifactOf(sample: Sample): Promise<string> {
  const built = await service.build({ sample, task, combinations })
  if (!built.ok) throw new Error(JSON.stringify(built.verdict))
  return built.artifact
}

describe('what is remembered of an artifact', () => {
  test('has a file for each artifact, spec and project, and each place that reports may name', async () => {
    const sample = candidate()
    const artifact = await artifactOf(sample)
    const paths = [rememberedAt(artifact), rememberedAt(artifact, 'b'), rememberedAt(artifact, 'a.spec.ts', 'level2')]
    expect(paths[0]).toBe(rememberedAt(artifact))
    // the same content in another folder
    expect(await artifactOf(candidate())).toBe(artifact)
    paths.push(rememberedAt(artifact))
    // other content in the same folder
    appendFileSync(join(sample.root, kernelFile), '// a remark\n')
    paths.push(rememberedAt(await artifactOf(sample)))
    expect(new Set(paths).size).toBe(5)
    for (const path of paths) expect(path?.startsWith(join(cacheDir, 'verdicts/'))).toBe(true)
  })

  test('is nothing where the task has no digest, or the artifact was not built', async () => {
    expect(rememberedAt(await artifactOf(candidate()), 'reads files')).toBeNull()
    expect(rememberedAt('unknown')).toBeNull()
  })
})
