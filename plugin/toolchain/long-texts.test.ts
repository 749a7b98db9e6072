import { describe, expect, test } from 'vitest'
import { nearest as nearestOfProgram } from '../dsl/problem.ts'
import { entryPattern } from '../files/index.ts'
import { neutralJson, neutralText, snakeCase } from '../model/index.ts'
import { askingProblem, type AskedBuild } from './asked-names.ts'
import { BuildError, failureFromLog } from './build-failure.ts'
import { readCompileOptions } from './compile-options.ts'
import { declaredNames } from './declared-names.ts'
import { endsWithCast } from './device-language.ts'
import { parseDiagnostics } from './diagnostics.ts'
import {
  withoutVendorSyntax,
  definedStructs,
  definesKernel,
  entryParameters,
  kernelUnit,
  qualifiedKinds,
  templateEntry,
  templateNamespaces,
} from './entry.ts'
import { namesEmulator, pastesEmulator } from './emulator-names.ts'
import { registers } from './host-units.ts'
import { unwinding, type BlockUse } from './landing-pads.ts'
import {
  asksForTimes,
  beginsInRawLine,
  definesMacro,
  endsHeaderElsewhere,
  hasOldLineEnd,
  lineOfAnotherFile,
  withLinesMarked,
} from './line-directives.ts'
import { factsIn } from './kernel-facts.ts'
import { identifierOf } from './mangled.ts'
import { readDependencies } from './repository.ts'
import { blankComments, withoutComments } from './text.ts'
import { decodedBy } from './tiling-keys.ts'
import { nearest } from './unknown-names.ts'
import { wordFinder } from './word-finder.ts'

const megabyte = (part: string, end = '', start = ''): string => start + part.repeat(2 ** 20 / part.length) + end

const asked: AskedBuild = {
  kind: 'aiv',
  compiler: { family: 'clang', includeDirs: [] },
  predefined: new Set(),
  renamed: [],
  defined: new Set(),
  roots: [],
  includes: [],
  searched: [],
  isOfLibrary: () => false,
  isOfEmulator: () => false,
}

