import { describe, expect, test } from 'vitest'
import {
  withoutVendorSyntax,
  coreOf,
  definedStructs,
  definesKernel,
  entryParameters,
  kindsOfTypes,
  kernelUnit,
  qualifiedKinds,
  templateEntry,
  templateNamespaces,
} from './entry.ts'

const kernel = `#include "kernel_operator.h"
// extern "C" __global__ __aicore__ void sqrt(GM_ADDR x) {}
__aicore__ inline float root(float v) { return sqrt(v); }
extern "C" __global__ __aicore__ void sqrt(GM_ADDR x, GM_ADDR y,
                                           GM_ADDR workspace, GM_ADDR tiling) { root(2.0f); }
`

const either = (condition: string, first: string, second: string) =>
  templateEntry(`${condition}\n${first}\n#else\n${second}\n#endif\n`, 'k')

const taken = (parameters: string) =>
  entryParameters(`extern "C" __global__ __aicore__ void scale(${parameters}) {}`, 'scale')?.count

describe('the entry of a kernel', () => {
  test('is its definition, not a declaration, a comment or another kernel', () => {
    expect(definesKernel(kernel, 'sqrt')).toBe(true)
    expect(definesKernel(kernel, 'sqr')).toBe(false)
    expect(definesKernel('extern "C" __global__ __aicore__ void sqrt(GM_ADDR x);\nvoid f() {}', 'sqrt')).toBe(false)
    expect(definesKernel('// __global__ __aicore__ void sqrt(GM_ADDR x) {}', 'sqrt')).toBe(false)
    expect(definesKernel('__global__ [aicore] void sqrt(GM_ADDR x) {}', 'sqrt')).toBe(true)
  })

  test('does not stand under a condition that never holds', () => {
    const defined = '__global__ __aicore__ void k(GM_ADDR x) {}\n'
    for (const off of [
      `#if 0\n${defined}#endif`,
      `%: if 0\n#if X\n#endif\n${defined}#endif`,
      `#if 1\n#else\n${defined}#endif`,
      `#ifdef __CCE_KT_TEST__\n${defined}#endif`,
    ])
      expect(definesKernel(off, 'k'), off).toBe(false)
    for (const on of [
      `#if 1\n${defined}#endif`,
      `#if 0\n#else\n${defined}#endif`,
      `#define A \\\n#if 0\n${defined}`,
      `#if X\n${defined}#endif`,
    ])
      expect(definesKernel(on, 'k'), on).toBe(true)
  })

  test('is renamed where it is defined and nowhere else', () => {
    const unit = kernelUnit({
      prelude: '#define DTYPE_X half',
      path: '/c/"odd" dir/sqrt.cpp',
      source: kernel,
      kernel: 'sqrt',
    })
    expect(unit).toContain('void npu_emu_kernel_sqrt(GM_ADDR x, GM_ADDR y,')
    expect(unit).toContain('return sqrt(v);')
    expect(unit).toContain('NPU_EMU_ENTRY(npu_emu_kernel_sqrt, npu_emu_task_types)')
    expect(unit).toContain(String.raw`#line 1 "/c/\"odd\" dir/sqrt.cpp"`)
  })

  test('is found where macros stand for its head', () => {
    for (const source of [
      '#define KERNEL extern "C" __global__ __aicore__\nstruct A {};\nKERNEL void scale(GM_ADDR x) {}',
      '#define ENTRY KERNEL\n#define KERNEL __global__ __aicore__ void\nstruct A {};\nENTRY scale(GM_ADDR x) {}',
    ]) {
      expect(definesKernel(source, 'scale')).toBe(true)
      expect(definesKernel(source, 'scal')).toBe(false)
      expect(entryParameters(source, 'scale')?.count).toBe(1)
      expect(kernelUnit({ prelude: '', path: '/k.cpp', source, kernel: 'scale' })).toContain(' npu_emu_kernel_scale(GM')
    }
    expect(definesKernel('#define KERNEL inline\nKERNEL void scale(GM_ADDR x) {}', 'scale')).toBe(false)
  })

  test('is not told how many addresses it takes where a macro may stand for several', () => {
    expect(taken('GM_ADDR, GM_ADDR y, __gm__ uint8_t* z')).toBe(3)
    for (const parameters of ['ARGS', 'GM_ADDR x, REST', 'void']) expect(taken(parameters)).toBeUndefined()
  })

  test('keeps its line numbers when vendor attributes are blanked', () => {
    const unit = kernelUnit({ prelude: '', path: '/k.cpp', source: 'a;\n[host, aicore] b;\n[aicore] c', kernel: 'k' })
    const lines = unit.split('\n')
    const first = lines.indexOf('#line 1 "/k.cpp"')
    expect(lines.slice(first + 1, first + 4)).toEqual(['a;', '               b;', '         c'])
  })

  test('drops the mark that says how the bytes of a file are ordered', () => {
    const unit = kernelUnit({
      prelude: '',
      path: '/k.cpp',
      source: '\ufeff#include "kernel_operator.h"\n',
      kernel: 'k',
    })
    expect(unit).toContain('#line 1 "/k.cpp"\n#include "kernel_operator.h"\n')
  })

  test('leaves out what host functions do that launch the kernel', () => {
    const source =
      'struct S { int i; };\nvoid go(uint32_t n, void* s) {\n  k<float, 4><<<n, nullptr,\n   s>>>(a, b);\n  if (n) { waitFor(s); }\n}\nint left() { return 1; }'
    const unit = kernelUnit({ prelude: '', path: '/k.cpp', source, kernel: 'k' })
    const lines = unit.split('\n')
    const first = lines.indexOf('#line 1 "/k.cpp"')
    expect(lines.slice(first + 1, first + 8).map((line) => line.trim())).toEqual([
      'struct S { int i; };',
      'void go(uint32_t n, void* s) {::npu_emu_host_code();',
      '',
      '',
      '',
      '}',
      'int left() { return 1; }',
    ])
  })

  test('leaves out launches where no function is to be seen', () => {
    const unit = kernelUnit({ prelude: '', path: '/k.cpp', source: '#define GO k<<<n, 0, s>>>(a)', kernel: 'k' })
    expect(unit).toContain('#define GO')
    expect(unit).not.toContain('<<<')
  })

  test('is the plain function where a template of the same name stands beside it', () => {
    const source =
      'template <uint32_t mode>\n__global__ __aicore__ void k(GM_ADDR x) {}\nextern "C" __global__ __aicore__ void k(GM_ADDR x) {}'
    const unit = kernelUnit({ prelude: '', path: '/k.cpp', source, kernel: 'k' })
    expect(templateEntry(source, 'k')).toBeNull()
    expect(unit).toContain('void npu_emu_kernel_k_template(GM_ADDR x)')
    expect(unit).toContain('extern "C" __global__ __aicore__ void npu_emu_kernel_k(GM_ADDR x)')
    expect(unit).toContain('NPU_EMU_ENTRY(npu_emu_kernel_k, npu_emu_task_types)')
  })

  test('is the template where the plain function is not for a device', () => {
    const plain = '#include "a.h"\nextern "C" __global__ __aicore__ void k(GM_ADDR x) {}'
    const template = 'template <typename T>\n__global__ __aicore__ void k(GM_ADDR x) {}'
    expect(either('#ifdef __CCE_KT_TEST__', plain, template)?.arity).toBe(1)
    expect(either('#ifdef __CCE_UT_TEST__', plain, template)?.arity).toBe(1)
    expect(either('#ifndef ASCENDC_CPU_DEBUG', template, plain)?.arity).toBe(1)
    expect(either('#ifdef __CCE_KT_TEST__', template, plain)).toBeNull()
    expect(either('#if MINE', plain, template)).toBeNull()
    expect(either('#if (__CCE_AICORE__ == 220)', plain, template)).toBeNull()
    expect(either('#if defined(__NPU_ARCH__) && (__NPU_ARCH__ == 3510)', plain, template)?.arity).toBe(1)
  })

  test('is a template with the parameters that it has on the device', () => {
    const heads = ['template <bool A, bool B>', 'template <bool A>', 'template <int A>']
    const entry = '#endif\n__global__ __aicore__ void k(GM_ADDR x) {}'
    const choose = (first: string, second: string) =>
      templateEntry(`#if ${first}\n${heads[0]}\n#elif ${second}\n${heads[1]}\n#else\n${heads[2]}\n${entry}`, 'k')
    const [bool, int] = ['static_cast<bool>(value<0>)', 'static_cast<int>(value<0>)']
    expect(choose('__NPU_ARCH__ == 2201', '__NPU_ARCH__ == 2201')?.templateArguments).toHaveLength(2)
    expect(choose('__NPU_ARCH__ != 2201', '(__CCE_AICORE__ == 220)')?.templateArguments).toEqual([bool])
    expect(choose('__NPU_ARCH__ == 3510', '__CCE_AICORE__ == 310')?.templateArguments).toEqual([int])
    expect(choose('__NPU_ARCH__ == 3510', 'MINE')?.templateArguments).not.toEqual([bool])
  })

  test('that is a template gets its arguments from the tiling key, each in the type of its parameter', () => {
    const source =
      'template <typename T, uint32_t MODE, bool ON = true>\n__global__ __aicore__ void k(GM_ADDR x, GM_ADDR y) {}'
    expect(templateEntry(source, 'k')).toEqual({
      templateArguments: [
        'typename npu_emu::tpl::TypeOf<value<0>>::type',
        'static_cast<uint32_t>(value<1>)',
        'static_cast<bool>(value<2>)',
      ],
      arity: 2,
    })
    expect(templateEntry('template <int A> struct S {};\n__global__ __aicore__ void k(GM_ADDR x) {}', 'k')).toBeNull()
    const unit = kernelUnit({ prelude: '', path: '/k.cpp', source, kernel: 'k' })
    expect(unit).toContain('NPU_EMU_TEMPLATE_ENTRY(2, npu_emu_task_types)')
    expect(unit).not.toContain('NPU_EMU_ENTRY(')
  })
})

