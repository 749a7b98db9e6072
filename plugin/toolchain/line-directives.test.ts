import { expect, test } from 'vitest'
import { lineOfAnotherFile } from './line-directives.ts'

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
])('%j gives itself out for another file', (text, line) => expect(lineOfAnotherFile(text)).toBe(line))

test.each([
  '#define line 3',
  '// #line 3',
  '/*\n#line 3\n*/',
  '#include "line.h"',
  'int a; #line',
  '#define A \\\n # 3',
])('%j does not', (text) => expect(lineOfAnotherFile(text)).toBeNull())