/** What a candidate may write is read in time that is linear in it: nobody waits for the square of a megabyte. */
describe('texts without an end', { timeout: 60_000 }, () => {
  test.each([
    ['marks of literals', megabyte(String.raw`\'\"`)],
    ['raw literals', megabyte('R"a(')],
    ['numbers', megabyte("1'")],
    ['comments', megabyte('/*\n')],
    ['blanks', megabyte(' ', 'x')],
    ['blank lines', megabyte('\n\t', 'x')],
    ['carriage returns', megabyte('\r\t', 'x')],
    ['underscores', megabyte('_')],
    ['constants', megabyte('constexpr ')],
    ['definitions', megabyte('#define X ')],
    ['launches', megabyte('a<<<')],
    ['ends of launches', megabyte('a<<<b>>>(')],
    ['launches one behind another', megabyte('a<<<b>>>(c)\n')],
    ['launches in parentheses', megabyte('(a<<<b>>>(c)')],
    ['launches under conditions', megabyte('f(){\n#if a\nb<<<c>>>(d)\n#endif\n}')],
    ['launches by a macro', '#define GO a<<<b>>>(c)\n' + megabyte('(){GO}')],
    ['arguments that are quoted', '#define S(x) #x\n' + megabyte('S(a<<<b>>>(c)')],
    ['macros of a parameter', megabyte('#define S(x) #x\n')],
    ['macros of each other', megabyte('#define S(x) S(S(x) #')],
    ['heads of kernels in macros', megabyte('#define K __global__ K\n')],
    ['joined lines', megabyte('\\\n')],
    ['joined lines with blanks', megabyte('\\ ')],
    ['joined raw literals', megabyte('R"(\\\n)"')],
    ['joined comments', megabyte('//\\\n\n')],
    ['literal attributes', megabyte('[aicore] ')],
    ['literal attributes behind templates', megabyte('template<a>[aicore]b')],
    ['literal attributes in macros', megabyte('\n#define a [aicore]')],
    ['beginnings of attributes', megabyte('[ host , ')],
    ['templates', megabyte('template <')],
    ['attributes', megabyte('struct __attribute__((a', '))')],
    ['classes', megabyte('struct a:')],
    ['classes with attributes', `class ${megabyte('__attribute__((l))')};`],
    ['conditions in one line', megabyte('#if\r')],
    ['includes', megabyte('#include<\u2028')],
    ['marks of directives', megabyte('*/#\\\n')],
    ['directives in a comment', megabyte('\n#/*') + megabyte('*//*')],
    ['headers that are asked for', `#if ${megabyte('(<')} /*>*/`],
    ['conditions', `#if defined(${megabyte(' ')}`],
    ['kinds of kernels', megabyte(`KERNEL_TASK_TYPE(${' '.repeat(1000)}`)],
    ['kernels', megabyte('void kernel(')],
    ['declarations of the kernel', megabyte('__global__ void other(int\n);\n')],
    ['entries without an end', megabyte('__global__ void other(a\n')],
    ['entries behind heads of templates', megabyte('template<;a>__global__ void other(')],
    ['nested conditions', megabyte('#if X\n')],
    ['conditions with line separators', megabyte('#if\u2028')],
    ['functions in braces', megabyte('{') + megabyte('){}') + '<<<'],
    ['functions that launch', megabyte('(){a<<<b>>>(c)}')],
    ['template arguments in braces', megabyte('{') + megabyte('ASCENDC_TPL_SEL(')],
    ['template arguments in namespaces', megabyte('namespace a{ASCENDC_TPL_SEL(')],
    ['dependencies', megabyte('add_modules_sources(DEPENDENCIES ')],
  ])('%s', (_, text) => {
    expect(blankComments(text, true)).toHaveLength(text.length)
    withoutComments(text)
    lineOfAnotherFile(text)
    endsHeaderElsewhere(text)
    withLinesMarked(text)
    definesMacro(text, 'other')
    qualifiedKinds([text], 'other')
    withoutVendorSyntax(text)
    expect(entryParameters(text, 'other')).toBeUndefined()
    expect(templateEntry(text, 'other')).toBeNull()
    expect(definesKernel(text, 'other')).toBe(false)
    kernelUnit({ prelude: '', path: '', source: text, kernel: 'other' })
    templateNamespaces([text])
    definedStructs([text])
    factsIn(`other(\n${text}`, 'other', { isOwn: () => true, isOfKernel: () => true, shown: (line) => line })
    readDependencies([text])
    parseDiagnostics(text)
    snakeCase(text)
  })

  test.each([
    ['a letter', megabyte('a', '!')],
    ['underscores', megabyte('_')],
    ['blanks', megabyte(' ', 'x')],
    ['lines', megabyte('\n')],
    ['joined lines', megabyte('\\\n', 'x')],
    ['joined lines in a word', megabyte('n\\\n')],
    ['joints before a name', megabyte('\\\n', 'npu_em')],
    ['constants of a macro', megabyte('const ', '', '#define UNUSED ')],
    ['constants without a value', megabyte('constexpr ')],
    ['constants in parentheses', megabyte('const(')],
    ['functions of the device', megabyte('__aicore__ ')],
    ['macros of one name', megabyte('#define X\n')],
    ['macros that paste', megabyte('#define X a##X\n#ifdef X\n#endif\n')],
    ['words that are taken back', megabyte('a ', '', '#undef ')],
    ['conditions', megabyte('#ifdef A\n#endif\n')],
    ['headers that are asked for', megabyte('__has_include("a")\n')],
    ['names of files that are printed', megabyte('__FILE__,', '', 'printf(')],
    ['names of files in a stream', megabyte('<<__FILE__', '', 'cout')],
    ['beginnings of names', megabyte('npu_em')],
    ['names within others', megabyte('xnpu_emu ')],
    ['registrations', megabyte('TILING_', '', 'REGISTER_')],
    ['how operators are called', megabyte('.OpExecute(a)', '', 'IMPL_OP(a)')],
    ['declarations of template arguments', megabyte('ASCENDC_TPL_ARGS_DECL(')],
    ['kinds of kernels in a list', megabyte('@@ASCENDC_TPL_LISTS@@ASCENDC_TPL_KERNEL_TYPE_SEL@@ = {')],
    ['casts', megabyte('(a)')],
    ['casts without an end', megabyte('static_cast<')],
    ['commands', megabyte('::error ')],
    ['characters of other languages', megabyte('\u070f')],
    ['numbers', megabyte('1')],
    ['places', megabyte('(1,1)')],
    ['times', megabyte('1:1 ')],
    ['lines and columns', megabyte(': line 1, col 1, ')],
  ])('what is looked for in %s', async (_, text) => {
    namesEmulator(text)
    pastesEmulator([`${text} ##`])
    hasOldLineEnd(text)
    beginsInRawLine(text)
    asksForTimes([text])
    await askingProblem([{ path: '/candidate/a.h', text }], asked)
    declaredNames([blankComments(text, true)])
    const find = wordFinder([{ file: '/candidate/a.h', text }])
    for (const word of ['', 'naked', `${text.slice(0, 999)}!`, `!${text.slice(0, 9999)}`]) find(word)
    endsWithCast(text.slice(0, 50_000))
    registers(text)
    decodedBy([text])({ key: '0', values: ['1'] })
    factsIn(`other(\n${text.replaceAll('\n', '')}`, 'other', {
      isOwn: () => true,
      isOfKernel: () => true,
      shown: (line) => line,
    })
    neutralText(text)
    neutralText(text.replaceAll(/.{1000}/gs, String.raw`$&` + '\n'))
    neutralJson([text])
  })

  test.each([
    'set(A b)',
    'a()',
    'cmake_language(CALL a)',
    'if(A)\nendif()',
    'variable_watch(A)',
    'include(a',
    'include( ',
  ])('lists of %s', (command) => {
    const list = { folder: '/c', text: `${megabyte(`${command}\n`).slice(0, 900_000)}\n# add_ops_compile_options(\n` }
    try {
      readCompileOptions('AddCustom', [list])
    } catch (error) {
      expect(error).toBeInstanceOf(BuildError)
    }
  })

  test.each([
    ['words', megabyte('a ')],
    ['blanks', megabyte(' ', 'x')],
    ['marks of names', megabyte("'")],
    ['names of the emulator', megabyte('npu_emu::')],
    ['assertions', megabyte("static assertion failed due to requirement '")],
    ['headers', megabyte('#error "a.h: No such file or directory')],
    ['types in each other', megabyte('Tensor<')],
    ['other names of types', megabyte(' (aka ')],
    ['references', megabyte('undefined reference to ')],
    ['places', megabyte('/a:1: ')],
    ['places in lines that are long', megabyte('/a:1: '.repeat(600) + '\n')],
    ['tools in lines that are long', megabyte('ld'.repeat(1900) + '\n')],
    ['references in lines that are long', megabyte('undefined reference to '.repeat(160) + '\n')],
    ['conversions', `no known conversion from ${megabyte("'a' to ")}`],
  ])('messages of %s', (_, text) => {
    for (const said of [text, `no matching function for call to '${text}'`, text.replaceAll(' ', '\n')]) {
      const note = `/a.cpp:1:2: note: candidate: ${text}\n  1 | void f(${text}\n`
      failureFromLog('kernel', `/a.cpp:1:2: error: ${said}\n  1 | f(${text})\n${note}${note}`, 'no compiler')
    }
  })

  test('lines that are included again and again', () => {
    const places = { isOwn: () => true, isOfKernel: () => true, shown: (line: string) => line }
    const read = (lines: number): unknown => factsIn(`kernel(\n${';\n'.repeat(lines)}`, 'kernel', places)
    expect(read(2 ** 19)).toMatchObject({ cube: 'none' })
    expect(() => read(2 ** 20)).toThrow('what the preprocessor makes of the kernel has more than 1048576 lines')
  })

  test('a literal', () => {
    const text = `"${'a'.repeat(16 << 20)}" // b`
    expect(blankComments(text)).toBe(text.replace('// b', '    '))
    expect(blankComments(`'${String.raw`\a`.repeat(8 << 20)}'`, true).trim()).toBe('')
  })

  test('declarations of kernels', () => {
    const text = megabyte('__global__ ', 'void kernel()')
    expect([...text.matchAll(entryPattern('kernel'))]).toHaveLength(1)
    expect([...megabyte('__global__ ').matchAll(entryPattern('kernel'))]).toHaveLength(0)
  })

  test('exceptions that pass through block after block', () => {
    const blocks = 200_000
    const code = Buffer.alloc(5 * blocks, 0x90)
    // each jumps to the one before it, and the first returns
    for (let i = 1; i < blocks; i++) code.writeInt32LE(-10, 5 * i + 1)
    for (let i = 1; i < blocks; i++) code[5 * i] = 0xe9
    code[4] = 0xc3
    const begins = Array.from({ length: blocks }, (_, i) => 5 * i)
    const uses = begins.map((_, i): BlockUse => (i === blocks - 1 ? 'unwinds' : i === 3 ? 'handles' : 'other'))
    const passed = unwinding(code, begins, 5 * blocks, uses)
    expect(passed.indexOf(true)).toBe(process.arch === 'x64' ? 4 : blocks - 1)
  })

  test.each([megabyte('E0'), megabyte('_'), megabyte('Ul')])('names', (name) => {
    identifierOf(`_ZZ${name}`)
    snakeCase(name.toUpperCase())
  })

  test('a name that is longer than any other has no near one', () => {
    const name = megabyte('aB')
    expect(
      nearest(
        name,
        Array.from({ length: 1000 }, () => 'DataCopyPad'),
      ),
    ).toBeNull()
    expect(
      nearestOfProgram(
        name,
        Array.from({ length: 100 }, () => 'sqrt'),
      ),
    ).toMatch(/^there are/)
  })
})
