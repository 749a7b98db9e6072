import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { buildLimitMs, interfaceOf, startService } from '../../fixtures/operator.ts'
import type { BuildResult } from '../model/index.ts'
import type { KernelService } from '../service/service.ts'

// the first of them builds the emulator where it was never built
vi.setConfig({ testTimeout: buildLimitMs })

let service: KernelService
let folder: string
let copies = 0

beforeAll(async () => {
  service = await startService()
}, buildLimitMs)
afterAll(async () => await service?.close())

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), `hashed-inputs-${copies++}-`)))
  write('op_host/mine.cpp', host)
  return () => rmSync(folder, { recursive: true, force: true })
})

function write(name: string, text: string): void {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const host = `#include "register/op_def_registry.h"
static ge::graphStatus tiling(gert::TilingContext* context) {
  context->SetBlockDim(1);
  context->GetRawTilingData()->SetDataSize(0);
  return ge::GRAPH_SUCCESS;
}
namespace ops {
class Mine : public OpDef {
 public:
  explicit Mine(const char* name) : OpDef(name) {
    Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    AICore().SetTiling(tiling).AddConfig("ascend910b");
  }
};
OP_ADD(Mine);
}
`

/** A kernel that does not compile where `value` is not 1. */
const kernel = (include: string): string => `#include "kernel_operator.h"
${include}
extern "C" __global__ __aicore__ void mine(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  static_assert(value == 1);
}
`

async function build(): Promise<BuildResult> {
  const [kernelDir, hostDir] = [join(folder, 'op_kernel'), join(folder, 'op_host')]
  const cmakeLists = [join(kernelDir, 'CMakeLists.txt')].filter((path) => existsSync(path))
  const sample = { task: 'Mine', name: 'mine', root: folder, kernelDir, hostDir, cmakeLists }
  const combinations = [{ inputs: ['float32' as const], outputs: ['float32' as const] }]
  return await service.build({ sample, task: interfaceOf('Mine', 'mine', [], ['float32']), combinations })
}

const errorsOf = (built: BuildResult): string =>
  built.ok || built.verdict.kind !== 'compile-failed'
    ? ''
    : built.verdict.diagnostics.map(({ message }) => message).join('\n')

test.each(['values.txt', '.values/values.h', 'node_modules/values.h'])(
  'a kernel includes no %s, whose content no name of a result tells',
  async (name) => {
    write('op_kernel/mine.cpp', kernel(`#include "${name}"`))
    write(`op_kernel/${name}`, 'constexpr int value = 1;\n')
    expect(errorsOf(await build())).toMatch(/^includes .*values\.\w+, which is no source file: name it \.h or \.inc/)
  },
)

test('an edit of a header is noticed, also where a link leads to it', async () => {
  write('op_kernel/mine.cpp', kernel('#include "linked.h"'))
  write('beside/value.inc', 'constexpr int value = 1;\n')
  symlinkSync('../beside/value.inc', join(folder, 'op_kernel/linked.h'))
  expect(errorsOf(await build())).toBe('')
  write('beside/value.inc', 'constexpr int value = 2;\n')
  expect(errorsOf(await build())).toMatch(/static assertion/)
})

test.each(['link', 'second name'])('a %s that becomes a copy is noticed where a file is read once', async (kind) => {
  const text = '#pragma once\n#ifdef SEEN\n#define VALUE 2\n#else\n#define SEEN\n#endif\n'
  const uses = '#include "a.h"\n#include "b.h"\n#ifndef VALUE\n#define VALUE 1\n#endif\nconstexpr int value = VALUE;'
  write('op_kernel/mine.cpp', kernel(uses))
  write('op_kernel/a.h', text)
  const b = join(folder, 'op_kernel/b.h')
  if (kind === 'link') symlinkSync('a.h', b)
  else linkSync(join(folder, 'op_kernel/a.h'), b)
  expect(errorsOf(await build())).toBe('')
  rmSync(b)
  writeFileSync(b, text)
  // g++ takes files of one time for one
  utimesSync(b, 1, 1)
  expect(errorsOf(await build())).toMatch(/static assertion/)
})

test('a folder that a link leads to is noticed where it is another', async () => {
  write('op_kernel/mine.cpp', kernel('#include "../inc/value.h"'))
  write('one/value.h', 'constexpr int value = 1;\n')
  write('two/value.h', 'constexpr int value = 2;\n')
  symlinkSync('one', join(folder, 'inc'))
  expect(errorsOf(await build())).toBe('')
  rmSync(join(folder, 'inc'))
  symlinkSync('two', join(folder, 'inc'))
  expect(errorsOf(await build())).toMatch(/static assertion/)
})

test('a link to what is no source is none itself', async () => {
  write('op_kernel/mine.cpp', kernel('#include "linked.h"'))
  write('beside/value.txt', 'constexpr int value = 1;\n')
  symlinkSync('../beside/value.txt', join(folder, 'op_kernel/linked.h'))
  expect(errorsOf(await build())).toMatch(/^includes beside\/value\.txt, which is no source by its name/)
})

test('a header that appears is noticed by a kernel that asks whether it is there', async () => {
  const text = '#if __has_include("value.h")\n#include "value.h"\n#else\nconstexpr int value = 1;\n#endif'
  write('op_kernel/mine.cpp', kernel(text))
  expect(errorsOf(await build())).toBe('')
  write('op_kernel/value.h', 'constexpr int value = 2;\n')
  expect(errorsOf(await build())).toMatch(/static assertion/)
})

test.each([
  ['../beside/flag.txt', '__has_include("../beside/flag.txt")'],
  ['../beside/flag.txt', '__has_inc\\\nlude("../beside/flag.txt")'],
  ['../a&b/flag.h', '__has_include("../a&b/flag.h")'],
  ['.flag', '__has_include(".flag")'],
])('%s is no source: that it appears is noticed by a kernel that asks by %s', async (name, asked) => {
  const text = `#if ${asked}\nconstexpr int value = 2;\n#else\nconstexpr int value = 1;\n#endif`
  write('op_kernel/mine.cpp', kernel(text))
  mkdirSync(join(folder, 'op_kernel', dirname(name)), { recursive: true })
  expect(errorsOf(await build())).toBe('')
  write(join('op_kernel', name), '')
  expect(errorsOf(await build())).not.toBe('')
})

test('a kernel sees macros with the folder that they name', async () => {
  const isMark = "#define TEXT_(x) #x\n#define TEXT(x) TEXT_(x)\nconstexpr int value = TEXT(WHERE)[1] == 'n' ? 2 : 1;\n"
  write('op_kernel/mine.cpp', kernel(isMark))
  const define = (where: string): void =>
    write('op_kernel/CMakeLists.txt', `add_ops_compile_options(ALL OPTIONS -DWHERE=${where})\n`)
  define('${CMAKE_SOURCE_DIR}')
  expect(errorsOf(await build())).toBe('')
  define('/npu/candidate')
  expect(errorsOf(await build())).toMatch(/static assertion/)
})

test('a folder that becomes a file of its name is noticed by a kernel that asks for it', async () => {
  const text = '#if __has_include("flag")\nconstexpr int value = 2;\n#else\nconstexpr int value = 1;\n#endif'
  write('op_kernel/mine.cpp', kernel(text))
  mkdirSync(join(folder, 'op_kernel/flag'))
  expect(errorsOf(await build())).toBe('')
  rmSync(join(folder, 'op_kernel/flag'), { recursive: true })
  write('op_kernel/flag', '')
  expect(errorsOf(await build())).not.toBe('')
})

test('neither the time of a file nor its folder changes what is built', async () => {
  const text = 'constexpr int value = __LINE__ > 0;'
  write('op_kernel/mine.cpp', kernel(text))
  const first = await build()
  utimesSync(join(folder, 'op_kernel/mine.cpp'), 1, 1)
  const again = await build()
  expect(again).toMatchObject({ ok: true, cached: true })
  expect(again.ok && first.ok && again.artifact === first.artifact).toBe(true)
})
