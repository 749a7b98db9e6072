import { describe, expect, test } from 'vitest'
import { PackError, readTexts } from './python-texts.ts'

const read = (text: string): Record<string, string> => Object.fromEntries(readTexts(text))

describe('texts of a Python module', () => {
  test.each<[string, string, string]>([
    ['quotes behind a backslash, which end none', String.raw`'''a \''' b'''`, "a ''' b"],
    ['quotes behind a backslash in a raw one', String.raw`r'''a \''' b'''`, "a \\''' b"],
    ['all escapes', String.raw`'\x41\0\101\777\a\b\f\v\u00e9\U0001f600\q'`, 'A\0A\u01FF\x07\b\f\v\u00E9\u{1F600}\\q'],
    ['continued lines', '"a\\\nb"', 'ab'],
    ['prefixes', 'R"""\\n"""', '\\n'],
    ['literals behind each other', String.raw`'a'"b" r'\n' u'''c''' # d`, 'ab\\nc'],
    ['an empty one', `''''''`, ''],
    ['brackets and comments', '( # one\n"""a""" # two\n  "b"\n)', 'ab'],
    ['sums', '"a" + \'b\' \\\n + ("c") ; x = "1";', 'abc'],
    ['what is stripped', '"""\n a\n""".strip()', 'a'],
    ['what is stripped of a sum', '" a " + " b ".lstrip().rstrip() + ("c" " ").strip()', ' a bc'],
    ['space of Python that is none of JavaScript', String.raw`"\ufeff \x1c\x85\u2003".strip()`, '\uFEFF'],
    ['what is added later', '"a"\nkernel_src += "b"', 'ab'],
    ['a name over two lines', '"a"\nkernel_src \\\n = "b"', 'b'],
    ['an annotated name', '"a"\nkernel_src : str = "b"', 'b'],
    ['the last of several', '"a" ; kernel_src = "b"\nkernel_src = "c"', 'c'],
    ['a line that looks like a part within one', `"""\nkernel_src = 'x'\n"""`, "\nkernel_src = 'x'\n"],
    ['nothing in comments', '"a" # kernel_src = "b"\\\n\f # \u2028kernel_src = "c"', 'a'],
    ['imports', '"a"\nimport torch.nn as nn, os # one\nfrom typing import Any as T, List; import re', 'a'],
    ['what is printed', `"a"\nprint("kernel_src = 'b'", repr(kernel_src), kernel_src, 'c') # d`, 'a'],
    ['texts without a name', '"a"\n"""kernel_src = "b" """', 'a'],
    ['comments of an encoding that say nothing', '"a"\n# -*- coding: utf-8 -*-\n# -*- coding: latin-1 -*-', 'a'],
    ['the line ends of other systems', '"""a\r\nb\rc"""', 'a\nb\nc'],
  ])('%s are read as Python reads them', (_, written, value) => {
    expect(read(`kernel_src = ${written}`)['kernel_src']).toBe(value)
  })

  test.each([
    ['a condition', 'if False:', ''],
    ['a function', 'def f(): kernel_src = "x"', ''],
    ['a class', 'class A: kernel_src = "x"', ''],
    ['a loop', 'for kernel_src in "x": pass', ''],
    ['an indented line', ' kernel_src = "x"', ''],
    ['a form feed, which undoes an indent', ' \fkernel_src = "x"', ''],
    ['a line that is continued before it begins', '\\\nkernel_src = "x"', ''],
    ['two names', 'a = kernel_src = "x"', 'a = '],
    ['a tuple of names', 'a, kernel_src = "xy"', ''],
    ['a list of names', '[kernel_src] = "x"', ''],
    ['a name in brackets', '(kernel_src) = "x"', ''],
    ['a name within an expression', '(kernel_src := "x")', ''],
    ['a subscript', 'globals()["kernel_src"] = "x"', ''],
    ['an attribute', 'kernel_src.x = "x"', ''],
    ['a call', `exec("kernel_src = 'x'")`, ''],
    ['a print of a call', 'print(exec("kernel_src"))', ''],
    ['a print of nothing that is known', 'print("kernel_src", other)', ''],
    ['a print that prints nothing', 'print = "x"; print(a)', 'print = "x"; '],
    ['a print to elsewhere', 'print(a, file=b)', ''],
    ['a deletion', 'del kernel_src', ''],
    ['a name of Python itself', '__builtins__ = "x"', ''],
    ['a keyword', 'None = "x"', ''],
    ['a name in other letters', '\uFF4Bernel_src = "x"', ''],
    ['a name with other letters in it', 'kernel_\u017Frc = "x"', ''],
    ['a type alone', 'kernel_src: str', ''],
    ['a type that may have no value', 'kernel_src: Text = "x"', ''],
    ['an annotation of what is added', 'kernel_src: str += "x"', ''],
    ['what is added to nothing', 'other += "x"', ''],
    ['all names of a module', 'from os import *', ''],
    ['a module that changes Python', 'from __future__ import annotations', ''],
    ['a comparison', 'kernel_src == "x"', ''],
    ['prose', 'Note: the kernel is simple', ''],
    ['a second statement', 'a = "x"; kernel_src = 1', 'a = "x"; kernel_src = '],
    ['a choice', 'kernel_src = "x" if 1 else "y"', 'kernel_src = "x" '],
    ['a call of a text', 'kernel_src = "x".upper()', 'kernel_src = "x"'],
    ['a replacement', 'kernel_src = "x".replace("x", "y")', 'kernel_src = "x"'],
    ['characters to strip', 'kernel_src = "x".strip("x")', 'kernel_src = "x"'],
    ['a product', 'kernel_src = "x" * 2', 'kernel_src = "x" '],
    ['a format', 'kernel_src = "%s" % "x"', 'kernel_src = "%s" '],
    ['a character', 'kernel_src = "xy"[0]', 'kernel_src = "xy"'],
    ['a tuple', 'kernel_src = ("x",)', 'kernel_src = ("x"'],
    ['a text behind brackets', 'kernel_src = ("x") "y"', 'kernel_src = ("x") '],
    ['another name', 'kernel_src = host_tiling_src', 'kernel_src = '],
    ['a number', 'kernel_src = 1', 'kernel_src = '],
    ['space that is none of Python', 'kernel_src =\u00A0"x"', 'kernel_src ='],
  ])('%s is refused with its line', (_, line, before) => {
    const rest = line.split('\n')[0]!.slice(before.length).trim()
    const shown = /^[ -~]*$/.test(rest) ? `\`${rest}\`` : 'is not read'
    for (const text of [`a = "1"\n${line}\n`, `Hi\n\`\`\`\na = """\n"""\n${line}\nb = "2"\n\`\`\`\n`]) {
      const number = text.startsWith('Hi') ? 5 : 2
      expect(() => read(text)).toThrow(PackError)
      expect(() => read(text)).toThrow(
        new RegExp(`^line ${number}: .* is not read: a pack has only comments, imports and`),
      )
      expect(() => read(text)).toThrow(shown)
    }
  })

  test.each([
    ['a format', "a = f'x'", 'line 1: a text with the prefix `f` is not read'],
    ['bytes', "\na = Rb'x'", 'line 2: a text with the prefix `Rb` is not read'],
    ['a prefix of Python 2', "a = 'x'\\\n ur'x'", 'line 2: a text with the prefix `ur` is not read'],
    ['an escape that is none', "a = '\\xg'", 'line 1: the text that begins here has an escape \\x'],
    ['a character by its name', "a = '\\N{DASH}'", 'line 1: the text that begins here has an escape \\N'],
    ['a number of no character', "a = '\\U00110000'", 'line 1: the text that begins here has an escape \\U'],
    ['halves of a character', "a = '\\ud83d\\ude00'", 'an escape \\ud83d that cannot be read'],
    ['a NUL', '#\n# \0', 'line 2: there is a NUL'],
    ['another encoding', '\n \f# vim: fileencoding=utf-7', 'line 2: the encoding utf-7 is not read'],
    ['nested brackets', `a = ${'('.repeat(99)}"a"${')'.repeat(99)}`, 'line 1: brackets are nested'],
    ['a text without an end', "\na = '''", "line 2: there is a text that does not end: close it with '''"],
    ['a torn line', '\na = "\n"', 'line 2: there is a text that does not end: close it with "'],
    ['nothing', 'a =', 'line 1: the end of the line is not read'],
  ])('%s in a text is refused', (_, text, message) => {
    expect(() => read(text)).toThrow(PackError)
    expect(() => read(text)).toThrow(message)
  })

  test('are gone where an import takes their name', () => {
    expect(read('a = "1"\nb = "2"\nc = "3"\nimport a.b, x as c')).toEqual({ b: '2' })
    expect(read('a = "1"\nfrom b import x as a, b\n')).toEqual({})
  })

  test('are those between the first two fences, wherever they stand', () => {
    for (const opened of ['```python\n', '```', '```\n', '``` python \n', '```cpp'])
      expect(read(`Here:\n${opened}a = "1"\n  \`\`\` and:\nb = "2"\n\`\`\`\na = "3"\`\`\``)).toEqual({ a: '1' })
    expect(read(`a = "\`\`\` b = '1' \`\`\`"`)).toEqual({ b: '1' })
    // an answer that was cut off
    expect(read('```python\na = "1"')).toEqual({ a: '1' })
    expect(read('a = "1"\n```\n')).toEqual({ a: '1' })
  })

  test('of any size are read once', { timeout: 5000 }, () => {
    const [many, start] = [60_000, 'a = "1"\n']
    for (const part of ["c = '\\'' \n", 'c = """\\"""\n"""\n', 'c = (("") # (\n)\n', '#\f\n', '"a";', 'import a\n'])
      expect(() => read(part.repeat(many))).not.toThrow()
    expect(read(`a = "" ${'"" '.repeat(many)}`)).toEqual({ a: '' })
    expect(read('```'.repeat(many))).toEqual({})
    expect(read(`a = "${' '.repeat(many)}x".strip()`)).toEqual({ a: 'x' })
    for (const part of ['c = (\n', 'c = ((', 'c: ', "c = ' \\\n", '\\\n', ' ', '(', 'import a,'])
      expect(() => read(`${start}b = (${part.repeat(many)}`)).toThrow(PackError)
  })
})
