import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { buildLimitMs, interfaceOf, startService } from '../../fixtures/operator.ts'
import { repositoryAround } from '../candidates/project.ts'
import type { BuildResult } from '../model/index.ts'
import type { KernelService } from '../service/service.ts'

// the first of them builds the emulator where it was never built
vi.setConfig({ testTimeout: buildLimitMs })

let service: KernelService
let folder: string

beforeAll(async () => {
  service = await startService()
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'repository-test-')))
}, buildLimitMs)
afterAll(async () => {
  await service?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Written once per test, so that nothing of one test is known to the next. */
function write(name: string, text: string): void {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const host = (include: string, length: string): string => `${include}
#include "register/op_def_registry.h"
static ge::graphStatus tiling(gert::TilingContext* context) {
  context->SetBlockDim(${length});
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

const kernel = (includes: string, use: string): string => `#include "kernel_operator.h"
${includes}
extern "C" __global__ __aicore__ void mine(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  static_assert(${use} > 0);
}
`

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true })
  write('common/inc/op_host/shared_blocks.h', '#pragma once\nconstexpr int sharedBlocks = 2;\n')
  write('math/mine/op_host/mine.cpp', host('#include "op_host/shared_blocks.h"', 'sharedBlocks'))
  write('math/mine/op_kernel/mine.cpp', kernel('', '1'))
  write('math/other/op_kernel/other.h', '#pragma once\n#include "deeper.h"\nconstexpr int other = deeper;\n')
  write('math/other/op_kernel/deeper.h', '#pragma once\nconstexpr int deeper = 1;\n')
  write('math/other/op_kernel/secret.h', 'constexpr int secret = 1;\n')
})

async function build(cmakeLists: string[] = [], root = join(folder, 'math/mine')): Promise<BuildResult> {
  const repository = repositoryAround(root)
  const sample = {
    task: 'Mine',
    name: 'mine',
    root,
    kernelDir: join(root, 'op_kernel'),
    hostDir: join(root, 'op_host'),
    cmakeLists,
    ...(repository === undefined ? {} : { repository }),
  }
  const combinations = [{ inputs: ['float32' as const], outputs: ['float32' as const] }]
  return await service.build({ sample, task: interfaceOf('Mine', 'mine', [], ['float32']), combinations })
}

const errorsOf = (built: BuildResult): string =>
  built.ok || built.verdict.kind !== 'compile-failed'
    ? ''
    : built.verdict.diagnostics.map(({ message }) => message).join('\n')

test('headers that an operator repository shares are found, and an edit of one is noticed', async () => {
  expect(errorsOf(await build())).toBe('')
  expect(await build()).toMatchObject({ ok: true, cached: true })
  write('common/inc/op_host/shared_blocks.h', '#pragma once\nconstexpr int sharedBlock = 2;\n')
  expect(errorsOf(await build())).toMatch(/sharedBlocks/)
})

test('kernels of other operators are found side by side, from sub-folders too, with what they include', async () => {
  write('math/mine/op_kernel/mine.cpp', kernel('#include "../other/other.h"\n#include "arch22/part.h"', 'part'))
  write('math/mine/op_kernel/arch22/part.h', '#include "../../other/other.h"\nconstexpr int part = other;\n')
  expect(errorsOf(await build())).toBe('')
  write('math/other/op_kernel/deeper.h', '#pragma once\nconstexpr int deeper = 0;\n')
  expect(errorsOf(await build())).toMatch(/static assertion failed/)
})

test('the tiling sources of operators that the build names as dependencies are linked in', async () => {
  write('math/mine/op_host/mine.cpp', host('int blocksOfOther();', 'blocksOfOther()'))
  write('math/other/op_host/other_def.cpp', '#error "not a tiling source"\n')
  write('math/other/op_host/arch35/other_tiling.cpp', '#error "for another device"\n')
  write('math/other/op_host/arch22/other_tiling.cpp', '#include "blocks.h"\nint blocksOfOther() { return blocks; }\n')
  write('math/other/op_host/arch22/blocks.h', '#pragma once\nconstexpr int blocks = 2;\n')
  const list = join(folder, 'math/mine/CMakeLists.txt')
  write('math/mine/CMakeLists.txt', 'add_all_modules_sources(OPTYPE mine ACLNNTYPE aclnn)\n')
  expect(errorsOf(await build([list]))).toMatch(/blocksOfOther/)
  for (const text of [
    'add_all_modules_sources(OPTYPE mine DEPENDENCIES other ACLNNTYPE aclnn)',
    'add_dependent_ops(other)',
    'set(mine_depends math/other CACHE INTERNAL "Dependencies of mine")',
    'set(mine_depends math/none math/other PARENT_SCOPE)',
    'if("mine" IN_LIST ASCEND_OP_NAME)\nset(names ${ASCEND_OP_NAME} other)\nendif()',
    'list(APPEND ASCEND_OP_NAME other)',
  ]) {
    write('math/mine/CMakeLists.txt', `${text}\n`)
    expect(errorsOf(await build([list]))).toBe('')
  }
})

test('what a header of another operator or of the repository declares is linked in', async () => {
  write('math/mine/op_host/mine.cpp', host('#include "../../other/op_host/blocks.h"', 'blocksOfOther()'))
  write('math/other/op_host/blocks.h', '#pragma once\nint blocksOfOther();\n')
  expect(errorsOf(await build())).toMatch(/blocksOfOther/)
  write('math/other/op_host/blocks.cpp', '#include "op_host/sum.h"\nint blocksOfOther() { return sum(1, 2); }\n')
  write('common/inc/op_host/sum.h', '#pragma once\nint sum(int a, int b);\n')
  expect(errorsOf(await build())).toMatch(/sum/)
  write('common/src/op_host/sum.cpp', '#include "op_host/sum.h"\nint sum(int a, int b) { return a + b; }\n')
  expect(errorsOf(await build())).toBe('')
})

const naming = (includes: string): string =>
  kernel(includes, '1').replace(
    'static_assert(1',
    'REGISTER_TILING_DEFAULT(Mine_Data);\n  static_assert(sizeof(Mine_Data)',
  )

describe('where a kernel names its tiling struct', () => {
  beforeEach(() => {
    const data = 'BEGIN_TILING_DATA_DEF(Mine_Data)\nTILING_DATA_FIELD_DEF(int32_t, rows);\nEND_TILING_DATA_DEF;'
    const registered = `namespace optiling {\n${data}\nREGISTER_TILING_DATA_CLASS(Mine, Mine_Data)\n}`
    write('math/mine/op_host/mine.cpp', host(`#include "register/tilingdata_base.h"\n${registered}`, '1'))
  })

  test('and kernels define one, it is not that of the host part', async () => {
    write('math/other/op_kernel/data.h', '#pragma once\nnamespace other {\nstruct Mine_Data { int rows; };\n}\n')
    write('math/mine/op_kernel/mine.cpp', naming('#include "../other/data.h"\nusing namespace other;'))
    expect(errorsOf(await build())).toBe('')
  })

  test('and only its unit tests define one, it is that of the host part', async () => {
    write('math/mine/tests/ut/op_kernel/data.h', '#pragma once\nstruct Mine_Data { int rows; };\n')
    write('math/mine/op_kernel/mine.cpp', naming(''))
    expect(errorsOf(await build())).toBe('')
  })
})

