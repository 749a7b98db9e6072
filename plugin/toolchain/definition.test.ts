import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { buildLimitMs, interfaceOf, startService } from '../../fixtures/operator.ts'
import type { KernelService } from '../service/service.ts'

// the first of them builds the emulator where it was never built
vi.setConfig({ testTimeout: buildLimitMs })

let service: KernelService
let folder: string

beforeAll(async () => {
  service = await startService()
}, buildLimitMs)
afterAll(async () => await service?.close())

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'definition-')))
  return () => rmSync(folder, { recursive: true, force: true })
})

const host = (input: string, output: string, config = ''): string => `#include "register/op_def_registry.h"
static ge::graphStatus tiling(gert::TilingContext* context) { return ge::GRAPH_SUCCESS; }
namespace ops {
class Mine : public OpDef {
 public:
  explicit Mine(const char* name) : OpDef(name) {
    Input("x").ParamType(REQUIRED)${input};
    Output("y").ParamType(REQUIRED)${output};
    OpAICoreConfig config;
    config${config};
    AICore().SetTiling(tiling).AddConfig("ascend910b", config);
  }
};
OP_ADD(Mine);
}
`

const kernel = `#include "kernel_operator.h"
extern "C" __global__ __aicore__ void mine(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {}
`

/** What is wrong with the definition of an operator. */
async function errorOf(
  input: string,
  output: string,
  config = '.NeedCheckSupportFlag(false)',
  add = '.AddConfig("ascend910b", config)',
): Promise<string> {
  const [kernelDir, hostDir] = [join(folder, 'op_kernel'), join(folder, 'op_host')]
  for (const path of [kernelDir, hostDir]) mkdirSync(path, { recursive: true })
  writeFileSync(join(kernelDir, 'mine.cpp'), kernel)
  writeFileSync(join(hostDir, 'mine.cpp'), host(input, output, config).replace('.AddConfig("ascend910b", config)', add))
  const sample = { task: 'Mine', name: 'mine', root: folder, kernelDir, hostDir, cmakeLists: [] }
  const combinations = [{ inputs: ['float32' as const], outputs: ['float32' as const] }]
  const built = await service.build({ sample, task: interfaceOf('Mine', 'mine', [], ['float32']), combinations })
  if (built.ok) return ''
  return built.verdict.kind === 'compile-failed'
    ? built.verdict.diagnostics.map(({ message }) => message).join()
    : built.verdict.kind
}

const list = (name: string, values: readonly string[]): string =>
  `.${name}({${values.map((value) => `ge::${value}`).join(', ')}})`
const types = (...names: string[]): string => list('DataType', names)
const formats = (count: number): string =>
  list(
    'Format',
    Array.from({ length: count }, () => 'FORMAT_ND'),
  )
const [one, two] = [types('DT_FLOAT'), types('DT_FLOAT', 'DT_FLOAT16')]

test.each([
  [one + formats(2), one + formats(1), 'DataType of x lists 1, Format of x 2'],
  [two + formats(1), two + formats(2), 'DataType of x lists 2, Format of x 1'],
  [two + formats(2), one + formats(2), 'DataType of x lists 2, DataType of y 1'],
  [two + formats(2), '.Follow("x", FollowType::DTYPE)' + formats(1), 'DataType of x lists 2, Format of y 1'],
])('lists of unlike lengths are refused: %s, %s', async (input, output, message) => {
  const advice = 'give all lists of DataType and Format the same length'
  expect(await errorOf(input, output)).toBe(`operator Mine: ${message}: ${advice}`)
})

test.each([
  [two, two + formats(2)],
  [two + formats(2), '.Follow("x")'],
  [two + formats(2), '.Follow("x")' + formats(1)],
  [two + formats(1) + '.ValueDepend(OPTIONAL)', two + formats(2)],
  [two + formats(1) + '.Scalar()', two],
  [two + '.Scalar().To(ge::DT_FLOAT)', one],
  [list('DataTypeList', ['DT_FLOAT', 'DT_FLOAT16']), one + list('FormatList', ['FORMAT_ND', 'FORMAT_NCHW'])],
])('those that count for nothing may differ: %s, %s', async (input, output) => {
  expect(await errorOf(input, output)).toBe('')
})

