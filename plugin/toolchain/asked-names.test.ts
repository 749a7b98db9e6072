import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askingProblem, type AskedBuild } from './asked-names.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'npu-asked-'))
  mkdirSync(join(root, 'inc'))
  mkdirSync(join(root, 'made'))
  for (const name of ['mine.h', 'inc/given.h', 'made/unit.cpp']) writeFileSync(join(root, name), '')
})
afterAll(() => rmSync(root, { recursive: true }))

const asked = async (text: string, change: Partial<AskedBuild> = {}, options = ''): Promise<string | undefined> => {
  const build: AskedBuild = {
    kind: 'aiv',
    compiler: { family: 'clang', includeDirs: [] },
    predefined: new Set(['__clang__', '__PIC__', '__SSE2__', '__GNUC__', '__FLT_MAX__', '__GLIBC__', 'INT_MAX']),
    defined: new Set(['__AROUND__']),
    renamed: ['add_custom'],
    roots: [join(root, 'inc'), root].slice(1),
    includes: [join(root, 'inc')],
    searched: [],
    isOfLibrary: (name) => name === 'kernel_operator.h',
    isOfEmulator: (name) => name === 'ascendc/tensor.h' || name === 'mine.h',
    ...change,
  }
  const texts = [{ path: join(root, 'kernel.cpp'), text }, ...(options === '' ? [] : [{ text: options }])]
  const problem = await askingProblem(texts, build)
  return problem && `${problem.line ?? 0}: ${problem.message}`
}

const host = { kind: 'host', renamed: [] } as const

describe('a kernel', () => {
  test.each([
    '#ifdef DEBUG\n#endif\n#ifndef TILE_NUM\n#define TILE_NUM 8\n#endif\n#if TILE_NUM > 4 && defined(MINE)\n#endif',
    '#ifndef __MINE_H__\n#define __MINE_H__\n#endif\n#ifndef _ALSO_H_\n#define _ALSO_H_\n#endif',
    '#ifdef __CCE_KT_TEST__\n#elif __CCE_AICORE__ == 220 && __NPU_ARCH__ == 2201\n#endif\n#if defined(ASCENDC_CPU_DEBUG)\n#endif',
    '#if DETERMINISTIC_MODE\n#elif defined(__DAV_C220_VEC__) || defined(__DAV_C310__)\n#endif\n#ifdef __AROUND__\n#endif',
    '#if ORIG_DTYPE_X == DT_FLOAT && __cplusplus >= 201703L && INT_MAX > 0\n#endif\nfloat f = __FLT_MAX__ * __LINE__;',
    '#if defined(__has_include) && __has_include("mine.h") && __has_include(<given.h>) && !__has_include(<other.h>)\n#endif',
    '#if __has_include("kernel_operator.h") && __has_include(<cstdint>)\n#endif // __OPTIMIZE__\nconst char* s = "__FILE__";',
    '#include "kernel_operator.h"\n#include "mine.h"\n// #include "ascendc/tensor.h"',
    '#ifdef _WIN32\n#elif defined(_MSC_VER) || defined(__APPLE__) || defined(__CUDACC__) || __CUDA_ARCH__ > 0\n#endif',
    'printf("%s:%d %s", __FILE__, __LINE__, __func__); int __mine = __builtin_clz(1);',
    '#define JOIN_(a, b) a##b\n#define JOIN(a, b) JOIN_(a, b)\nint JOIN(x, __COUNTER__), JOIN(__mine, _y);',
  ])('asks for what both builds answer alike: %j', async (text) => {
    expect(await asked(text)).toBeUndefined()
  })

  test.each([
    ['\n#include "ascendc/tensor.h"', 2, 'ascendc/tensor.h is a header of the emulator'],
    ['#define TENSOR <ascendc/tensor.h>\n#include TENSOR', 1, 'ascendc/tensor.h is a header of the emulator'],
    [
      Array.from({ length: 300 }, (_, i) => `#if __has_include("no${i}.h")\n#endif`).join('\n'),
      401,
      'asks for more than 200 headers',
    ],
    ['\n#if __INCLUDE_LEVEL__ == 0\n#endif', 2, '__INCLUDE_LEVEL__'],
    ['\nint n = __builtin_ia32_tzcnt_u32(2u);', 2, '__builtin_ia32_tzcnt_u32 is for the host'],
    ['#define JOIN(a, b) a##b\nint n = JOIN(__builtin_ia, 32_tzcnt_u32)(2u);', 1, '__builtin_ia32_'],
    ['extern "C" void __tsan_read4(void*);', 1, 'a function cannot have the name of one that the compiler calls'],
    ['#define JOIN(a, b) a##b\nextern "C" void JOIN(__asan, _load4_noabort)(void*);', 1, '__asan_'],
    ['void load(void*) __asm("load4");', 1, 'assembly is not allowed'],
    ['#define JOIN(a, b) a##b\nvoid load(void*) JOIN(__, asm)("load4");', 1, '__asm'],
    ['\n#undef __builtin_constant_p', 2, '__builtin_constant_p is a name of the compiler'],
    ['#define __builtin_constant_p(n) 1', 1, '__builtin_constant_p is a name of the compiler'],
    ['#ifdef __OPT\\\nIMIZE__\n#endif', 1, '__OPTIMIZE__'],
    ['#if __has_feature(address_sanitizer)\n#endif', 1, '__has_feature'],
    ['#define ASKED defined(__bisheng__)\n\n#if ASKED\n#endif', 3, '__bisheng__'],
    ['#define A B\n#define B __unknown__\n#if A\n#endif', 3, '__unknown__'],
    ['int a = __SSE2__;', 1, '__SSE2__'],
    ['#ifndef __PIC__\n#define __PIC__ 1\n#endif', 2, '__PIC__'],
    ['#ifdef _STDIO_H\n#endif', 1, '_STDIO_H'],
    ['#ifdef ASCENDC_MODULE_OPERATOR_H\n#endif', 1, 'ASCENDC_MODULE_OPERATOR_H'],
    ['#define ASCENDC_MODULE_OPERATOR_H', 1, 'ASCENDC_MODULE_OPERATOR_H'],
    ['#ifdef WORKSPACE_PARAM_OFFSET\n#endif', 1, 'WORKSPACE_PARAM_OFFSET'],
    ['#if !defined(auto_gen_add_custom_kernel)\n#endif', 1, 'auto_gen_add_custom_kernel'],
    ['#ifdef add_custom\n#endif', 1, 'add_custom'],
    ['#define __PLUGIN__KERNEL_TASK_TYPE_DEFAULT_DEFINED__', 1, '__PLUGIN__'],
    ['#define J(a, b) a##b\n#if J(MI, NE)\n#endif', 2, 'pasted'],
    ['#define J(a, b) a##b\nint a = J(__SS, E2__);', 1, '__SSE2__'],
    ['#if __COUNTER__ == 0\n#endif', 1, '__COUNTER__'],
    ['int a = __COUNTER__ + 1;', 1, '__COUNTER__'],
    ['int a = __FILE__[1];', 1, '__FILE__'],
    ['\nbool is(const char* f) { return f[1]; }\nbool b = is(__func__);', 3, '__func__'],
    ['#define printf(f) ((f)[1])\nint a = printf(__FILE__);', 2, '__FILE__'],
    ['#if __has_include("../made/unit.cpp") || __has_include(<mine.h>)\n#endif', 1, 'unit.cpp'],
    ['#if __has_include(<mine.h>)\n#endif', 1, '<mine.h>'],
    ['#if __has_include("kernel_later.h")\n#endif', 1, 'kernel_later.h'],
    ['#if __has_include(<span>)\n#endif', 1, '<span>'],
    ['#define ASKED __has_include\n#if ASKED("mine.h")\n#endif', 1, '__has_include'],
    ['npu_emu::groupIndex();', 1, 'npu_emu'],
  ])('asks for what another build answers otherwise: %j', async (text, line, word) => {
    const searched = { searched: [root, join(root, 'made')], roots: [join(root, 'inc')] }
    const problem = await asked(text, /has_include/.test(text) ? searched : {})
    expect(problem).toContain(`${line}: `)
    expect(problem).toContain(word)
  })

  test('includes one header as often as it likes', async () => {
    const roots = Array<string>(200).fill(root)
    expect(await asked('#include "mine.h"\n'.repeat(10_000), { roots })).toBeUndefined()
  })

  test('has macros by compile options, whose words count with its own', async () => {
    expect(
      await asked('#if defined(ASCENDC_DUMP) && defined(__GIVEN__)\n#endif', {}, '#define __GIVEN__ 1'),
    ).toBeUndefined()
    expect(await asked('#if ASKED\n#endif', {}, '#define ASKED __OPTIMIZE__')).toContain('__OPTIMIZE__')
    expect(await asked('namespace mine = EMU;', {}, '#define EMU npu_emu')).toContain('npu_emu')
    const halves = '#define FIRST npu_\n#define SECOND emu'
    expect(await asked('#define J(a, b) a##b', {}, halves)).toContain('npu_emu')
  })
})

