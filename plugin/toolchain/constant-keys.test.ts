import { expect, test } from 'vitest'
import { takesConstantKey } from './constant-keys.ts'

const key = '(g_tilingKey == (1))'

test.each([
  `if constexpr ${key} {}`,
  `if constexpr (A || ${key}) {} else {}`,
  'run<g_tilingKey>();',
  `Kernel<half, 2,\n${key}> op;`,
  `static_assert(${key}, "");`,
  `constexpr bool isOne = ${key};`,
  `constexpr bool IsOne() {\nif (true) { return ${key}; } }`,
  'int sizes[g_tilingKey];',
  'const uint64_t key = g_tilingKey;',
  `const bool isOne = ${key};`,
  'int32_t mode{g_tilingKey};',
  'if (isNull(g_tilingKey)) {}',
  `if (noexcept(a || ${key})) {}`,
  'if (sizeof("g_tilingKey()") == 7) {}',
  'x = g_tilingKey == 1 ? 2 : 3;',
  `if (Of<1, ${key}>::value) {}`,
  `if (A<g_tilingKey == (1)>::value) {}`,
  `if (std::is_same<T, half>::value && f(${key})) {}`,
  'switch (x) { case g_tilingKey: break; }',
  'enum E { A = g_tilingKey };',
  `using Type = std::conditional_t<${key}, float, half>;`,
])('%s takes the key for a constant', (text) => {
  expect(takesConstantKey(`void k() { ${text} }`)).toBe(true)
})

test.each([
  `if ${key} {}`,
  `if constexpr (std::is_same<T, half>::value) { if ${key} {} } else if ${key} { op<half>(); }`,
  `template <typename T> void f() { T x = T(); if ${key} { g<T>(x); } }`,
  `if (a[0] > 1 || ${key}) {}`,
  `if ((${key} && a) || !${key}) {} else if ((g_tilingKey >= 100UL)) {}`,
  `x = a << 2; y = z; if ${key} {}`,
  `${key};\n${key};`,
  `while (g_tilingKey != (NAME)) {}`,
  `constexpr int n = 2; if ${key} {}`,
  `constexpr int f() { return 1; } void g() { if ${key} {} }`,
  '',
])('%s takes it as it comes', (text) => {
  expect(takesConstantKey(`void k() { ${text} }`)).toBe(false)
})