/** What is left, with one blank for many. */
const plain = (source: string): string => withoutVendorSyntax(source).replace(/ +/g, ' ')

describe('the syntax of the vendor', () => {
  const launch = 'k<<<8, nullptr, stream>>>(x, y)'
  test.each([
    ['a comment above the kernel', `// ${launch}\n${kernel}`],
    ['a comment in the kernel', `__global__ __aicore__ void k(GM_ADDR x) { /* ${launch} */ f(); }`],
    ['a comment in a function of the host', `void go() {\n  // ${launch}\n  f();\n}`],
    ['a literal', `constexpr char mark[] = "${launch}"; void f() { g("${launch}", "[aicore]"); }`],
    [
      'a raw literal',
      `constexpr char mark[] = R"a(\n"${launch}\n)" [aicore] x)a";\nconstexpr auto other = u8R"(\n${launch})";`,
    ],
    ['a literal behind a number', `int a = 1'000; char c = '"'; f("${launch}");`],
    ['an argument', `constexpr int size = sizeof(STR(; ${launch})) + sizeof(STR(void f() { ${launch}; }));`],
    ['code of the device', `#define A 3\n__aicore__ inline void f(T a = {}) { ${launch}; }`],
    ['code of the device behind initial values', `struct S { __aicore__ S() : a{1}, b(2) { ${launch}; } };`],
    ['code of the device with its type behind it', `__aicore__ auto f() -> int { if (a) { ${launch}; } }`],
    ['code that calls an operator', 'void f() { operator<<<A<B<int>>>(x, y); a::operator<<<A<B<int>>>(x, y); }'],
    ['an index', 'void f() { g(factors[aicore], a<b>[aicore]); h(factors [aicore] + 1); }'],
    ['what a lambda captures', 'void f() { auto n = [aicore]() { return aicore; }; [aicore] { }(); }'],
    ['an index in a macro', '#define PICK factors[aicore]\n#define OF(a) [aicore] { }\nvoid f() { return [aicore]; }'],
  ])('stays in %s', (_, source) => {
    expect(withoutVendorSyntax(source)).toBe(source)
  })

  test('is an attribute where one can stand', () => {
    const source =
      '// [aicore]\n#define AICORE [aicore]\n#define ON_BOTH inline [host, aicore] \n#endif // a\n[aicore] void f();\n' +
      'template <class T>\n[aicore] T g();\nstruct S {\npublic:\n  [aicore] S();\n  inline [aicore] ~S(); __attribute__((cold)) [aicore] int h(); };\n' +
      'extern "C" __global__ [aicore] void k();'
    const [comment = '', ...lines] = withoutVendorSyntax(source).split('\n')
    expect(comment).toBe('// [aicore]')
    expect(lines.join('\n')).not.toContain('aicore]')
    expect(lines.join('\n').replace(/\s+/g, '')).toBe(
      source
        .replace(comment, '')
        .replace(/\[(?:host, )?aicore\]/g, '')
        .replace(/\s+/g, ''),
    )
  })

  const call = '::npu_emu_host_code()'

  test('leaves no more out than a launch under a condition, whose function may be one of the device', () => {
    const source = `FN void f() {\n#if 0\n  ${launch};\n#endif\n  g();\n}`
    expect(withoutVendorSyntax(source)).toBe(source.replace(launch, call.padEnd(launch.length)))
    const split = `FN void f() {\n#if 0\n}\nvoid h() { ${launch};\n#endif\n  g();\n}`
    expect(withoutVendorSyntax(split)).toBe(split.replace(launch, call.padEnd(launch.length)))
    const around = `#ifndef X\nvoid f() { ${launch}; g(); }\n#endif`
    expect(withoutVendorSyntax(around).replace(/ +/g, ' ')).toBe(`#ifndef X\nvoid f() {${call}; }\n#endif`)
  })

  test.each([
    ['of a function', `#define S(x) #x\nconstexpr int f() { return sizeof(S(${launch})); }`],
    [
      'of macros in each other',
      `#define S(x) T(x)\n#define T(x) #x\nconstexpr int f() { return sizeof(S(${launch})); }`,
    ],
    ['of any number', `#define S(...) #__VA_ARGS__\nconstexpr int f() { return sizeof(S(${launch})); }`],
    ['of another macro', `#define S(x) #x\n#define GO S(${launch})\nconstexpr int size = sizeof(GO);`],
    ['that nothing takes', `#define NONE(x)\nint f() { NONE(${launch}) return 1; }`],
  ])('stays in an argument %s that becomes a text', (_, source) => expect(withoutVendorSyntax(source)).toBe(source))

  test('is left out of functions where a macro launches what it also quotes', () => {
    const source = `#define CHECK(x) do { x; say(#x); } while (0)\nvoid f() { CHECK(${launch}); }`
    expect(withoutVendorSyntax(source).replace(/ +/g, ' ')).toBe(
      `#define CHECK(x) do { x; say(#x); } while (0)\nvoid f() {${call}; }`,
    )
  })

  test('is left out of functions that launch by a macro', () => {
    const source = `#define GO ${launch}\n#define RUN GO\nvoid f() { RUN; waitFor(s); }\nint left() { return 1; }`
    expect(withoutVendorSyntax(source).replace(/ +/g, ' ')).toBe(
      `#define GO ${call} \n#define RUN GO\nvoid f() {${call};}\nint left() { return 1; }`,
    )
  })

  test.each([
    [
      'braces of macros',
      `#define END }\n#define BEGIN {\nvoid f() { ${launch}; END int g() { return 1; } void h() BEGIN }`,
    ],
    ['braces as arguments', `#define NO(x)\nvoid f() { ${launch}; NO({) } int g() { return 1; } void h() { NO(}) }`],
    ['braces under conditions', `void f() { ${launch};\n#if 0\n{\n#endif\n} int g() { return 1; }\n#if 0\n}\n#endif\n`],
    ['a type that the body tells', `auto f() { ${launch}; int g() { return 1; } }`],
  ])('is left out alone where a body may end elsewhere, or is needed: %s', (_, source) => {
    expect(plain(source)).toBe(source.replace(launch, call.padEnd(launch.length)).replace(/ +/g, ' '))
  })

  test('is left out up to a brace of two characters', () => {
    const code = '%> int g() { return 1; } void h() <% }'
    expect(plain(`void f() { ${launch}; ${code}`)).toBe(`void f() {${call}; ${code}`)
  })

  test('leaves directives in the bodies of functions, which hold for what follows', () => {
    expect(plain(`void f() {\n#undef A\n#define A \\\n 2\n ${launch};\n #if A\n g();\n #endif\n}`)).toBe(
      `void f() {${call};\n#undef A\n#define A \\\n 2\n \n #if A\n \n #endif\n}`,
    )
  })

  test('stays in a function of the device whose head is a macro', () => {
    const source = `#define FN inline __aicore__\n#define IT FN\nIT void f() { ${launch}; }`
    expect(withoutVendorSyntax(source)).toBe(source)
  })

  test('stays in comments and literals that go on in the next line', () => {
    for (const source of [
      `// a \\\n${launch};\nvoid f() {}`,
      `/\\ \n/ ${launch};`,
      `/\\\n* ${launch}; *\\\n/`,
      `const char* a = "\\\n${launch}";`,
      `const char* a = R"(\\\n)\\\n" ${launch})";`,
      `#define A "a\\\nb" "${launch}"`,
    ])
      expect(withoutVendorSyntax(source)).toBe(source)
    // what is behind them is code
    const behind = `void f() { g("a\\\r\n"); ${launch}; } // b \\c\nint g() { return R"(\\\n)"[0]; }`
    expect(withoutVendorSyntax(behind)).not.toContain('<<<')
    expect(withoutVendorSyntax(behind)).toContain('int g() { return R"(\\\n)"[0]; }')
    expect(withoutVendorSyntax(`#define A "a\\\nb" ${launch} + 1`)).toMatch(
      /^#define A "a\\\nb" ::npu_emu_host_code\(\) +\+ 1$/,
    )
  })

  test('ends with the parenthesis that closes the arguments', () => {
    const blanked = withoutVendorSyntax(
      '#define GO k<<<8>>>(f(x), (y)) + (z)\n#define ON \\\n  k<<<8>>>(f( \\\n x)) \\\n (z)',
    )
    expect(blanked.replace(/ +/g, ' ')).toBe(`#define GO ${call} + (z)\n#define ON \\\n ${call}\\\n \\\n (z)`)
  })
})

