import { describe, expect, test } from 'vitest'
import { isOnBothSides } from './function-heads.ts'
import { macrosOfHeads } from './macros.ts'
import { partsOfName } from './mangled.ts'

const none = macrosOfHeads([])
const onBothSides = (mangled: string, text: string, line = text.split('\n').length): boolean =>
  isOnBothSides(mangled, text.split('\n'), line, none)

test.each([
  ['_Z4workii', 'name', 'work'],
  ['_ZN1PplERKS_', 'operator', ''],
  ['_Zmi1PS_', 'operator', ''],
  ['_ZNK3OwncviEv', 'operator', ''],
  ['_ZN1QIfEC2Ef', 'constructor', 'Q'],
  ['_ZN1QIfED2Ev', 'destructor', 'Q'],
  ['_ZZ6kerneliEN3Loc3getEv', 'name', 'get'],
  ['_ZZ6kerneliEN3LocC2Ev', 'constructor', 'Loc'],
  ['_ZN5outer5innerIN1P1QEE4workEv', 'name', 'work'],
  ['_ZL4workv', 'name', 'work'],
])('%s ends with the %s %s', (mangled, kind, name) => {
  expect(partsOfName(mangled)).toEqual({ kind, name })
})

test.each(['_ZZ4workvENKUlvE_clEv', '_ZZ4workvENUlvE_4_FUNEv', '_ZN1BCI21AEi', '_Z', '$'])('%s has none', (mangled) => {
  expect(partsOfName(mangled)).toBeNull()
})

describe('is of the host', () => {
  test.each([
    ['_Z4worki', 'inline int work(int a) { return a; }'],
    ['_Z4worki', 'int (work)(int a) { return a; }'],
    ['_Z4worki', 'int work [[maybe_unused]] (int a) { return a; }'],
    ['_Z4worki', 'int work __attribute__((unused)) (int a) { return a; }'],
    ['_Z4worki', 'int\nwork(\n    int a)\n{'],
    ['_Z4worki', 'int work(int aicore) { return aicore; }'],
    ['_Z4worki', 'int work(int a) { constexpr int b = 1; return a + b; }'],
    ['_Z4worki', 'constexpr int other(int a) { return a; } int work(int a) { return a; }'],
    ['_Z4worki', 'constexpr int work(char a) { return a; } int work(int a) { return a; }'],
    [
      '_ZN1PplERKS_',
      'struct P { int a; constexpr P(int x) : a(x) {} P operator+(const P &o) const { return P(a); } };',
    ],
    ['_ZNK3OwncviEv', 'struct Own {\n  operator int() const { return 1; }'],
    ['_ZN1PC2Ei', 'struct P { int a; P(int x) : a(x) {} };'],
    ['_ZN1PC2Ei', 'struct P {\n  explicit P(int x) : a(x) { constexpr int b = 1; }'],
    ['_ZN1PD2Ev', '};\n~P() { a = 1; }'],
    ['_ZZ1kiEN3Loc3getEv', 'struct Loc { int q; int get() { return q; } };'],
    ['_Z4workIiET_S0_', 'template <typename T = float>\nT work(T a) { return a; }'],
    ['_Z4worki', `inline int work(int a)${'\n'.repeat(20)}{ return a; }`],
    ['_Z4worki', `inline int work(int a)${' '.repeat(5000)}{ return a; }`],
    ['_Z4worki', `inline int work${' '.repeat(5000)}(int a) { return a; }`],
    ['_Z4worki', 'constexpr int other(int a) <% return a; %> inline int work(int a) <%'],
    ['_Z4worki', 'int (own::work)(int a) { return a; }'],
    ['_Z4worki', 'int work(Own a = {},\n  int b = f({}))\n{'],
    ['_ZN1PC2Ei', 'P(int x)\n : a{x}, b{x}\n{'],
    ['_ZN1QIfEC2ERKS0_', 'template <class T>\nQ<T>::Q(const Q &o) : a(o.a) {'],
    ['_Z4worki', 'int other(int a) { return a; }'],
  ])('%s: %s', (mangled, text) => {
    expect(onBothSides(mangled, text)).toBe(false)
  })
})

