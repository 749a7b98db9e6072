import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
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
  const sample = { task: 'Mine', name: 'mine', root: folder, kernelDir, hostDir, cmakeLists: [] }
  const combinations = [{ inputs: ['float32' as const], outputs: ['float32' as const] }]
  return await service.build({ sample, task: interfaceOf('Mine', 'mine', [], ['float32']), combinations })
}

const errorsOf = (built: BuildResult): string =>
  built.ok || built.verdict.kind !== 'compile-failed'
    ? ''
    : built.verdict.diagnostics.map(({ message }) => message).join('\n')

describe('a source that registers a tiling function is a part of the library', () => {
  test.each(['aclnn_mine.cpp', 'fallback_mine.cpp', 'mine_l0.cpp', 'sub/fallback_tiling.cc'])(
    'also as %s',
    async (name) => {
      expect(errorsOf(await build())).toMatch(/registers no tiling function/)
      write(`op_host/${name}`, registered)
      expect(errorsOf(await build())).toBe('')
    },
  )

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

describe('with a definition that has a tiling function', () => {
  const withTiling = `${tiling}${definition}`.replace('AICore()', 'AICore().SetTiling(tiling)')
  beforeEach(() => write('op_host/mine.cpp', withTiling))

  test.each([
    ['aclnn_mine.cpp', '#include "aclnn_mine.h"\n#include "level0/add.h"\nint run() { return l0op::Add(1); }\n'],
    ['mine_l0.cpp', '#include "opdev/op_dfx.h"\nOP_TYPE_REGISTER(Mine);\n'],
    ['launch.cpp', '#include <acl/acl.h>\nvoid launch(void* p) { aclrtFree(p); }\n'],
    ['fallback_mine.cpp', '#include "fallback/fallback.h"\nIMPL_OP(Mine).OpExecuteFunc(fallback::run);\n'],
  ])('%s is left out, which a note says', async (name, text) => {
    write(`op_host/${name}`, text)
    const built = await build()
    expect(errorsOf(built)).toBe('')
    expect(JSON.stringify(built)).toMatch(new RegExp(`calls the runtime API: left out.*${name}`))
  })

  test.each([
    ['names the runtime in a comment', '// #include "acl/acl.h"\nint run() { return wrong; }\n'],
    ['writes logs', '#include "opdev/op_log.h"\nint run() { return wrong; }\n'],
    ['is called like one of another layer', 'int run() { return wrong; }\n'],
  ])('a source that does not compile is not left out where it %s', async (_, text) => {
    write('op_host/aclnn_mine.cpp', text)
    expect(errorsOf(await build())).toMatch(/wrong/)
  })

  test.each([
    ['a variable', 'extern float share;\nstatic bool set = [] { return share = 3; }();\n'],
    ['a variable by a pasted name', '#define OF(a, b) a##b\nextern float OF(sh, are);\n'],
    ['a variable by another name', 'extern float other asm("sh" "are");\n'],
    ['a weak function', 'int scale() { return 3; }\n'],
    ['a function', 'namespace optiling { int Half(int n); }\nstatic int half = optiling::Half(2);\n'],
  ])('what is left out names nothing of the library: %s', async (_, text) => {
    const defined = 'float share = 1;\n__attribute__((weak)) int scale() { return 1; }\n'
    write('op_host/more.cpp', `${defined}namespace optiling {\nint Half(int n) { return n / 2; }\n}\n`)
    write('op_host/launch.cpp', `#include "acl/acl.h"\n${text}static int run = ACL_NONE;\n`)
    expect(errorsOf(await build())).toMatch(/calls the runtime API.* names `/)
    write('op_host/launch.cpp', '#include "acl/acl.h"\nstatic int run = ACL_NONE;\n')
    expect(errorsOf(await build())).toBe('')
  })

  test('a source is no part of one in a folder below it, which a build may not compile', async () => {
    write('op_host/sub/more.cpp', '#include "../whole.cpp"\n')
    write('op_host/whole.cpp', 'int whole() { return 1; }\n')
    expect(errorsOf(await build())).toMatch(/multiple definition|duplicate symbol/)
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

  test.each([
    ['launch.cpp', '#include "acl/acl.h"\nint run = ACL_NONE;\n', 'int run = ACL_NONE;\n', /ACL_NONE/],
    ['aclnn_mine.cpp', '#include "acl/none.h"\n#include "own.h"\n', '#include "own.h"\nint run = none;\n', /none/],
  ])('an edit of %s is noticed though it was left out', async (name, before, after, message) => {
    write('op_host/own.h', '')
    write(`op_host/${name}`, before)
    expect(errorsOf(await build())).toBe('')
    write(`op_host/${name}`, after)
    expect(errorsOf(await build())).toMatch(message)
  })

  test('an edit of a header is noticed that only what was left out reads', async () => {
    write('op_host/own.h', '')
    write('op_host/more.cpp', '#include "acl/none.h"\n#include "own.h"\n')
    expect(errorsOf(await build())).toBe('')
    write('op_host/own.h', 'IMPL_OP_INFERSHAPE(Mine);\n')
    expect(errorsOf(await build())).toMatch(/acl\/none\.h/)
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
