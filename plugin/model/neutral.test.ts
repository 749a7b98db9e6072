import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { annotatedIn } from '../../fixtures/problem-matchers.ts'
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
  'internal-set-repo-path',
]
/** Characters that a comparison by the rules of a language takes for nothing. */
const { compare } = new Intl.Collator('en', { sensitivity: 'variant' })
const passedOver = Array.from({ length: 0x11_0000 }, (_, point) => point)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point))
  .filter((character) => compare('::', `:${character}:`) === 0)
const isPassedOver = new Set(passedOver)
/** GitHub reads a line at each of these. */
const linesOf = (text: string): string[] => text.split(/\r\n|[\n\r\u0085\u2028\u2029]/)
const isCommand = (line: string): boolean => {
  const start = line
    .replaceAll(/./gsu, (character) => (isPassedOver.has(character) ? '' : character))
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
    ':\u070f:',
    ':\u{13430}:',
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
  fc.constantFrom(...passedOver),
  fc.constantFrom(
    'a.ts',
    '1>',
    '(1,1)',
    '(',
    '1',
    ',2',
    ')',
    ':',
    ' error TS1:',
    ' error ',
    ' Error - ',
    ': line 1, col 1,',
    '1:1',
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
        expect(annotatedIn(neutral)).toEqual([])
        expect(annotatedIn(neutral.replaceAll('\n', '\n  '))).toEqual([])
        expect(neutral.replaceAll('\r\n', '\n').split('').filter(isControl)).toEqual([])
        expect(neutral).not.toMatch(/[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/)
        expect(neutralText(neutral)).toBe(neutral)
      }),
      { numRuns: 20_000 },
    )
  })

  test.each([
    '::error:?:text',
    '::stop-commands:?:token',
    ':?:add-mask::a',
    '?::notice::a',
    '::?warning file=a::b',
    '::group?::a',
  ])('is no command with any character that comparison passes over: %s', (shape) => {
    expect(passedOver.length).toBeGreaterThan(900)
    const left = passedOver.filter((character) => {
      const seen = neutralText(shape.replace('?', character)).replaceAll(/[^\x21-\x7e]/gu, '')
      return forbidden.some((name) => seen.startsWith(`::${name}`))
    })
    expect(left).toEqual([])
  })

  test.each([
    'a.ts(1,1): error TS1001: no',
    '1>a.ts(1,1): error TS1001: no',
    'x (12)\t: \u00a0Warning\u3000x\u0661 :',
    'a.ts(1,1,2,3):\ninfo T1:',
    '/etc/passwd: line 1, col 1, Error - no (rule)',
    'a\n1:1  error  no  rule',
    'a\n  1:1  warning  no  rule',
  ])('annotates no file: %j', (text) => {
    for (const shown of [text, text.replaceAll('\n', ' '), text.replaceAll('\n', '\n  '), `a\n  ${text}`]) {
      const neutral = neutralText(shown)
      expect(annotatedIn(neutral)).toEqual([])
      expect(neutral).not.toBe(shown)
      const read = neutral.replaceAll(/\\x([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
      expect(read).toBe(shown)
    }
    const json = neutralJson({ text })
    expect(annotatedIn(json)).toEqual([])
    if (!/[\n\t]/.test(text)) expect(json).toMatch(/\\u00(?:28|3a)/)
    expect(JSON.parse(json)).toEqual({ text })
  })

  test.each([
    ['a.ts(1,1)', 'error TS1001: no'],
    ['a.ts(1,1)', ' \tWarning\u3000x1 : no'],
    ['op_kernel/add.cpp:7:2', 'line 1, col 2, Error - no (rule)'],
    ['the candidate printed', '\n  Line 1, col 2, info - no (rule)'],
  ])('annotates no file by what is printed before it: %s: %s', (before, text) => {
    const printed = (shown: string): string => `${neutralText(before)}: ${shown}`
    expect(annotatedIn(printed(text).replace(/\n */, ''))).not.toEqual([])
    expect(annotatedIn(printed(neutralText(text)))).toEqual([])
    expect(annotatedIn(printed(neutralText(text)).replace(/\n */, ''))).toEqual([])
    expect(annotatedIn(printed(neutralText(`more\n${text}`).slice(5)))).toEqual([])
  })

  test('stays what it is where nothing is obeyed', () => {
    const honest = [
      'op_kernel/add.cpp:3:1: error: unknown type name ‘halff’\n    3 | halff x;\n      | ^~~~~',
      '  ::ge::graphStatus TilingFunc(gert::TilingContext *);',
      '#define JOIN(a, b) a##b',
      'tab\tand CRLF\r\nand 中文, é, 😀, a\u200Db',
      'warning: ::error is a namespace',
      '::debug_utils::Print(x);\n::errors::Code code;\n:: error(1)',
      '  In file included from op_kernel/add.cpp:1:\nop_kernel/add.cpp:12:3: error: no member named ‘x’ (1,2)',
      'op_kernel/add.cpp:12:3: warning: f(1): error in line 1, col 2',
      'add.cpp(12): error: nothing known',
      'from 10:30 to 11:45, errors: 3',
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
