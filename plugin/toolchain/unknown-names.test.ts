import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { buildLimitMs, interfaceOf, startService } from '../../fixtures/operator.ts'
import { Cache, cacheFolderOf } from '../cache/cache.ts'
import { Semaphore } from '../process/semaphore.ts'
import { BuildError } from './build-failure.ts'
import { findCompiler } from './compiler.ts'
import { readHeader } from './declarations.ts'
import { classOf } from './error-class.ts'
import { Runtime } from './runtime.ts'
import { compileUnit } from './unit.ts'
import { explain, nearest, providedBy } from './unknown-names.ts'

const headers = [
  readHeader(
    'x.h',
    `namespace AscendC {
template <typename T>
class TQue : public TQueBind<T> {
 public:
  void FreeAllEvent();
};
template <typename T>
class TQueBind {
 public:
  void EnQue(int);
};
void Relu();
void Duplicate();
}
namespace ge { class AscendString { public: int Find(); }; }`,
  ),
]
const provided = () => providedBy(headers)
const said = (message: string) => explain(message, provided)

const notYet = 'Gelu is an Ascend C API that the emulator does not provide yet'

test('both compilers are understood, in every wording for an unknown name', () => {
  for (const message of [
    "use of undeclared identifier 'Gelu'",
    "use of undeclared identifier 'Gelu'; did you mean 'Gelus'?",
    "no member named 'Gelu' in namespace 'AscendC'",
    "no template named 'Gelu' in namespace 'AscendC'",
    "no type named 'Gelu' in namespace 'AscendC'",
    "no template named 'Gelu'",
    "unknown type name 'Gelu'",
    "'Gelu' was not declared in this scope",
    "'Gelu' was not declared in this scope; did you mean 'Gelus'?",
    '‘Gelu’ was not declared in this scope',
    "'Gelu' is not a member of 'AscendC'",
    "'Gelu' does not name a type",
    "'Gelu' in namespace 'AscendC' does not name a template type",
    "'Gelu' has not been declared",
  ])
    expect(said(message), message).toBe(notYet)
})

test('tiling data that nobody has registered is told so, and not by a name of the emulator', () => {
  for (const message of [
    "use of undeclared identifier 'NPU_EMU_TILING_STRUCT'",
    "unknown type name 'NPU_EMU_TILING_STRUCT'",
    "'NPU_EMU_TILING_STRUCT_101' was not declared in this scope",
  ]) {
    const explanation = said(message) ?? ''
    expect(explanation).toMatch(/^there is no tiling data to read: register its class in op_host/)
    expect(classOf('kernel', [{ severity: 'error', message: explanation }])).toBe('tiling')
  }
})

test('other messages are left alone', () => {
  for (const message of [
    "no matching function for call to 'Gelu'",
    "use of undeclared identifier 'tileLength'",
    "'my_file.h' file not found",
    'my_file.h: No such file or directory',
    "no member named 'Gelu' in 'KernelAdd'",
    "no member named 'Gelu' in namespace 'std'",
    "'class Other::TQue<int>' has no member named 'Gelu'",
  ])
    expect(said(message), message).toBeNull()
})

test('names of other devices are told apart, with what to write instead', () => {
  expect(said("use of undeclared identifier 'UpdateMask'")).toBe(
    'UpdateMask exists in Ascend C, but not on Atlas A2 (Ascend 910B)',
  )
  expect(said("'Subs' was not declared in this scope")).toBe(
    'Subs exists in Ascend C, but not on Atlas A2 (Ascend 910B): use Adds with the negated scalar',
  )
})

test('names that nobody has are told so, with the nearest one that exists', () => {
  expect(said("no member named 'Duplicat' in namespace 'AscendC'")).toBe(
    'Duplicat does not exist in Ascend C: did you mean Duplicate?',
  )
  expect(said("use of undeclared identifier 'ReLU'")).toBe('ReLU does not exist in Ascend C: did you mean Relu?')
  expect(said("use of undeclared identifier 'Greater'")).toBe(
    'Greater does not exist in Ascend C: use Compare with CMPMODE::GT',
  )
  expect(said("'fabs' was not declared in this scope")).toBe(
    'fabs does not exist in Ascend C: use Abs for tensors, abs for scalars',
  )
  expect(said("'quux' is not a member of 'AscendC'")).toBe('quux does not exist in Ascend C')
})

test('a name that lacks its namespace is told where it is', () => {
  expect(said("use of undeclared identifier 'Relu'; did you mean 'AscendC::Relu'?")).toBe(
    'Relu is in namespace AscendC: write AscendC::Relu or using namespace AscendC',
  )
})