test.each([
  ['0.0f', ''],
  ['3.0f', 'operator Mine: InitValue of y lists two values for one data type: give equal ones'],
])('a list gives columns of one data type one value: 0, then %s', async (second, problem) => {
  const columns = types('DT_FLOAT', 'DT_FLOAT') + formats(2)
  const [zero, other] = ['0.0f', second].map((number) => `ScalarVar(ScalarType::FLOAT32, ${number})`)
  expect(await errorOf(columns, `${columns}.InitValue(std::vector<ScalarVar>{${zero}, ${other}})`)).toBe(problem)
})

test('an output is no Scalar', async () => {
  const problem = 'output y is a Scalar or ScalarList, which is for inputs: leave it out'
  expect(await errorOf(one + formats(1), one + formats(1) + '.Scalar()')).toBe(`operator Mine: ${problem}`)
})

const said = (key: string, value: string): string => `.ExtendCfgInfo("${key}", "${value}")`

test('the configuration of the device says which file a build compiles, and what the kernel is called', async () => {
  const parameters = [one + formats(1), one + formats(1)] as const
  const own = said('opFile.value', 'mine') + said('opInterface.value', 'mine')
  expect(await errorOf(...parameters, own)).toBe('')
  rmSync(join(folder, 'op_kernel'), { recursive: true })
  rmSync(join(folder, 'op_host'), { recursive: true })
  const lines = 'ExtendCfgInfo has a key or a value with a line end or another control character: leave it out'
  expect(await errorOf(...parameters, own + said('other', String.raw`1\nopFile.value=other`))).toBe(
    `operator Mine: ${lines}`,
  )
  const other = 'opInterface.value names the kernel `other`: call it `mine`, or leave that out'
  expect(await errorOf(...parameters, said('opInterface.value', 'other'))).toBe(other)
})

test.each([
  ['.InitValue(0)', ''],
  ['.InitValue(ScalarVar(ScalarType::FLOAT32, 3.0f))', ''],
  ['.InitValue(1)', 'InitValue(1) of y: a number can only be 0, give another value as a ScalarVar'],
  [
    '.InitValue(std::vector<ScalarVar>(2, ScalarVar(ScalarType::FLOAT32, 3.0f)))',
    'InitValue of y lists 2 values, DataType 1: give one for each',
  ],
  ['.InitValue(0).InitValue(0)', ''],
  ['.InitValue(0).InitValue(ScalarVar())', 'InitValue of y is given as a number and as a ScalarVar: leave one of them'],
  ['.InitValue(ScalarVar())', 'InitValue of y is of no type: give the ScalarVar one'],
])('an initial value is 0, a value or one for each type: %s', async (value, problem) => {
  const told = await errorOf(one + formats(1), one + formats(1) + value)
  expect(told).toBe(problem === '' ? '' : `operator Mine: ${problem}`)
})

test.each([
  ['', 'no device'],
  ['.AddConfig("ascend310p", config).AddConfig("Ascend910B")', 'ascend310p, Ascend910B alone'],
])('an operator that is configured for no known device is not built: %s', async (add, shown) => {
  const told = await errorOf(one + formats(1), one + formats(1), undefined, add)
  expect(told).toBe(
    `operator Mine is configured for ${shown}, so that a build makes no kernel: ` +
      'add AICore().AddConfig("ascend910b") or AICore().AddConfig("ascend910_93")',
  )
})

test('a file that the configuration names is compiled in place of that of the kernel', async () => {
  mkdirSync(join(folder, 'op_kernel'))
  writeFileSync(join(folder, 'op_kernel/other.cpp'), `${kernel}static_assert(false, "the other file");\n`)
  const config = said('opFile.value', 'other')
  expect(await errorOf(one + formats(1), one + formats(1), config)).toContain('the other file')
})