test('a source that another includes is a part of it', async () => {
  write('math/mine/op_host/mine.cpp', host('#include "sub/mine_blocks.cpp"', 'blocks()'))
  write('math/mine/op_host/sub/mine_blocks.cpp', 'int blocks() { return 2; }\n')
  expect(errorsOf(await build())).toBe('')
})

test('the tiling templates that a repository has fetched are found and linked in', async () => {
  write('math/mine/op_host/mine.cpp', host('#include "atvoss/elewise/blocks.h"', 'blocksOfTemplate()'))
  expect(errorsOf(await build())).toMatch(/atvoss\/elewise\/blocks\.h/)
  const [header = '', source = ''] = ['pkg_inc', 'src'].map(
    (name) => `third_party/opbase/${name}/op_common/atvoss/elewise`,
  )
  write(`${header}/blocks.h`, '#pragma once\n#include "own.h"\nint blocksOfTemplate();\n')
  write(`${header}/own.h`, '#pragma once\n')
  write(`${source}/blocks.cpp`, '#include "op_common/atvoss/elewise/blocks.h"\nint blocksOfTemplate() { return 1; }\n')
  expect(errorsOf(await build())).toBe('')
})

test('a repository may keep its shared headers in common/include', async () => {
  rmSync(join(folder, 'common'), { recursive: true })
  write('common/include/tiling_base/shared.h', '#pragma once\nint shared();\n')
  write('common/src/tiling_base/shared.cpp', '#include "tiling_base/shared.h"\nint shared() { return 1; }\n')
  write('common/include/kernel/part.h', '#pragma once\nconstexpr int part = 1;\n')
  write('math/mine/op_host/mine.cpp', host('#include "tiling_base/shared.h"', 'shared()'))
  write('math/mine/op_kernel/mine.cpp', kernel('#include "part.h"', 'part'))
  expect(errorsOf(await build())).toBe('')
})

