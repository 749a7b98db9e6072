import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { candidateHeaders } from './candidate-headers.ts'
import { forwardedPaths } from './forwarding-headers.ts'
import { expandedInPlace, writtenOut } from './instruction-macros.ts'

const includeFolder = fileURLToPath(new URL('../emulator/include', import.meta.url))
const written = readdirSync(includeFolder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.h'))
  .map((path) => ({ name: `include/${path}`, text: readFileSync(join(includeFolder, path), 'utf8') }))
const provided = new Map(candidateHeaders(written).map(({ name, text }) => [name, text]))

test('a path has one header, written or forwarding', () => {
  const forwarded = forwardedPaths().map(([path]) => `include/${path}`)
  const names = [...written.map(({ name }) => name), ...forwarded]
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
  expect([...provided.keys()]).toEqual(names)
  expect(forwarded.filter((name) => /[^\w./]/.test(name))).toEqual([])
})

test('headers forward to written ones', () => {
  const names = new Set(written.map(({ name }) => name))
  expect(forwardedPaths().filter(([, header]) => !names.has(`include/${header}`))).toEqual([])
})

const codeOf = (text: string): string => text.replace(/\/\/.*|#pragma once/g, '').trim()

test('no written header only forwards: the table has those', () => {
  expect(written.filter(({ text }) => /^#include "[^"]+"$/.test(codeOf(text))).map(({ name }) => name)).toEqual([])
})

test.each([
  ['kernel_tpipe.h', 'kernel_operator.h'],
  ['lib/math/xor.h', 'kernel_operator.h'],
  ['adv_api/activation/softmax.h', 'kernel_operator.h'],
  ['adv_api/quantization/kernel_operator_ascend_quant_intf.h', 'kernel_operator.h'],
  ['lib/sigmoid/kernel_operator_sigmoid_intf.h', 'kernel_operator.h'],
  ['lib/softmax/softmaxflashv2.h', 'kernel_operator.h'],
  ['lib/math/geglu_tiling.h', 'tiling/activation_tiling.h'],
  ['lib/matmul/matmul_intf.h', 'lib/matmul_intf.h'],
  ['lib/math/tanh_tiling_intf.h', 'tiling/math_tiling.h'],
  ['adv_api/pad/pad_tilingdata.h', 'tiling/rearrange_tiling.h'],
  ['tiling/matrix/bmm_tiling.h', 'tiling/matmul_tiling.h'],
  ['runtime/tiling_context.h', 'exe_graph/runtime/tiling_context.h'],
  ['infershape_reduce_util.h', 'op_common/op_host/infershape_reduce_util.h'],
  ['op_host/util/fp16.h', 'op_common/op_host/util/fp16.h'],
])('%s is %s', (path, header) => {
  expect(provided.get(`include/${path}`)).toBe(`#pragma once\n\n#include "${header}"\n`)
})

test.each([
  'lib/math/sincos.h',
  'adv_api/hccl/hccl.h',
  'lib/quantization/quantize.h',
  'lib/kernel_api.h',
  'lib/sigmoid/tanh.h',
])('there is no %s: a program learns by the include that the functions are missing', (path) => {
  expect(provided.has(`include/${path}`)).toBe(false)
})

test('paths of later toolkits are not there for an earlier one', () => {
  const earlier = new Set(candidateHeaders(written, '8.3').map(({ name }) => name.slice('include/'.length)))
  const later = [...provided.keys()].map((name) => name.slice('include/'.length)).filter((path) => !earlier.has(path))
  expect(later).toContain('adv_api/math/tanh.h')
  expect([...earlier]).toContain('lib/math/tanh.h')
  expect([...earlier].filter((path) => path.startsWith('adv_api'))).toEqual([])
  expect(later.filter((path) => !path.startsWith('adv_api/')).toSorted()).toEqual([
    'basic_api/kernel_basic_intf.h',
    'basic_api/kernel_cube_intf.h',
    'basic_api/kernel_vec_intf.h',
    'kernel_basic_intf.h',
    'kernel_cube_intf.h',
    'kernel_vec_intf.h',
    'utils/debug/asc_assert.h',
    'utils/debug/asc_printf.h',
  ])
})

const family = `// Overloads.
#define NPU_EMU_DECLARE_PAIR(name, Count)                   \\
  template <typename T>                                     \\
  inline void name(const LocalTensor<T>& dst, Count n) {    \\
    static_assert(isa::name::has<T>, #name " cannot name"); \\
  }                                                         \\
  inline void name(Count) {}

// api: Add | V | isa | documented
NPU_EMU_DECLARE_PAIR(Add, const int32_t&)

#undef NPU_EMU_DECLARE_PAIR

}  // namespace AscendC
`

test('candidates get the overloads of an instruction as if they had been written out', () => {
  expect(writtenOut(family)).toBe(`
// api: Add | V | isa | documented
template <typename T>
inline void Add(const LocalTensor<T>& dst, const int32_t& n) {
  static_assert(isa::Add::has<T>, "Add cannot name");
}
inline void Add(const int32_t&) {}

}  // namespace AscendC
`)
  expect([...provided.values()].filter((text) => text.includes('NPU_EMU_DECLARE_'))).toEqual([])
  expect(provided.get('include/ascendc/vector_unary.h')).toContain(
    'inline void Abs(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count) {',
  )
})

test('in place, every line keeps its number', () => {
  const expanded = expandedInPlace(family).split('\n')
  expect(expanded).toHaveLength(family.split('\n').length)
  expect(expanded[9]).toMatch(/^template <typename T> inline void Add\(.*\} inline void Add\(const int32_t&\) \{\}$/)
})