test('a kernel is not renamed in what is no code', () => {
  const said = '// __global__ void k(\nconstexpr int n = sizeof("__global__ void k(");\n'
  const source = `${said}__global__ /* the; kernel */ void k(GM_ADDR x) {}`
  const unit = kernelUnit({ prelude: '', path: '/k.cpp', source, kernel: 'k' })
  expect(unit).toContain(`${said}__global__ /* the; kernel */ void npu_emu_kernel_k(GM_ADDR x) {}`)
})

test('template arguments are found in the namespaces where they are declared', () => {
  const key = 'ASCENDC_TPL_ARGS_DECL(K, );\nASCENDC_TPL_SEL();'
  expect(templateNamespaces([key, `namespace a { struct S {}; }\n${key}`])).toEqual([])
  expect(templateNamespaces([`namespace a::b {\nstruct S { int i; };\nnamespace c {\n${key} } }`])).toEqual(['a::b::c'])
  expect(templateNamespaces([`// namespace a {\nnamespace { ${key} }`])).toEqual([])
  const source = 'template <int A>\n__global__ __aicore__ void k(GM_ADDR x) {}'
  const unit = kernelUnit({ prelude: '', path: '/k.cpp', source, kernel: 'k', namespaces: ['a::b'] })
  expect(unit).toMatch(/\nnamespace a::b \{\} using namespace a::b;\nNPU_EMU_TEMPLATE_CHOICE/)
})