test('an operator may lie deep in a repository, whose folders between have headers of their own', async () => {
  const deep = 'lib/ops/npu/group/forward/mine'
  write(`${deep}/op_host/mine.cpp`, host('#include "op_host/shared_blocks.h"', 'sharedBlocks'))
  write('lib/ops/npu/common/parts/part.h', '#pragma once\n#include "parts/size.h"\nconstexpr int part = size;\n')
  write('lib/ops/npu/common/parts/size.h', '#pragma once\nconstexpr int size = 1;\n')
  write('third_party/catlass/include/catlass/tile.hpp', '#pragma once\nconstexpr int tile = 1;\n')
  write(`${deep}/op_kernel/mine.cpp`, kernel('#include "parts/part.h"\n#include "catlass/tile.hpp"', 'part && tile'))
  expect(errorsOf(await build([], join(folder, deep)))).toBe('')
  write('lib/ops/npu/common/parts/size.h', '#pragma once\nconstexpr int size = 0;\n')
  expect(errorsOf(await build([], join(folder, deep)))).toMatch(/static assertion failed/)
})

test('a category has shared headers of its own, with their sources', async () => {
  write('math/common/inc/blocks.h', '#pragma once\nint categoryBlocks();\n')
  write('math/common/src/blocks.cpp', '#include "blocks.h"\nint categoryBlocks() { return 1; }\n')
  write('math/common/op_host/op_tiling/plan.h', '#pragma once\nint plan();\n')
  write('math/common/op_host/op_tiling/plan.cc', '#include "plan.h"\nint plan() { return 1; }\n')
  const includes = '#include "blocks.h"\n#include "common/op_host/op_tiling/plan.h"'
  write('math/mine/op_host/mine.cpp', host(includes, 'categoryBlocks() + plan()'))
  expect(errorsOf(await build())).toBe('')
  rmSync(join(folder, 'math/common/src'), { recursive: true })
  expect(errorsOf(await build())).toMatch(/undefined reference|undefined symbol/)
})

test('headers of the host part of a dependency are found by name, those of other operators are not', async () => {
  write('math/other/op_host/other_plan.h', '#pragma once\nconstexpr int otherPlan = 1;\n')
  write('math/mine/op_host/mine.cpp', host('#include "other_plan.h"', 'otherPlan'))
  expect(errorsOf(await build())).toMatch(/other_plan\.h/)
  write('math/mine/CMakeLists.txt', 'add_modules_sources(OPTYPE mine DEPENDENCIES other)\n')
  expect(errorsOf(await build([join(folder, 'math/mine/CMakeLists.txt')]))).toBe('')
})

test('an operator may depend on one of another category, and keep its tiling data beside the kernel', async () => {
  write('index/far/op_kernel/far.h', '#pragma once\nconstexpr int far = 1;\n')
  write('math/mine/op_kernel/mine_tiling_data.h', '#pragma once\nconstexpr int blocks = 1;\n')
  write('math/mine/op_host/mine.cpp', host('#include "mine_tiling_data.h"', 'blocks'))
  write('math/mine/op_kernel/mine.cpp', kernel('#include "../far/far.h"', 'far'))
  expect(errorsOf(await build())).toBe('')
})

test('the folders that a CMakeLists.txt searches are searched', async () => {
  write('shapes/inc/shape_rules.h', '#pragma once\nconstexpr int rules = 1;\n')
  write('math/mine/op_host/mine.cpp', host('#include "shape_rules.h"', 'rules'))
  expect(errorsOf(await build())).toMatch(/shape_rules\.h/)
  const text = 'target_include_directories(optiling PRIVATE ${CMAKE_SOURCE_DIR}/shapes/inc)\n'
  write('math/mine/CMakeLists.txt', text)
  expect(errorsOf(await build([join(folder, 'math/mine/CMakeLists.txt')]))).toBe('')
})

