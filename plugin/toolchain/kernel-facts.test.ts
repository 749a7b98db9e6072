import { expect, test } from 'vitest'
import { FactsError, factsIn, noFacts, withoutType, type KernelFacts, type Places } from './kernel-facts.ts'

const places: Places = {
  isOwn: (file) => file.startsWith('/c/'),
  isOfKernel: (file) => file.startsWith('/c/op_kernel/'),
  shown: (line) => line.replace('/c/', '/npu/candidate/'),
}

/** What is read of a kernel; its first line is the second of the file. */
const factsOf = (text: string): KernelFacts =>
  factsIn(`# 1 "/c/op_kernel/k.cpp"\nvoid k(GM_ADDR x) {\n${text}\n}`, 'k', places)

/** The error, and where it is. */
function errorOf(text: string): string {
  try {
    factsOf(text)
    return ''
  } catch (error) {
    if (!(error instanceof FactsError)) throw error
    return `${error.place?.file ?? ''}:${error.place?.line ?? ''}: ${error.message}`
  }
}

test('keys are numbers in what the preprocessor has made', () => {
  const text = `if ((g_tilingKey == (1)) || (g_tilingKey == (2UL)) || (g_tilingKey == (1))) {}
if ((g_tilingKey == (18446744073709551615UL) || g_tilingKey == (010))) {}
if ((g_tilingKey == (NAME)) || (g_tilingKey == (-1)) || (g_tilingKey == (3 + 4)) || g_tilingKey == 5) {}`
  expect(factsOf(text)).toEqual({ ...noFacts, tilingKeys: ['1', '2', '18446744073709551615', '10', '3'] })
})

test('a line that g++ splits, to tell which macros are of the library, is one', () => {
  const parts = ['if (', '      (', '      g_tilingKey', '      == (', '      3', '      ))', '{}']
  const text = parts.join('\n# 2 "/c/op_kernel/k.cpp" 3 4\n')
  expect(factsOf(text).tilingKeys).toEqual(['3'])
  expect(errorOf(`${text}\n${typed('default', 'KIND')}`)).toContain('/c/op_kernel/k.cpp:3: ')
})

const typed = (key: string, type: string): string => `auto __enable_feature_for_compile_${key} = ${type};`

test('types and the struct of tiling data: the last type of a key counts', () => {
  const text = [
    typed('default', 'KERNEL_TYPE_AIC_ONLY'),
    typed('default', 'KERNEL_TYPE_MIX_AIC_1_2'),
    typed('default', 'KERNEL_TYPE_AICORE'),
    typed('7UL', 'KERNEL_TYPE_AIC_ONLY'),
    typed('7', 'KERNEL_TYPE_AIV_ONLY'),
    typed('deterministic', '1'),
    'auto __enable_custom_tiling optiling::Data = default;',
    'auto __enable_custom_tiling Other = "TILING_KEY_VAR == 7";',
  ]
  expect(factsOf(text.join('\n'))).toEqual({
    ...noFacts,
    taskTypes: [{ type: 'KERNEL_TYPE_MIX_AIC_1_2' }, { key: '7', type: 'KERNEL_TYPE_AIV_ONLY' }],
    tilingStruct: 'optiling::Data',
    structsOfKeys: [{ struct: 'Other', condition: 'TILING_KEY_VAR == 7' }],
  })
})

test.each(['defined(__x86_64__)', 'TILING_KEY_VAR == KEY', 'TILING_KEY_VAR == 7 /*', '#', '7a', ''])(
  'a tiling struct cannot go by %s',
  (condition) => {
    const text = `auto __enable_custom_tiling A = default;\nauto __enable_custom_tiling Other = "${condition}";`
    expect(errorOf(text)).toContain('asks for something else than TILING_KEY_VAR and numbers')
  },
)

const key = (...keys: number[]): string => `if (${keys.map((each) => `g_tilingKey == (${each})`).join(' || ')}) {}`

test.each([
  [`${typed('default', 'KERNEL_TYPE_AIC_ONLY')} ${typed('7', 'KERNEL_TYPE_AIV_ONLY')}`, 'one kernel type of a line'],
  [`${key(1)}\nauto __enable_feature_for_compile_7 = KERNEL_TYPE_AIV_ONLY\n;`, '/c/op_kernel/k.cpp:3: .*does not read'],
  [typed('0x7', 'KERNEL_TYPE_AIV_ONLY'), 'decimal number'],
  [typed('7', 'KERNEL_TYPE_AICORE'), 'another device alone'],
  [typed('default', 'KIND'), '`KIND` is no kernel type'],
  ['auto __enable_custom_tiling A = default ;', 'match expression is wrong'],
  [
    'auto __enable_custom_tiling A = default;\nauto __enable_custom_tiling B = default;',
    'only one default tiling struct',
  ],
  ['auto __enable_custom_tiling A = default; auto __enable_custom_tiling A = default;', 'one tiling struct of a line'],
  ['auto __enable_custom_tiling A = "1";', 'add REGISTER_TILING_DEFAULT'],
  [`${key(1, 2)} "TILING_KEY_LIST"`, 'KERNEL_TYPE_MIX_AIC_1_1 or KERNEL_TYPE_MIX_AIC_1_2'],
  [`if (g_tilingKey == (${'1'.repeat(21)})) {}`, 'more than 20 digits'],
  [`auto __enable_feature_for_compile_${'1'.repeat(21)} = KERNEL_TYPE_AIV_ONLY;`, 'more than 20 digits'],
  [`${key(1)} "TILING_KEY_LIST"`, 'takes two tiling keys'],
  [`${key(2)}\n${key(1, 2)} "TILING_KEY_LIST"`, 'asked for alone'],
  ['@@ASCENDC_TPL_LISTS@@ = {1}\n@@ASCENDC_TPL_LISTS@@ = {1, 2}', 'the first ASCENDC_TPL_SEL'],
  ['@@ASCENDC_TPL_ARGS_DECL_A@@ = {1}\n@@ASCENDC_TPL_ARGS_DECL_A@@ = {2}', 'the first ASCENDC_TPL_ARGS_DECL'],
  [`# 3 "/c/op_kernel/gnu/bits/x.h"\n${key(7)}`, '/c/op_kernel/gnu/bits/x.h:3: .*gnu/bits'],
  [`#pragma bisheng_compiler\n${key(7)}`, '/c/op_kernel/k.cpp:3: .*bisheng_compiler'],
  ['const char *name = "AscendC::KfcServer";', 'declare its type'],
])('what is lost in the build of the vendor, or an error there, is one here: %s', (text, message) => {
  expect(errorOf(text)).toMatch(new RegExp(message))
})

