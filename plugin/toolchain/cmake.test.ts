import { expect, test } from 'vitest'
import { cmakeCommands } from './cmake.ts'

const words = (text: string): string[][] =>
  cmakeCommands(text).map(({ name, words }) => [name, ...words.map((word) => word.text)])

test('commands are read with the lines where they stand', () => {
  const text = '\uFEFF# a(b)\nProject(x)\n#[=[ a(b)\n]] a(b) ]=] set (A\n"b c" # d)\n [[e;\n(]] f)\n'
  expect(cmakeCommands(text).map(({ name, line }) => [name, line])).toEqual([
    ['project', 2],
    ['set', 4],
  ])
  expect(words(text)).toEqual([
    ['project', 'x'],
    ['set', 'A', 'b c', 'e;\n(', 'f'],
  ])
})

test('quotes, escapes, references and parentheses are parts of arguments', () => {
  const text = String.raw`a("(\")#" -D="b c"d \(\) $(X) [x] ${'${Y}'} (e (f)))`
  expect(words(text)).toEqual([
    ['a', String.raw`(\")#`, '-D="b c"d', String.raw`\(\)`, '$(X)', '[x]', '${Y}', '(', 'e', '(', 'f', ')', ')'],
  ])
  expect(cmakeCommands('a([[${Y}]] "${Y}")')[0]?.words.map(({ kind }) => kind)).toEqual(['bracket', 'quoted'])
})

test('nothing but space, tab and line end separates, and brackets begin after their line end', () => {
  expect(words('a(b\u00A0c\fd\te [[\n\nf]] [=[\r\ng]=])')).toEqual([['a', 'b\u00A0c\fd', 'e', '\nf', 'g']])
})

test('what CMake would not read is told with its line', () => {
  for (const [text, problem] of [
    ['a(b)\n)', '2: is no command'],
    ['a b', '1: a has no arguments'],
    ['\n\na(b', '3: the arguments of a have no end'],
    ['a("\\"', '1: a quoted argument has no end'],
    ['a([=[ ]])', '1: [=[ has no end'],
    ['#[[ a(b)', '1: [[ has no end'],
  ] as const)
    expect(() => cmakeCommands(text)).toThrow(problem)
})

test('texts of any kind take a time that grows with their length alone', () => {
  const many = 200_000
  const before = performance.now()
  for (const text of [
    'a('.repeat(many),
    '"'.repeat(many),
    '[='.repeat(many),
    '#[['.repeat(many),
    `a(${'['.repeat(many)})`,
    'a(b)'.repeat(many),
  ])
    try {
      cmakeCommands(text)
    } catch {
      // most are no CMake
    }
  expect(performance.now() - before).toBeLessThan(10_000)
})