test('sources of the repository that a CMakeLists.txt adds to the operator are linked in', async () => {
  write('math/mine/op_host/mine.cpp', host('int blocksOfAll();', 'blocksOfAll()'))
  write('common/src/math/op_tiling/all_tiling.cpp', 'int blocksOfAll() { return 2; }\n')
  const list = join(folder, 'math/mine/CMakeLists.txt')
  const source = '${OP_COMMON_DIR}/src/math/op_tiling/all_tiling.cpp'
  for (const [text, failure] of [
    [`target_sources(op_host_aclnn PRIVATE\n  ${source}\n)`, 'blocksOfAll'],
    [`target_sources(optiling PRIVATE\n  ${source}\n)`, ''],
    ['target_sources(optiling PRIVATE ${CMAKE_SOURCE_DIR}/common/src/math/op_tiling/all_tiling.cpp)', ''],
  ] as const) {
    write('math/mine/CMakeLists.txt', `${text}\n`)
    expect(errorsOf(await build([list])), text).toMatch(failure === '' ? /^$/ : failure)
  }
})

test('an artifact is another one where a source of the repository is linked in that was only read', async () => {
  const include = '#if 0\n#include "common/src/op_tiling/all_tiling.cpp"\n#endif'
  write('math/mine/op_host/mine.cpp', host(include, '1'))
  write('common/src/op_tiling/all_tiling.cpp', 'int blocksOfAll() { return 2; }\n')
  write('math/mine/CMakeLists.txt', 'target_sources(optiling PRIVATE ${OP_COMMON_DIR}/src/op_tiling/all_tiling.cpp)\n')
  const [alone, linked] = [await build(), await build([join(folder, 'math/mine/CMakeLists.txt')])]
  expect([errorsOf(alone), errorsOf(linked)]).toEqual(['', ''])
  expect(alone.ok && linked.ok && alone.artifact !== linked.artifact).toBe(true)
})

test('an operator that lies in the repository of a template library finds its templates', async () => {
  rmSync(join(folder, 'common'), { recursive: true })
  write('math/mine/op_host/mine.cpp', host('', '1'))
  write('math/mine/op_kernel/mine.cpp', kernel('#include "catlass/tile.hpp"', 'tile'))
  expect(errorsOf(await build())).toMatch(/catlass\/tile\.hpp/)
  write('include/catlass/tile.hpp', '#pragma once\nconstexpr int tile = 1;\n')
  expect(errorsOf(await build())).toBe('')
})

test('the base of tiling classes brings the macros of logs', async () => {
  const debug = 'AlogCheckDebugLevel(static_cast<int32_t>(OP), DLOG_DEBUG) + 1'
  write('math/mine/op_host/mine.cpp', host('#include "tiling/tiling_base.h"', debug))
  expect(errorsOf(await build())).toBe('')
  write('math/mine/op_host/mine.cpp', host('#include "register/tilingdata_base.h"', debug))
  expect(errorsOf(await build())).toMatch(/DLOG_DEBUG/)
})

test('a repository may keep its shared headers in include, and operators beside what they share', async () => {
  rmSync(join(folder, 'common'), { recursive: true })
  write('math/common/op_host/plan.h', '#pragma once\nconstexpr int plan = 1;\n')
  write('math/mine/op_host/mine.cpp', host('#include "ge/blocks.h"\n#include "common/op_host/plan.h"', 'blocks + plan'))
  expect(errorsOf(await build())).toMatch(/ge\/blocks\.h/)
  write('include/ge/blocks.h', '#pragma once\nconstexpr int blocks = 2;\n')
  expect(errorsOf(await build())).toBe('')
})

test('definition and tiling of an operator may define the same function, two sources of its tiling may not', async () => {
  const twice = '#include <cstdint>\nint64_t Half(int64_t n) { return n / 2; }\n'
  write('math/mine/op_host/mine_tiling.cpp', twice)
  write('math/mine/op_host/mine_infershape.cpp', twice)
  expect(errorsOf(await build())).toBe('')
  write('math/mine/op_host/mine_tiling_more.cpp', twice)
  expect(errorsOf(await build())).toMatch(/multiple definition|duplicate symbol/)
})