describe('is on both sides', () => {
  test.each([
    ['_Z4worki', 'constexpr int work(int a) { return a; }'],
    ['_Z4worki', 'static inline constexpr int (work)(int a) { return a; }'],
    ['_Z4worki', 'template <>\nint work<float>(int a)\n{'],
    ['_Z4worki', 'constexpr int\nwork(\n    int a)\n{'],
    [
      '_Z4workii',
      'constexpr int other(int a) { return a - 1; } constexpr int work(int a, int b = (3 - 1)) { return a; }',
    ],
    [
      '_Z4workIiET_S0_',
      'template <typename T, int N = 3, typename = Other<T, 1>>\nconstexpr T work(T a) { return work(a - 1); }',
    ],
    ['_ZN1PC2ERKS_', 'struct P { int a; Other o; P() {} };'],
    ['_ZN1PC2ERKS_', 'class P : public Q {'],
    ['_ZN1PD2Ev', 'class\nP : public Q {'],
    ['_Z4worki', `constexpr${'\n'.repeat(20)}int work(int a) { return a; }`],
    ['_Z4worki', 'constexpr int work(Own a = {},\n  int b = f({}))\n{'],
    ['_Z4worki', 'constexpr int (own::work)(int a) { return a; }'],
    ['_ZN1PC2Ei', 'constexpr P(int x)\n : a{x}, b{x}\n{'],
    ['_Z4worki', 'EAT(work() work()) constexpr int work(int a) { return a; }'],
    ['_ZN1PC2Ev', 'struct Q {\n};\n  P() = default;'],
    ['_ZN1PD2Ev', 'struct P { int a; Other o; };'],
    ['_ZN1PaSERKS_', 'struct P { int a; Other o; };'],
    ['_ZN1PplERKS_', 'struct P {\n  constexpr P operator+(const P &o) const { return P(a); }'],
    ['_ZZ4workvENKUlvE_clEv', 'auto f = [] { return 1; };'],
  ])('%s: %s', (mangled, text) => {
    expect(onBothSides(mangled, text)).toBe(true)
  })
})

test('macros are what they stand for', () => {
  const macros = macrosOfHeads([
    '#define BOTH static constexpr\n#define MORE BOTH\n#define HEAD(name) inline int name(int a)\n#define FIXED(name) MORE int name(int a)\n',
  ])
  const judged = (text: string): boolean => isOnBothSides('_Z4worki', [text], 1, macros)
  expect(judged('BOTH int work(int a) { return a; }')).toBe(true)
  expect(judged('MORE int work(int a) { return a; }')).toBe(true)
  expect(judged('FIXED(work) { return a; }')).toBe(true)
  expect(judged('HEAD(work) { return a; }')).toBe(false)
  expect(judged('HEAD(wo##rk) { return a; }')).toBe(false)
})

/** Each place of a name is looked at once, whatever stands around it, and however many functions have it. */
test.each([
  ['brackets', '(', ')', 'constexpr int work(int x) {\n'],
  ['calls', 'work(', ')', 'constexpr int work(int x) {\n'],
  ['names', 'work() ', '', 'constexpr int work(int x) {\n'],
  ['templates', 'work<', '>', 'constexpr int work(int x) {\n'],
  ['values', 'work({', '})', 'constexpr int work(int x) {\n'],
  ['classes', 'struct work ', '', '{} constexpr int work(int x) {\n'],
  ['constants', '=default ', '', '; constexpr int work(int x) {\n'],
  ['macros', 'BOTH ', '', '; constexpr int work(int x) {\n'],
  ['braces', '{', '}', 'constexpr int work(int x) {\n'],
])('long heads of %s', { timeout: 60_000 }, (_, open, close, head) => {
  const macros = macrosOfHeads(['#define BOTH constexpr\n'])
  const many = 200_000
  const lines = `${open.repeat(many)}${close.repeat(many)};\n${head}`.split('\n')
  for (let index = 0; index < 20_000; index++) {
    isOnBothSides('_Z4worki', lines, 1, macros)
    expect(isOnBothSides(`_Z4workILi${index}EEii`, lines, 2, macros)).toBe(true)
  }
})