test('the core kinds are those of the types, else of the qualifier, else of the API in use', () => {
  const mixed = ['aiv', 'aic']
  const qualified = '__global__ __mix__(0, 1) __aicore__ void k(GM_ADDR x) { Mmad(c, a, b, params); }'
  expect(qualifiedKinds([qualified], 'k')).toEqual(['aiv'])
  expect(qualifiedKinds(['__global__ __aicore__ void k(GM_ADDR x) { Mmad(c, a, b, params); }'], 'k')).toEqual([])
  const declared = { declared: true, mayLackCube: false }
  expect(coreOf(['KERNEL_TYPE_AIC_ONLY'], ['aiv'], 'own')).toEqual({ kinds: ['aic'], ...declared })
  expect(coreOf([], ['aiv'], 'own')).toEqual({ kinds: ['aiv'], ...declared })
  expect(coreOf([], [], 'own')).toEqual({ kinds: mixed, declared: false, mayLackCube: false })
  expect(coreOf([], [], 'around')).toEqual({ kinds: mixed, declared: false, mayLackCube: true })
  expect(coreOf([], [], 'none')).toEqual({ kinds: ['aiv'], declared: false, mayLackCube: false })
})

test('the core kinds of declared types', () => {
  expect(kindsOfTypes(['KERNEL_TYPE_MIX_AIC_1_2'])).toEqual(['aiv', 'aic'])
  expect(kindsOfTypes(['KERNEL_TYPE_AIC_ONLY'])).toEqual(['aic'])
  expect(kindsOfTypes(['KERNEL_TYPE_AIC_ONLY', 'KERNEL_TYPE_AIV_ONLY'])).toEqual(['aiv', 'aic'])
  expect(kindsOfTypes(['KERNEL_TYPE_OF_NOTHING'])).toEqual([])
})

test('the structs that a kernel defines are known by name, those it only names are not', () => {
  const source =
    'class Ahead; namespace n { struct Plain {}; class Derived final : public Base<int> {\n}; } // struct Said {\nstruct Used* p;'
  expect(definedStructs([source, 'template <class T> struct Shape\n{', 'struct alignas(8) Even {'])).toEqual([
    'Plain',
    'Derived',
    'Shape',
    'Even',
  ])
})