describe('a host part', () => {
  test('asks for the system, for what both compilers define, and tells its functions by name', async () => {
    const text = '#if defined(__GNUC__) && defined(__linux__) && defined(OP_TILING_LIB)\n#endif\nauto f = __func__;'
    expect(await asked(text, host)).toBeUndefined()
    const shared =
      '#ifndef __CCE_AICORE__\n#endif\n#if defined(__CCE_KT_TEST__) || defined(__DAV_C220_VEC__) || defined(_WIN32)\n#endif'
    expect(await asked(shared, host)).toBeUndefined()
    expect(await asked('#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif', host)).toBeUndefined()
    const log =
      '#define LOG(f, ...) std::printf("%s: " f, __FILE__, ##__VA_ARGS__)\nvoid f() { std::cerr << __FILE__ << 1; }'
    expect(await asked(log, host)).toBeUndefined()
  })

  test.each([
    ['#ifdef __clang__\n#endif', '__clang__'],
    ['#if __GNUC__ > 4\n#endif', '__GNUC__'],
    ['#ifdef _FORTIFY_SOURCE\n#endif', '_FORTIFY_SOURCE'],
    ['#if _GLIBCXX_USE_CXX11_ABI\n#endif', '_GLIBCXX_USE_CXX11_ABI'],
    ['#ifdef OP_PROTO_LIB\n#endif', 'OP_PROTO_LIB'],
    ['bool b = __PRETTY_FUNCTION__[5];', '__PRETTY_FUNCTION__'],
    ['#include <R"x(>\nint a = __clang__; // )x">', 'header'],
  ])('does not ask how it is compiled: %j', async (text, word) => {
    expect(await asked(text, host)).toContain(word)
  })
})