test.each(['src', 'lambda', 'options'])('an attribute has no name that a build has a meaning for: %s', async (name) => {
  const add = `.AddConfig("ascend910b", config);\n    Attr("${name}").AttrType(OPTIONAL).Float(1.0f)`
  const told = await errorOf(one + formats(1), one + formats(1), undefined, add)
  expect(told).toContain(`operator Mine: no attribute can be called ${name}, `)
})

/** What a definition says besides, at its end. */
const besides = async (statements: string, input = one + formats(1), output = one + formats(1)): Promise<string> =>
  await errorOf(input, output, undefined, `.AddConfig("ascend910b", config);\n    ${statements}`)

test.each([
  ['.Version(1)', '', 'input x has a Version, which only OPTIONAL ones can have: leave it out'],
  ['', '.Version(1)', 'output y has a Version: leave it out'],
  ['.AutoContiguous().IgnoreContiguous()', '', 'input x has AutoContiguous and IgnoreContiguous: leave one of them'],
  ['', '.ValueDepend(REQUIRED)', 'output y has ValueDepend, which is for inputs: leave it out'],
  ['.Scalar().ValueDepend(REQUIRED)', '', 'input x has ValueDepend and is a Scalar or ScalarList: leave one of them'],
  ['.OutputShapeDependOnCompute()', '', 'input x has OutputShapeDependOnCompute, which is for outputs: leave it out'],
])('what a build refuses of a parameter is refused: %s, %s', async (input, output, problem) => {
  expect(await besides('', one + formats(1) + input, one + formats(1) + output)).toBe(`operator Mine: ${problem}`)
})

test('a configuration says for itself whether an input is made contiguous', async () => {
  const parameter = one + formats(1)
  expect(await errorOf(parameter + '.AutoContiguous()', parameter, '.Input("x").IgnoreContiguous()')).toBe('')
  const told = await errorOf(parameter, parameter, '.Input("x").IgnoreContiguous().AutoContiguous()')
  expect(told).toBe('operator Mine: input x has AutoContiguous and IgnoreContiguous: leave one of them')
})

test.each([
  ['Attr("executor").Int();', 'attribute executor', 'executor', 'which has that name for itself'],
  ['Input("workspace_size");', 'input workspace_size', 'workspaceSize', 'which has that name for itself'],
  ['Input("out");', 'output y', 'out', 'as does input out'],
  ['Attr("x").Float();', 'attribute x', 'x', 'as does input x'],
  ['Attr("Int").Float();', 'attribute Int', 'int', 'which is a word of C++'],
  ['Attr("a-b").Float();', 'attribute a-b', 'a-b', 'which is no name in C++'],
  ['Output("z"); Input("y_out");', 'output y', 'yOut', 'as does input y_out'],
])('no two parameters of the generated function have one name: %s', async (statements, who, name, why) => {
  const all = statements.replaceAll(/(put\("\w+"\))/g, `$1${one}${formats(1)}`)
  const problem = `${who} becomes the parameter ${name} of the function that a build generates, ${why}`
  expect(await besides(all)).toBe(`operator Mine: ${problem}: choose another name`)
})

test.each([
  'Output("x");',
  'Output("x").Version(0).ParamType(OPTIONAL); Input("x").ParamType(OPTIONAL);',
  'Attr("x").AttrType(OPTIONAL).ListInt({1});',
  'Input("executor").ParamType(OPTIONAL).Version(1);',
  'Output("workspaceSize");',
  'Attr("and_eq").Int();',
])('what the generated function has under another name may have any: %s', async (statements) => {
  const all = statements.replaceAll(/(put\("\w+"\))/g, `$1${one}${formats(1)}`)
  expect(await besides(all)).not.toMatch(/a build generates|leave/)
})