test('host parts find what the public headers of the framework declare, and nothing beyond', async () => {
  const includes = `#include "base/err_mgr.h"
#include "graph/operator.h"
#include "opdev/op_log.h"
#include "platform/platform_info.h"
#include "register/tuning_bank_key_registry.h"
#include "register/tuning_tiling_registry.h"
#include "securec.h"
// what a repository says of its own macros names ours
#undef OPS_CHECK_NULL_WITH_CONTEXT
#define OPS_CHECK_NULL_WITH_CONTEXT(context, pointer) OP_CHECK_NULL_WITH_CONTEXT(context, pointer)
#undef OPS_CHECK
#define OPS_CHECK(condition, log, action) OP_CHECK(condition, log, action)
namespace tuningtiling {
BEGIN_TUNING_TILING_DEF(Plan)
TUNING_TILING_DATA_FIELD_DEF(uint32_t, cores);
END_TUNING_TILING_DEF
DECLARE_SCHEMA(Plan, FIELD(Plan, cores));
}
static int use(gert::TilingContext* context) {
  OPS_CHECK(context == nullptr, REPORT_INNER_ERR_MSG("E", "no %s", "context"), return 0);
  OPS_LOG_E_IF_NULL(context, context->GetPlatformInfo(), return 0)
  ge::Operator op("Mine");
  op.UpdateInputDesc("x0", ge::TensorDesc(ge::Shape({2, 3}), ge::FORMAT_ND, ge::DT_INT4));
  op.SetAttr("axis", 1);
  int64_t axis = 0;
  if (op.GetAttr("axis", axis) != ge::GRAPH_SUCCESS || op.GetDynamicInputNum("x") != 1) return 0;
  char text[8];
  map<string, vector<int>> table{{"a", {static_cast<int>(strcpy_s(text, sizeof text, "four"))}}};
  std::ostringstream out;
  out << tuningtiling::Plan().GetItemInfo().size();
  return static_cast<int>(context->GetPlatformInfo()->GetCoreNumByType("VectorCore") + table.size());
}
static ge::graphStatus formats(gert::InferFormatContext* context) {
  const gert::Shape* shape = context->GetInputShape(0);
  gert::StorageFormat* format = context->GetRequiredOutputFormat(0);
  if (shape == nullptr || format == nullptr) return ge::GRAPH_FAILED;
  format->SetStorageFormat(shape->GetDimNum() == 4 ? ge::FORMAT_NCHW : ge::FORMAT_ND);
  return ge::GRAPH_SUCCESS;
}
IMPL_OP(Mine).InferFormat(formats).PrivateAttr("_kind", 1).GenSimplifiedKey(nullptr).InferOutDataTypeSameWithFirstInput();`
  const source = host('', 'use(context)').replace('static ge::', `${includes}\nstatic ge::`)
  write('math/mine/op_host/mine.cpp', source)
  expect(errorsOf(await build())).toBe('')
  write('math/mine/op_host/mine.cpp', source.replace('op.SetAttr(', 'op.PutAttr('))
  expect(errorsOf(await build())).toMatch(/PutAttr/)
})

test('operators of a checkout are built with the headers it brings along', async () => {
  const checkout = join(folder, 'bench')
  const shared = 'bench/libs/common_include/cann-ops/src/common'
  write(`${shared}/inc/log/ops_log.h`, '#pragma once\n')
  write(`${shared}/inc/tiling/shared_plan.h`, '#pragma once\nconstexpr int sharedPlan = 1;\n')
  const root = join(checkout, 'tasks/level2/Norm/Mine/answer/first')
  const own = 'bench/tasks/level2/Norm/Mine/answer/first'
  write(`${own}/op_host/mine.cpp`, host('#include "tiling/shared_plan.h"', 'sharedPlan'))
  write(`${own}/op_kernel/mine.cpp`, kernel('', '1'))
  expect(errorsOf(await build([], root))).toBe('')
  rmSync(join(checkout, 'libs'), { recursive: true })
  expect(errorsOf(await build([], root))).toMatch(/shared_plan\.h/)
})

test('a folder of headers beside an operator is all that it can read without a repository', async () => {
  rmSync(join(folder, 'common'), { recursive: true })
  write('math/common/blocks.h', '#pragma once\nconstexpr int blocks = 2;\n')
  write('math/mine/op_host/mine.cpp', host('#include "../../common/blocks.h"', 'blocks'))
  write('math/mine/op_kernel/mine.cpp', kernel('#include "blocks.h"', 'blocks'))
  expect(errorsOf(await build())).toBe('')
  write('math/mine/op_kernel/mine.cpp', kernel('#include "../../other/op_kernel/secret.h"', 'secret'))
  expect(errorsOf(await build())).toMatch(/secret\.h/)
})

