import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { buildLimitMs, interfaceOf, startService } from '../../fixtures/operator.ts'
import type { BuildResult } from '../model/index.ts'
import type { KernelService } from '../service/service.ts'
import { registers, sourceNameOf } from './host-units.ts'

// the first of them builds the emulator where it was never built
vi.setConfig({ testTimeout: buildLimitMs })

let service: KernelService
let folder: string

beforeAll(async () => {
  service = await startService()
}, buildLimitMs)
afterAll(async () => await service?.close())

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'host-units-')))
  write('op_host/mine.cpp', definition)
  write(
    'op_kernel/mine.cpp',
    `#include "kernel_operator.h"
extern "C" __global__ __aicore__ void mine(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {}
`,
  )
  return () => rmSync(folder, { recursive: true, force: true })
})

function write(name: string, text: string): void {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** An operator without a tiling function. */
const definition = `#include "register/op_def_registry.h"
namespace ops {
class Mine : public OpDef {
 public:
  explicit Mine(const char* name) : OpDef(name) {
    Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    AICore().AddConfig("ascend910b");
  }
};
OP_ADD(Mine);
}
`

const tiling = `#include "register/op_impl_registry.h"
static ge::graphStatus tiling(gert::TilingContext* context) {
  context->SetBlockDim(1);
  context->GetRawTilingData()->SetDataSize(0);
  return ge::GRAPH_SUCCESS;
}
`
const registered = `${tiling}IMPL_OP_OPTILING(Mine).Tiling(tiling);\n`

async function build(): Promise<BuildResult> {
  const [kernelDir, hostDir] = [join(folder, 'op_kernel'), join(folder, 'op_host')]
  const lists = [join(hostDir, 'CMakeLists.txt')].filter((list) => existsSync(list))
  const sample = { task: 'Mine', name: 'mine', root: folder, kernelDir, hostDir, cmakeLists: lists }
  const combinations = [{ inputs: ['float32' as const], outputs: ['float32' as const] }]
  return await service.build({ sample, task: interfaceOf('Mine', 'mine', [], ['float32']), combinations })
}

const errorsOf = (built: BuildResult): string =>
  built.ok || built.verdict.kind !== 'compile-failed'
    ? ''
    : built.verdict.diagnostics.map(({ message }) => message).join('\n')

describe('a source that registers a tiling function is a part of the library', () => {
  test.each(['aclnn_mine.cpp', 'fallback_mine.cpp', 'mine_l0.cpp', 'tiling.cc'])('also as %s', async (name) => {
    expect(errorsOf(await build())).toMatch(/registers no tiling function/)
    write(`op_host/${name}`, registered)
    expect(errorsOf(await build())).toBe('')
  })

  test.each([
    ['a line comment', '// \\\n#include "acl/acl.h"\n'],
    ['a comment', '/*\n#include "acl/acl.h"\n*/\n'],
    ['a raw literal', 'const char* text = R"(\n#include "acl/acl.h"\n)";\n'],
    ['a condition that does not hold', '#if 0\n#include "acl/acl.h"\n#endif\n'],
    ['an include', '#include "acl/acl.h"\n'],
  ])('with a header of the runtime in %s', async (_, text) => {
    const pasted = '#define PASTED_(a, b) a##b\n#define PASTED(a, b) PASTED_(a, b)\n'
    write('op_host/more.cpp', `${text}${pasted}${tiling}PASTED(IMPL_OP_OP, TILING)(Mine).Tiling(tiling);\n`)
    expect(errorsOf(await build())).toBe('')
  })

  test.each([
    ['a comment', '/*\n#include "more.cpp"\n*/\n'],
    ['a raw literal', 'const char* text = R"(\n#include "more.cpp"\n)";\n'],
    ['a condition that does not hold', '#if 0\n#include "more.cpp"\n#endif\n'],
    ['another part', '#define IS_PART\n#include "more.cpp"\n'],
  ])('with its name in %s', async (_, text) => {
    write('op_host/mine.cpp', `${text}${definition}`)
    write('op_host/more.cpp', `#ifndef IS_PART\n${registered}#endif\n`)
    expect(errorsOf(await build())).toBe('')
  })

  test('and has to compile, whatever it calls', async () => {
    write('op_host/fallback_mine.cpp', `#include "fallback/fallback.h"\n${registered}`)
    expect(errorsOf(await build())).toMatch(/fallback\/fallback\.h/)
  })

  test('and has to compile where only the preprocessor sees that', async () => {
    write('op_host/part.h', '#define PASTED_(a, b) a##b\n#define PASTED(a, b) PASTED_(a, b)\n')
    const text = `#include "acl/none.h"\n#include "part.h"\n${tiling}PASTED(IMPL_OP_OP, TILING)(Mine).Tiling(tiling);\n`
    write('op_host/more.cpp', text)
    expect(errorsOf(await build())).toMatch(/acl\/none\.h/)
  })
})

const calling = '#include "register/op_impl_registry.h"\nint half(int n);\nstatic int two = half(4);\n'
const half = (body: string): string => `int half(int n) { return ${body}; }\n`
/** A list that has `more` in the library of tiling functions. */
const list = (more: string): string =>
  `npu_op_code_gen(SRC mine.cpp more.cpp)\nnpu_op_library(cust_optiling TILING mine.cpp ${more})\n`

describe('with a definition that has a tiling function', () => {
  const withTiling = `${tiling}${definition}`.replace('AICore()', 'AICore().SetTiling(tiling)')
  beforeEach(() => write('op_host/mine.cpp', withTiling))

  test.each([
    ['aclnn_mine.cpp', '#include "aclnn_mine.h"\n#include "level0/add.h"\nint run() { return l0op::Add(1); }\n'],
    ['mine_l0.cpp', '#include "opdev/op_dfx.h"\nOP_TYPE_REGISTER(Mine);\n'],
    ['launch.cpp', '#include <acl/acl.h>\nvoid launch(void* p) { aclrtFree(p); }\n'],
    ['fallback_mine.cpp', '#include "fallback/fallback.h"\nIMPL_OP(Mine).OpExecuteFunc(fallback::run);\n'],
  ])('%s is refused, as a build has it in the same library', async (name, text) => {
    write(`op_host/${name}`, text)
    expect(errorsOf(await build())).toMatch(/calls the runtime API.*: move it to op_api/)
  })

  test.each([
    ['names the runtime in a comment', '// #include "acl/acl.h"\nint run() { return wrong; }\n'],
    ['writes logs', '#include "opdev/op_log.h"\nint run() { return wrong; }\n'],
    ['is called like one of another layer', 'int run() { return wrong; }\n'],
  ])('a source that does not compile is not left out where it %s', async (_, text) => {
    write('op_host/aclnn_mine.cpp', text)
    expect(errorsOf(await build())).toMatch(/wrong/)
  })

  test('sources of folders below are parts where CMake names them alone', async () => {
    write('op_host/more.cpp', calling)
    write('op_host/sub/half.cpp', half('n / 2'))
    write('op_host/sub/unused.cpp', '#error "unused"\n')
    const failed = await build()
    expect(errorsOf(failed)).toMatch(/half/)
    expect(JSON.stringify(failed)).toMatch(/lies in a folder below op_host, which a build takes no sources from/)
    write(
      'op_host/CMakeLists.txt',
      'file(GLOB srcs *.cpp sub/half.cpp)\nnpu_op_library(cust_optiling TILING ${srcs})\n',
    )
    expect(errorsOf(await build())).toBe('')
    write('op_host/CMakeLists.txt', 'set(srcs mine.cpp)\nnpu_op_library(cust_optiling TILING ${srcs})\n')
    write('op_host/more.cpp', '#error "unused"\n')
    expect(errorsOf(await build())).toBe('')
  })

  test('what registers functions of an operator in a folder below is told', async () => {
    write('op_host/sub/more.cpp', registered)
    expect(errorsOf(await build())).toMatch(/lies in a folder below op_host.*name it there, or move it to op_host/)
  })

  test('what definitions alone are read from defines nothing of the tiling functions', async () => {
    write('op_host/mine.cpp', `${calling}${withTiling}`)
    write('op_host/more.cpp', half('n'))
    write('op_host/CMakeLists.txt', list(''))
    expect(errorsOf(await build())).toMatch(/defines _Z4halfi, and is no part of the library of tiling functions/)
    write('op_host/CMakeLists.txt', list('more.cpp'))
    expect(errorsOf(await build())).toBe('')
  })

  test.each(['more.c', 'more.C', 'more.c++'])('%s, which a build compiles, is refused', async (name) => {
    write(`op_host/${name}`, '')
    expect(errorsOf(await build())).toBe(`op_host/${name} is not compiled here: call it .cpp, or move it`)
  })

  test('no host part has very many sources', async () => {
    for (let index = 0; index < 100; index++) write(`op_host/part${index}.cpp`, '')
    expect(errorsOf(await build())).toMatch(/has more than 100 sources/)
  })

  test.each([
    ['a function', 'inline int part() { return 1; }', 'inline int part() { return 2; }', 'part()'],
    ['a constant', 'inline double part() { return 2.5; }', 'inline double part() { return 3.5; }', 'part()'],
    ['a text', 'inline const char* part() { return "ab"; }', 'inline const char* part() { return "ac"; }', '*part()'],
    ['a variable', 'inline int part = 1;', 'inline int part = 2;', 'part'],
    [
      'a template',
      'template <int N> int part() { return N; }',
      'template <int N> int part() { return -N; }',
      'part<1>()',
    ],
  ])('%s of one name is the same everywhere', async (_, one, other, use) => {
    const used = (text: string, name: string) => `${text}\nint ${name}() { return ${use}; }\n`
    write('op_host/one.cpp', used(one, 'one'))
    write('op_host/two.cpp', used(other, 'two'))
    expect(errorsOf(await build())).toMatch(/part is defined in another way in one\.cpp/)
    write(
      'op_host/one.cpp',
      `const char* before = "other";\ndouble first(double x) { return x * 7.5; }\n${used(one, 'one')}`,
    )
    write('op_host/two.cpp', used(one, 'two'))
    expect(errorsOf(await build())).toBe('')
  })

  test('the same function may be registered as well, and no other', async () => {
    write('op_host/mine.cpp', `${withTiling}IMPL_OP_OPTILING(Mine).Tiling(tiling);\n`)
    expect(errorsOf(await build())).toBe('')
    write('op_host/mine.cpp', withTiling)
    write('op_host/more.cpp', registered)
    expect(errorsOf(await build())).toMatch(/two tiling functions are registered for Mine/)
  })

  test('an operator has one definition', async () => {
    write('op_host/more.cpp', withTiling)
    expect(errorsOf(await build())).toMatch(/OP_ADD defines Mine twice/)
  })

  test('a part that does not compile by itself is no error', async () => {
    write('op_host/mine.cpp', `${withTiling}#define BODY 1\n#include "body.cpp"\n`)
    write('op_host/body.cpp', 'static int body() { return BODY; }\n')
    expect(errorsOf(await build())).toBe('')
  })

  test('a source that is no part any more is noticed, and one that is there or gone', async () => {
    write('op_host/mine.cpp', `${withTiling}#define BODY 1\n#include "body.cpp"\n`)
    write('op_host/body.cpp', 'static int body() { return BODY; }\n')
    expect(errorsOf(await build())).toBe('')
    write('op_host/mine.cpp', `${withTiling}#define BODY 1\n`)
    expect(errorsOf(await build())).toMatch(/BODY/)
    rmSync(join(folder, 'op_host/body.cpp'))
    expect(errorsOf(await build())).toBe('')
    write('op_host/body.cpp', 'static int body() { return BODY; }\n')
    expect(errorsOf(await build())).toMatch(/BODY/)
  })
})

test.each([
  ['IMPL_OP_OPTILING(Mine).Tiling(f);', true],
  ['IMPL_OP(Mine)\n  .InferShape(f);', true],
  ['IMPL_OP(Mine).OpExecuteFunc(f).InferShape(g);', true],
  ['IMPL_OP(Mine).OpExecuteFunc(f);\nIMPL_OP(Mine).Tiling(f);', true],
  ['OP_ADD(Mine);', true],
  ['REGISTER_OPS_TILING_TEMPLATE(Mine, Plan, 1);', true],
  ['REGISTER_TILING_TEMPLATE("Mine", Plan, 1);', true],
  ['static gert::OpImplRegister all = gert::OpImplRegister("Mine").Tiling(f);', true],
  ['IMPL_OP(Mine).OpExecuteFunc(f).HostInputs({1, 2});', false],
  [
    '[[maybe_unused]] static ::gert::OpImplRegisterV2 op_impl_register_Mine_0 = ::gert::OpImplRegisterV2("Mine").OpExecuteFunc(f);',
    false,
  ],
  ['OP_TYPE_REGISTER(Mine);', false],
  ['REGISTER_TILING_DATA_CLASS(Mine, Data)', false],
])('%s registers functions of an operator: %s', (text, expected) => expect(registers(text)).toBe(expected))

test.each([
  ['share', 'share'],
  ['_ZN8optiling5shareE', 'share'],
  ['_Z8setSharef', 'setShare'],
  ['_ZN8optiling4Plan4InitEPKc', 'Init'],
  ['_ZNK8optiling4Plan3runEv', 'run'],
])('%s is called %s in a source', (symbol, name) => expect(sourceNameOf(symbol)).toBe(name))