test('methods are looked up in their class and its bases', () => {
  const inClass = "no member named 'Enque' in 'AscendC::TQue<AscendC::TPosition::VECIN, 1>'"
  expect(said(inClass)).toBe('TQue::Enque does not exist in Ascend C: did you mean EnQue?')
  expect(said("'class AscendC::TQue<AscendC::VECIN, 1>' has no member named 'VacantInQue'")).toBe(
    'TQue::VacantInQue is an Ascend C API that the emulator does not provide yet',
  )
  expect(said("'const class ge::AscendString' has no member named 'Finds'")).toBe(
    'AscendString::Finds does not exist in Ascend C: did you mean Find?',
  )
})

test('what only builds for the CPU have is told from what is missing', () => {
  const message = 'exists in Ascend C only where ASCENDC_CPU_DEBUG is defined, not on a device'
  expect(said("no member named 'GetBaseAddr' in 'AscendC::TQue'")).toBe(`TQue::GetBaseAddr ${message}`)
  expect(said("'GmAlloc' is not a member of 'AscendC'")).toBe(`GmAlloc ${message}`)
})

test('builtins of the vendor are told with the API that stands for them', () => {
  const builtin = "is a builtin of the vendor's compiler, which is neither documented nor provided: use"
  for (const [name, api] of [
    ['vgather', 'Gather'],
    ['vconv_f322s32r', 'Cast'],
    ['copy_gm_to_cbuf', 'DataCopy'],
    ['vsel', 'Select'],
  ])
    expect(said(`use of undeclared identifier '${name}'`)).toBe(`${name} ${builtin} ${api}`)
  expect(said("no member named 'vsel' in 'Tile'")).toBeNull()
})

test('sizes of temporary memory are there where their function is', () => {
  expect(said("use of undeclared identifier 'GetTanhMaxMinTmpSize'")).toContain('does not provide yet')
  expect(said("use of undeclared identifier 'GetHypotMaxMinTmpSize'")).toContain('not on Atlas A2')
  expect(said("use of undeclared identifier 'GetGreaterMaxMinTmpSize'")).toContain('does not exist')
})

test('communication between devices is told to be missing', () => {
  for (const message of [
    "no member named 'MC2' in 'ops::AllGather'",
    '‘class ops::AllGather’ has no member named ‘MC2’',
  ])
    expect(said(message)).toBe(`${notYet.replace('Gelu', 'MC2')}: an operator runs on one device here`)
})

test('what only one of the compilers takes is told', () => {
  expect(said('variable-sized object may not be initialized')).toContain('set NPU_CXX=g++')
})

test('headers of the library are told from those that nobody has', () => {
  expect(said("'lib/activation/softmax.h' file not found")).toBe(
    'lib/activation/softmax.h is an Ascend C header that the emulator does not provide yet',
  )
  expect(said('adv_api/math/kernel_operator_tanh_intf.h: No such file or directory')).toContain('not provide yet')
  expect(said("'c_api/asc_simd.h' file not found")).toContain('which the emulator does not provide yet')
  expect(said("'lib/math/tangent.h' file not found")).toBe('lib/math/tangent.h is not a header of Ascend C')
  expect(said("'lib/math/tanhh.h' file not found")).toBe(
    'lib/math/tanhh.h is not a header of Ascend C: did you mean lib/math/tanh.h?',
  )
})

test('the nearest name differs by little, whatever its case', () => {
  expect(nearest('softmax', ['SoftMax', 'SoftmaxFlash'])).toBe('SoftMax')
  expect(nearest('DataCoppy', ['DataCopyPad', 'DataCopy'])).toBe('DataCopy')
  expect(nearest('Quux', ['DataCopy', 'Relu'])).toBeNull()
  expect(nearest('Quux', [])).toBeNull()
  expect(nearest('Relus', ['ReluX'])).toBe('ReluX')
})

const repository = fileURLToPath(new URL('../../', import.meta.url))
const kernel = (line: string, include = '') => `#include "kernel_operator.h"
${include}
using namespace AscendC;
void work(LocalTensor<float>& x, TQue<TPosition::VECIN, 1>& queue) {
  ${line}
  (void)x, (void)queue;
}
`