test('sources for another device are linked in where those for this one call them', async () => {
  write('math/mine/op_host/mine.cpp', host('int blocksOf(int device);', 'blocksOf(1)'))
  write('math/mine/op_host/arch35/tiling.cpp', '#error "for another device"\n')
  const failure = errorsOf(await build())
  expect(failure).toMatch(/blocksOf/)
  expect(failure).not.toMatch(/for another device/)
  write('math/mine/op_host/arch35/tiling.cpp', 'int blocksOf(int device) { return device; }\n')
  expect(errorsOf(await build())).toBe('')
})

test('host files that launch kernels themselves are left out', async () => {
  write('math/mine/op_host/launch.cpp', '#include "acl/acl.h"\nvoid launch(void* p) { aclrtFree(p); }\n')
  const built = await build()
  expect(errorsOf(built)).toBe('')
  expect(JSON.stringify(built)).toMatch(/calls the runtime API: left out/)
})

test('the entry of another device does not say which cores the kernel runs on', async () => {
  const types = ['AIC_ONLY', 'AIV_ONLY']
  const [cube = '', vector = ''] = types.map((type) =>
    kernel('', '1').replace('static', `KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_${type});\n  static`),
  )
  write(
    'math/mine/op_kernel/mine.cpp',
    cube.replace('static_assert(1', '#if defined(__DAV_C220_CUBE__)\nint cube;\n#endif\n  static_assert(sizeof cube'),
  )
  expect(errorsOf(await build())).toBe('')
  write('math/mine/op_kernel/mine_apt.cpp', vector)
  expect(errorsOf(await build())).toBe('')
})

test('a kernel may declare its template arguments in a namespace', async () => {
  const key = `namespace mine_key {
ASCENDC_TPL_ARGS_DECL(Mine, ASCENDC_TPL_BOOL_DECL(TWICE, 0, 1), );
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_BOOL_SEL(TWICE, 0)), );
}`
  write('math/mine/op_kernel/key.h', `#pragma once\n#include "ascendc/host_api/tiling/template_argument.h"\n${key}\n`)
  const template = kernel('#include "key.h"', '!TWICE').replace('extern "C"', 'template <bool TWICE>\n')
  write('math/mine/op_kernel/mine.cpp', template)
  expect(errorsOf(await build())).toBe('')
  write('math/mine/op_kernel/mine.cpp', template.replace('!TWICE', 'TWICE'))
  expect(errorsOf(await build())).toMatch(/static assertion failed/)
})

const launching = (size: number) => `#pragma once
template <class T> __global__ __aicore__ void copy(T parameters) {}
template <class T> void run(uint32_t n, void* s, T p) {
  copy<T><<<n, nullptr, s>>>(p);
}
constexpr int size = ${size};
`

