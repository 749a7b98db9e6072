import { expect, test } from 'vitest'
import {
  definesMacro,
  asksForTimes,
  beginsInRawLine,
  endsHeaderElsewhere,
  hasOldLineEnd,
  lineOfAnotherFile,
  withLinesMarked,
} from './line-directives.ts'

test.each([
  ['#line 3 "other.h"', 1],
  ['int x;\n # 3 "other.h"', 2],
  ['%:line 3', 1],
  ['// nothing\n#/* a\ncomment */line 3', 2],
  ['#/*a*//*b*/ /**/ 7 "other.h"', 1],
  ['#\\\nline 3', 1],
  ['#/\\\n* a *\\\n/line 3', 1],
  ['#li\\ \nne 3', 1],
  ['int x;\r#line 3', 1],
  ['#\u00a0line 3', 1],
  ["#define A 1.'a'/*'\n#line 3", 2],
  ["#define A 1e+1'a'/*'\n#line 3", 2],
  ["int \u00e91 = '/*';\n#line 3", 2],
  ['\u00e4R"(";\n#line 3', 2],
  ['\0#\0line 3', 1],
])('%j gives itself out for another file', (text, line) => expect(lineOfAnotherFile(text)).toBe(line))

test.each([
  '#define line 3',
  '// #line 3',
  '/*\n#line 3\n*/',
  '#include "line.h"',
  'int a; #line',
  '#define A \\\n # 3',
])('%j does not', (text) => expect(lineOfAnotherFile(text)).toBeNull())

test.each([
  '#include <x/*>',
  '#include_next <x//y>',
  ' %: /* a */ include EMPTY <x"y>"',
  "#import <x'>'",
  '#include <x/\\\n*>',
  '#if 1\n#elif __has_include(<x/*>)\n#endif',
  '#if HAS(<x/*>)',
  '#if 0 < 1 && __has_include ( /* a */ EMPTY <x/*>)',
  '#if 0\n#include <x/*>\n"*/" /*"\n#endif\n#line 3',
  '#include <x/*> R"(*/>\n)"',
])('%j has a header whose name goes on into a comment or a literal', (text) =>
  expect(endsHeaderElsewhere(text)).toBe(true),
)

test.each([
  '#include <x> // >',
  '#include "x.h" // <y/*>',
  '// #include <x/*>',
  '#if A < 3 // -> B',
  '#if (A < 3) /* > */ && B',
  '#if __has_include(<x.h>) // "x" -> y',
  'int a = b < c; // >',
  '#define A <x/*> */',
])('%j has none', (text) => expect(endsHeaderElsewhere(text)).toBe(false))

test.each([
  '#pragma mark /*\nint a;\n// */',
  '#warning /*\nint a; /* */',
  '# /* */ error R"(\n)"',
  '%:warning /* */ /*\n',
  '#pragma ma\\\nrk /\\\n*\n',
  '/* */ #warning /*/\n',
])('in %j something begins in a line that is taken as it is', (text) => expect(beginsInRawLine(text)).toBe(true))

test.each([
  '#pragma mark - helpers /* all of them */',
  "#error don't do this // at all",
  '#define A /* goes\non */ 1\nint error;',
  'int mark; /* goes\non */',
])('in %j nothing does', (text) => expect(beginsInRawLine(text)).toBe(false))

test('times of files are asked for by a pragma, also by one that macros make', () => {
  expect(asksForTimes(['#pragma GCC dependency "b.h"'])).toBe(true)
  expect(asksForTimes(['#define WHAT dependency\n', '_Pragma("clang \\\nWHAT \\"b.h\\"")'])).toBe(true)
  expect(asksForTimes(['#pragma once\nint dependency; // of GCC'])).toBe(false)
  expect(asksForTimes(['#pragma GCC unroll 4\n// no dependency'])).toBe(false)
})

test('a macro is defined by its whole name, however the directive is written', () => {
  for (const text of ['#define k other', ' %:/* a\n */define /* b */ k(x)', '#de\\\nfine k', '# define\u00a0k'])
    expect(definesMacro(text, 'k'), text).toBe(true)
  for (const text of ['#define kk', '// #define k', '#undef k', '#define a k', 'int define = k;'])
    expect(definesMacro(text, 'k'), text).toBe(false)
})

test('a carriage return ends a line where something follows', () => {
  expect(hasOldLineEnd('// a\r#line 3')).toBe(true)
  expect(hasOldLineEnd('a\r\nb\r\r\nc\r')).toBe(false)
})

test('what may be such a directive is marked wherever it seems to stand', () => {
  for (const text of [
    '/*\n#line 3\n*/',
    'R"(\n %: 7)"',
    '/* a */ # line',
    '#/* a */line',
    '#/* a *\\\n//**/ 7',
    '#\\\nli\\\nne',
    '?\\\n?=line',
    '\\\n#\u00a0\0line',
  ])
    expect(withLinesMarked(text), text).toMatch(/(?:#|%:|=)error npu_emu_other_line /)
  for (const text of [
    '#define A(line) #line',
    '#include "line.h"',
    '#if 1',
    'int a; #line',
    '#lines',
    '#/* a *//**/define line 3',
    '# define A 3',
  ])
    expect(withLinesMarked(text)).toBe(text)
})
