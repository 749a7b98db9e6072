import { expect, test } from 'vitest'
import { specialisationInClass } from './class-specialisations.ts'
import { specialisingMacros } from './macros.ts'

test.each([
  ['struct A {\n  template <int N> void f();\n  template <> void f<1>() {}\n};', 3],
  [
    'template <class T>\nclass alignas(8) A : public B<T> {\n public:\n  struct C { int x; };\n  template <> struct D<1> {};\n};',
    5,
  ],
  ['struct A {\n  template<\\\n> void f<1>(); };', 2],
  ['struct A {\n  tem\\\nplate \\ \n < \\\n> void f<1>(); };\nint a;', 2],
  ['int \\\na;\n%: define B \\\n {\nstruct A {\n  template<> void f<1>(); };', 6],
  ['#define SPECIAL \\\n  template<>\n#define MORE SPECIAL\nstruct A {\n  MORE void f<1>(); };', 5],
  ['namespace n {\nstruct A { template<\n> void f<1>(); };\n}', 2],
])('finds one in a class: %s', (text, line) => {
  expect(specialisationInClass(text, specialisingMacros([text]))).toBe(line)
})

test.each([
  '#define SPECIAL template<>\nstruct A {\n  int SPECIALS; };\nSPECIAL void A::f<1>() {}',
  'struct A {\n  template <int N> void f();\n};\ntemplate <> void A::f<1>() {}',
  'namespace n {\ntemplate <> struct A<1> {};\n}',
  'struct A { int x; } a = {1};\ntemplate <> int f<1>() { return 1; }',
  'template <class T> struct A { template <class U> struct B; template <class U> struct B<U*> {}; };',
  '// struct A {\nconst char* text = "struct A {";\ntemplate <> int f<1>();',
  'enum class E { A };\ntemplate <> int f<1>();',
  'struct A f(struct B* b) {\n  return {};\n}\ntemplate <> int f<1>();',
  '#define OPEN struct A {\n#if X\nstruct A {\n#else\nstruct B {\n#endif\ntemplate <> int f<1>();\n};',
])('finds none elsewhere: %s', (text) => {
  expect(specialisationInClass(text, specialisingMacros([text]))).toBeUndefined()
})

test('reads long texts in a moment', () => {
  const begun = performance.now()
  for (const text of [
    '{'.repeat(1 << 20),
    '<('.repeat(1 << 19),
    'struct '.repeat(1 << 17),
    'alignas('.repeat(1 << 17) + '{',
    'struct A {' + 'template <'.repeat(1 << 17),
    'struct A {' + 'template \\\n'.repeat(1 << 17),
  ])
    specialisationInClass(text)
  expect(performance.now() - begun).toBeLessThan(5000)
})