const programs: [text: string, message: string][] = [
  [kernel('RegTensor<float> y;'), 'RegTensor exists in Ascend C, but not on Atlas A2 (Ascend 910B)'],
  [kernel('AscendC::Subs(x, x, 1.0f, 8);'), 'Subs exists in Ascend C, but not on Atlas A2'],
  [
    kernel('AscendC::LoadImageToLocal(x, 1);'),
    'LoadImageToLocal is an Ascend C API that the emulator does not provide yet',
  ],
  [kernel('Greater(x, x, x, 8);'), 'Greater does not exist in Ascend C: use Compare with CMPMODE::GT'],
  [kernel('AscendC::Duplicat(x, 1.0f, 8);'), 'Duplicat does not exist in Ascend C: did you mean Duplicate?'],
  [kernel('queue.Enque(x);'), 'TQue::Enque does not exist in Ascend C: did you mean EnQue?'],
  [kernel('', '#include "lib/math/tangent.h"'), 'lib/math/tangent.h is not a header of Ascend C'],
  [kernel('', 'inline [aicore] void f() {}'), 'a literal [aicore] is understood in the file of the kernel alone'],
  [
    kernel('', '#define ON_BOTH inline [host, aicore]\nON_BOTH int f();'),
    'a literal [aicore] is understood in the file',
  ],
  [kernel('GetTPipePtr()->GetBaseAddr(9);'), 'TPipe::GetBaseAddr exists in Ascend C only where ASCENDC_CPU_DEBUG'],
  [kernel('vgather(&x, 0, 0, 1);'), "vgather is a builtin of the vendor's compiler"],
  [
    kernel('', '#include "lib/hccl/hccl.h"'),
    'lib/hccl/hccl.h is an Ascend C header that the emulator does not provide yet',
  ],
  [
    kernel('', '#include "lib/matmul_intf.h"\nstruct Own { MATMUL_USE_MODULE(Context); };'),
    'MATMUL_USE_MODULE is an Ascend C API that the emulator does not provide yet',
  ],
]

describe.each(['clang++-16', 'g++'])('what %s says is looked up', (name) => {
  vi.setConfig({ testTimeout: buildLimitMs })
  let folder: string
  let runtime: Runtime | null = null

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'unknown-names-')))
    const compiler = await findCompiler({ ...process.env, NPU_CXX: name }).catch(() => null)
    if (compiler) runtime = new Runtime(compiler, new Cache(cacheFolderOf(repository)), new Semaphore(1))
  }, buildLimitMs)
  afterAll(() => rmSync(folder, { recursive: true }))

  test('in a kernel', async ({ skip }) => {
    skip(runtime === null, `no ${name} here`)
    if (!runtime) return
    const environment = { runtime, limits: { timeoutMs: 120_000, memoryMiB: 4096 }, folder, trees: [] }
    const source = join(folder, 'kernel.cpp')
    for (const [text, message] of programs) {
      writeFileSync(source, text)
      const unit = { stage: 'kernel', kind: 'aiv', source, name: 'kernel', flags: [] } as const
      const error: unknown = await compileUnit(environment, unit).catch((reason: unknown) => reason)
      expect(error, text).toBeInstanceOf(BuildError)
      if (error instanceof BuildError) expect(error.failure.diagnostics[0]?.message).toContain(message)
    }
  })

  test.each(['std::sqrt', 'sqrt', 'sqrtf', 'std::ceil'])('%s in a host part needs <cmath>', async (called) => {
    if (!runtime) return
    const environment = { runtime, limits: { timeoutMs: 120_000, memoryMiB: 4096 }, folder, trees: [] }
    const source = join(folder, 'host.cpp')
    const unit = { stage: 'host', kind: 'host', source, name: 'host', flags: [] } as const
    const compile = async (includes: string): Promise<unknown> => {
      writeFileSync(source, `${includes}float root(float x) { return ${called}(x); }\n`)
      return compileUnit(environment, unit).catch((reason: unknown) => reason)
    }
    const ofTheToolkit = '#include "register/op_def_registry.h"\n#include "tiling/tiling_api.h"\n'
    const error = await compile(ofTheToolkit)
    if (!(error instanceof BuildError)) throw new Error('compiled')
    expect(error.failure.diagnostics[0]).toMatchObject({ line: 3 })
    expect(error.failure.diagnostics[0]?.message).toMatch(/^\w+ is a function of <cmath>.*: #include <cmath> \(/)
    expect(await compile(`${ofTheToolkit}#include <cmath>\n`)).not.toBeInstanceOf(Error)
  })
})

test('the verdict of a candidate says what the emulator lacks', { timeout: buildLimitMs }, async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'unknown-names-')))
  const service = await startService()
  try {
    const kernelDir = join(root, 'op_kernel')
    mkdirSync(kernelDir)
    writeFileSync(
      join(kernelDir, 'instructions.cpp'),
      `#include "kernel_operator.h"
extern "C" __global__ __aicore__ void instructions(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  AscendC::LoadImageToLocal(x, y);
}
// ${root}: no failure is remembered of a folder that is new
`,
    )
    const task = interfaceOf('Instructions', 'instructions', ['blocks'], ['int32'])
    const hostDir = join(repository, 'fixtures/instructions/op_host')
    const sample = { task: 'Instructions', name: 'lacks', root, kernelDir, hostDir, cmakeLists: [] }
    const built = await service.build({ sample, task, combinations: [{ inputs: ['int32'], outputs: ['int32'] }] })
    const message = 'LoadImageToLocal is an Ascend C API that the emulator does not provide yet'
    expect(JSON.stringify(built)).toContain(message)
    expect(built.ok).toBe(false)
  } finally {
    await service.close()
    rmSync(root, { recursive: true })
  }
})
