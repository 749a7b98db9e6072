import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { neutralJson, neutralText, neutralValue } from './neutral.ts'

/** What no line of the output of a run may hold or begin with, written another way than the code under test does. */
const forbidden = [
  'error',
  'warning',
  'notice',
  'debug',
  'group',
  'endgroup',
  'add-mask',
  'add-matcher',
  'remove-matcher',
  'add-path',
  'set-env',
  'set-output',
  'save-state',
  'echo',
  'stop-commands',
]
/** GitHub reads a line at each of these. */
const linesOf = (text: string): string[] => text.split(/\r\n|[\n\r\u0085\u2028\u2029]/)
const isCommand = (line: string): boolean => {
  // by the rules of a language such characters are nothing
  const start = line
    .replaceAll(/[\u00ad\u200b-\u200d\u2060\ufeff]/g, '')
    .trim()
    .toLowerCase()
  return forbidden.some((name) => start.startsWith(`::${name}::`) || start.startsWith(`::${name} `))
}
const isObeyed = (line: string): boolean =>
  isCommand(line) || /##(?:\[|vso\[|teamcity\[)|section_(?:start|end):\d/i.test(line)
const isControl = (character: string): boolean => {
  const code = character.codePointAt(0) ?? 0
  return (code < 32 && !'\t\n'.includes(character)) || (code > 126 && code < 160)
}

/** Pieces of what is meant to be obeyed among arbitrary text: joined at random they make commands now and then. */
const pieces = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3 }),
  fc.constantFrom(
    '::',
    ':',
    '\u00ad',
    ':\u200b:',
    '##',
    '#',
    '[',
    'vso[',
    'teamcity[',
    'error',
    'stop-commands',
    ' ',
    '::x',
    'section_start:1',
  ),
  fc.constantFrom('\n', '\r', '\r\n', '\u0085', '\u2028', '\u00A0', '\u3000', '\u001B[2K', '\u009B', '\u202E', '\t'),
)
const hostile = fc.array(pieces, { maxLength: 12 }).map((all) => all.join(''))

describe('text of a candidate', () => {
  test('holds nothing that a terminal or a CI system obeys, whatever it was', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const neutral = neutralText(text)
        expect(linesOf(neutral).filter(isObeyed)).toEqual([])
        expect(neutral.replaceAll('\r\n', '\n').split('').filter(isControl)).toEqual([])
        expect(neutral).not.toMatch(/[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/)
        expect(neutralText(neutral)).toBe(neutral)
      }),
      { numRuns: 20_000 },
    )
  })

  test('stays what it is where nothing is obeyed', () => {
    const honest = [
      'op_kernel/add.cpp:3:1: error: unknown type name ‘halff’\n    3 | halff x;\n      | ^~~~~',
      '  ::ge::graphStatus TilingFunc(gert::TilingContext *);',
      '#define JOIN(a, b) a##b',
      'tab\tand CRLF\r\nand 中文, é, 😀, a\u200Db',
      'warning: ::error is a namespace',
    ]
    for (const text of honest) expect(neutralText(text)).toBe(text)
  })

  test.each([
    ['::error file=x::no', String.raw`\x3a:error file=x::no`],
    ['a\n \u3000::Stop-Commands::t', String.raw`a` + '\n \u3000' + String.raw`\x3a:Stop-Commands::t`],
    ['::error:\u00AD:no', String.raw`\x3a:error:` + '\u00AD:no'],
    ['a\r::error::b', String.raw`a\x0d::error::b`],
    ['x ##[group]y ##vso[z] ##teamcity[w]', String.raw`x \x23#[group]y \x23#vso[z] \x23#teamcity[w]`],
    ['\u001B]0;title\u0007\u202E', String.raw`\x1b]0;title\x07\u202e`],
    ['section_start:1560896352:a\r\u001B[0Kb', String.raw`\x73ection_start:1560896352:a\x0d\x1b[0Kb`],
  ])('%j is shown as %j', (text, shown) => expect(neutralText(text)).toBe(shown))

  test('is neutral in every field of a value, names included', () => {
    const value = { '\u001B': [{ log: '::error::x', count: 3, none: null, ok: true }] }
    expect(neutralValue(value)).toEqual({ '\\x1b': [{ log: '\\x3a:error::x', count: 3, none: null, ok: true }] })
  })

  test('is the same value in JSON that nobody obeys', () => {
    fc.assert(
      fc.property(hostile, hostile, (name, text) => {
        const value = [{ [name]: text, list: [text] }]
        const json = neutralJson(value)
        expect(linesOf(json).filter(isObeyed)).toEqual([])
        expect(json.split('').filter(isControl)).toEqual([])
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { numRuns: 5000 },
    )
  })

  test('takes no longer than its length', () => {
    const long = `${'\n'.repeat(100_000)}${' '.repeat(100_000)}${'#'.repeat(100_000)}${':'.repeat(100_000)}`
    const started = performance.now()
    neutralText(long)
    expect(performance.now() - started).toBeLessThan(2000)
  })
})

test('a line has an end', () => {
  const [short, long] = ['x'.repeat(4000), 'y'.repeat(100_000)]
  expect(neutralText(`${short}\n${long}\n${short}`)).toBe(
    `${short}\n${'y'.repeat(4000)}… and 96000 more characters\n${short}`,
  )
  expect(neutralText(neutralText(long))).toBe(neutralText(long))
})

test('a line may be longer than a pattern can look at', () => {
  expect(neutralText('x'.repeat(10_000_000))).toBe(`${'x'.repeat(4000)}… and 9996000 more characters`)
})