test('two keys of one kernel for both kinds of cores', () => {
  const list = `${typed('default', 'KERNEL_TYPE_MIX_AIC_1_2')}\n${key(1, 2)} "TILING_KEY_LIST"`
  expect(factsOf(`${list}\n${list}`).tilingKeys).toEqual(['1', '2'])
  expect(factsOf(`${key(1)}\n${list}`).tilingKeys).toEqual(['1'])
})

test('lines of the compiler and of headers around say nothing, and those of the next file do', () => {
  expect(factsOf(`# 1 "/usr/gnu/bits/x.h"\n${key(7)}\n# 4 "/c/op_kernel/k.cpp" 2\n${key(8)}`).tilingKeys).toEqual(['8'])
})

test('the name of the kernel stands before its parameters in one line', () => {
  expect(() => factsIn('# 1 "/c/op_kernel/k.cpp"\nvoid k\n(GM_ADDR x) {}', 'k', places)).toThrow('kernel entry `k`')
})

test('the choices of a template', () => {
  const selected =
    '@@ASCENDC_TPL_LISTS@@ = {@@{@@ASCENDC_TPL_KERNEL_TYPE_SEL@@ = {7}, @@ASCENDC_TPL_TILING_STRUCT_SEL_n::Plain@@ = {}}}'
  expect(factsOf(`auto __enable_custom_tiling A = default;\n${selected}\n${selected}`)).toEqual({
    ...noFacts,
    selectedTypes: ['KERNEL_TYPE_MIX_AIC_1_2'],
    tilingStruct: 'A',
    structsOfKeys: [{ struct: 'n::Plain', condition: null }],
  })
  const conditional = 'auto __enable_custom_tiling A = default;\nauto __enable_custom_tiling B = "TILING_KEY_VAR == 7";'
  const declared = '@@ASCENDC_TPL_ARGS_DECL_Op@@ = {}'
  expect(factsOf(conditional).structsOfKeys).toHaveLength(1)
  expect(factsOf(`${conditional}\n${declared}\n${selected}`).structsOfKeys).toEqual([
    { struct: 'n::Plain', condition: null },
  ])
  const shared = '@@ASCENDC_TPL_ARGS_DECL_Op@@ = {@@ASCENDC_TPL_SHARED_KERNEL_TYPE_DECL_T@@ = {0, 6}}'
  expect(factsOf(shared).selectedTypes).toEqual(['KERNEL_TYPE_AIV_ONLY', 'KERNEL_TYPE_MIX_AIC_1_1'])
})

test('who names the API of cube cores', () => {
  expect(factsOf('Mmad(c, a, b, params);').cube).toBe('own')
  expect(factsOf('# 1 "/c/common/x.h"\nMmad(c, a, b, params);').cube).toBe('around')
  expect(factsOf('# 1 "/usr/x.h"\nMmad(c, a, b, params);').cube).toBe('none')
  expect(factsOf('Add(z, x, y, n);').cube).toBe('none')
})

test('a kernel with a server that declares its type, or uses cubes, is what it says', () => {
  const server = 'AscendC::KfcServer server;'
  expect(factsOf(`${typed('default', 'KERNEL_TYPE_AIV_ONLY')}\n${server}`).taskTypes).toHaveLength(1)
  expect(factsOf(`${server}\nMmad(c, a, b, params);`).cube).toBe('own')
})

test('types of single keys are enough where all keys have one', () => {
  const facts = { ...noFacts, taskTypes: [{ key: '7', type: 'KERNEL_TYPE_AIV_ONLY' }] }
  expect(withoutType(facts, ['7'])).toBeUndefined()
  expect(withoutType(facts, ['7', '8'])).toContain('must provide default kernel type')
  expect(
    withoutType({ ...facts, taskTypes: [...facts.taskTypes, { type: 'KERNEL_TYPE_AIV_ONLY' }] }, ['8']),
  ).toBeUndefined()
  expect(withoutType(noFacts, ['8'])).toBeUndefined()
})