test('headers that launch kernels are read without the launches, and an edit of one is noticed', async () => {
  write('third_party/catlass/include/catlass/device.hpp', launching(1))
  write(
    'math/mine/op_kernel/parts/own.hpp',
    launching(1).replace('size', 'own').replaceAll('copy', 'mine_copy').replace('run(', 'go('),
  )
  const includes = '#include "catlass/device.hpp"\n#include "parts/own.hpp"'
  write('math/mine/op_kernel/mine.cpp', kernel(includes.replace('own.hpp', 'next.hpp'), 'size && own'))
  write('math/mine/op_kernel/parts/next.hpp', '#include "parts/own.hpp"\n')
  expect(errorsOf(await build())).toBe('')
  write('third_party/catlass/include/catlass/device.hpp', launching(0))
  const built = await build()
  expect(errorsOf(built)).toMatch(/static assertion failed/)
  write('third_party/catlass/include/catlass/device.hpp', launching(1).replace('int size', 'int size = wrong, other'))
  expect(JSON.stringify(await build())).toMatch(/device\.hpp","line":6/)
})

const sized = (size: number) => `#pragma once\nconstexpr int size = ${size};\n`

test('a header that launches a kernel hides no other of its name, and finds what lies beside it', async () => {
  rmSync(join(folder, 'math/mine/op_kernel/mine.cpp'))
  write('math/mine/op_kernel/sub/mine.cpp', kernel('#include "own.h"\n#include "parts/launch.hpp"', 'size && value'))
  write('math/mine/op_kernel/own.h', launching(0))
  write('math/mine/op_kernel/sub/own.h', sized(1))
  write('math/mine/op_kernel/parts/launch.hpp', `#include "value.h"\n${launching(1).replace('size', 'other')}`)
  write('math/mine/op_kernel/parts/value.h', sized(1).replace('size', 'value'))
  write('math/mine/op_kernel/value.h', sized(0).replace('size', 'value'))
  expect(errorsOf(await build())).toBe('')
  write('math/mine/op_kernel/sub/own.h', sized(0))
  write('math/mine/op_kernel/own.h', launching(1))
  expect(errorsOf(await build())).toMatch(/static assertion failed/)
})

test('the name of a kernel is no macro, and nothing else has it', async () => {
  const named = /^`mine` is the name of the kernel/
  const other = kernel('#define CAT(a, b) a##b', '1').replace('void mine(', 'void CAT(mi, ne)(')
  const decoy = kernel('#define mine decoy', '1')
  write('math/mine/op_kernel/mine.cpp', `${decoy}#undef mine\n${other}`)
  expect(errorsOf(await build())).toMatch(named)
  write(
    'math/mine/op_kernel/mine.cpp',
    `namespace a {\n${kernel('', '1').replace('extern "C"', '')}}\nusing namespace a;\n${other}`,
  )
  expect(errorsOf(await build())).toMatch(named)
})

test('a folder of compile options comes behind that of the kernel for a quoted name, and before it for another', async () => {
  const list = join(folder, 'math/mine/CMakeLists.txt')
  write('math/mine/CMakeLists.txt', 'add_ops_compile_options(ALL OPTIONS -I${CMAKE_CURRENT_SOURCE_DIR}/inc)\n')
  write('math/mine/inc/one.h', sized(2).replace('#pragma once\n', ''))
  write('math/mine/op_kernel/one.h', sized(1).replace('#pragma once\n', ''))
  write('math/mine/op_kernel/sub/two.h', '#include "../one.h"\n')
  const use = 'size == 1 && b::size == 2 && c::size == 1'
  const includes = '#include "one.h"\nnamespace b {\n#include <one.h>\n}\nnamespace c {\n#include <sub/two.h>\n}'
  write('math/mine/op_kernel/mine.cpp', kernel(includes, use))
  expect(errorsOf(await build([list]))).toBe('')
})

test('what may give itself out for another file is shown to the compiler', async () => {
  const hidden = '#define NONE\n#define ASKED __has_include\n#if ASKED(NONE <x/*>)\n#endif\n'
  const line = '#line 3 "/usr/include/c++/12/cmath"\n/*/ */'
  write('math/mine/op_kernel/named.h', `#pragma once\n${hidden}${line}\n`)
  write('math/mine/op_kernel/mine.cpp', kernel('#include "named.h"', '1'))
  expect(JSON.stringify(await build())).toMatch(/#line is not allowed.*named\.h","line":6|missing terminating >/)
  write('math/mine/op_kernel/named.h', '#pragma once\n/*\n#line 3\n# 1 of 2\n*/\n')
  write('math/mine/op_kernel/mine.cpp', kernel('#include "named.h"\n#define TEXT(line) #line', '1'))
  expect(errorsOf(await build())).toBe('')
  // what is wrong is said of the text itself
  write('math/mine/op_kernel/mine.cpp', kernel('#include "named.h"\nint x = nothing_here;', '1'))
  expect(errorsOf(await build())).toMatch(/nothing_here/)
  // where the error that asks is in a macro, other code is compiled with it
  const branching = `#define error , 0 ,
#define Y /**/#1
#define PICK_(a, b, ...) b
#define PICK(...) PICK_(__VA_ARGS__, 1, 1)
#ifdef NEVER
don't /*
#endif
#if PICK(Y)
#line 3 "/usr/include/c++/12/cmath"
#endif
/* */`
  write('math/mine/op_kernel/mine.cpp', kernel(branching, '1'))
  expect(errorsOf(await build())).toMatch(/#line is not allowed/)
})

test('what no include names cannot be read', async () => {
  const macro = '#define NAME "../../other/op_kernel/secret.h"\n#include NAME'
  write('math/mine/op_kernel/mine.cpp', kernel(macro, 'secret'))
  expect(errorsOf(await build())).toMatch(/secret\.h/)
})

test('a folder without shared headers is no operator repository', async () => {
  rmSync(join(folder, 'common'), { recursive: true })
  expect(errorsOf(await build())).toMatch(/shared_blocks\.h/)
})
