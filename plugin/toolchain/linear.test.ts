import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { escapeRegExp } from '../files/index.ts'
import { circular } from './circular.ts'
import { declaredNames } from './declared-names.ts'
import { endsWithCast } from './device-language.ts'
import { lineAt, type Row } from './line-table.ts'
import type { ObjectSymbol, Section } from './object-file.ts'
import { symbolFinder } from './symbol-finder.ts'
import { placeOf, wordFinder } from './word-finder.ts'

const section: Section = {
  name: '.data',
  index: 1,
  address: 0,
  alignment: 8,
  isCode: false,
  isLoaded: true,
  isWritable: true,
  isInGroup: false,
  bytes: Buffer.alloc(0),
}

/** What is looked up in an index is what a search finds that is written as it is meant, and takes too long for a hostile text. */
const textOf = (...parts: string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...parts), { maxLength: 16 }).map((all) => all.join(''))

describe('declared names', () => {
  const text = textOf(
    'const',
    'constexpr',
    '__gm__',
    '__aicore__',
    ' ',
    ' ',
    'a',
    'b',
    'ab',
    '=',
    '[',
    '{',
    '(',
    ')',
    ';',
    ',',
  )

  test('are those that follow a word of their kind in one declaration', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('a', 'b', 'ab'), (code, name) => {
        const isWritten = (pattern: string): boolean => new RegExp(pattern).test(code)
        const { constants, device } = declaredNames([code])
        const plain = escapeRegExp(name)
        expect(constants.has(name)).toBe(isWritten(`\\b(?:const|constexpr|__gm__)\\b[^;{}()]*\\b${plain}\\b\\s*[[={]`))
        expect(device.has(name)).toBe(isWritten(`\\b__aicore__\\b[^;{}()]*\\b${plain}\\s*\\(`))
      }),
      { numRuns: 5000 },
    )
  })

  test('are whole', () => {
    const { constants } = declaredNames(['const int a$b = 1, écart = 2;', 'int c = 3;'])
    expect([...constants]).toEqual(['a$b', 'écart'])
  })
})

test('a cast ends a text where one that somebody wrote does', () => {
  const written =
    /(?:\bstatic_cast ?<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*> ?\(|(?<![\w>)\]])\( ?[\w:]+ ?\)|(?<![\w.>] ?)\b(?:float|half|double|u?int\d*_t|T) ?\() ?(?:[\w.:[\]()]|->)* ?$/
  const parts = ['static_cast', '<', '>', '(', ')', ' ', 'float', 'int32_t', 'T', 'a', '.', '->', '[', ']', '+', '::']
  fc.assert(
    fc.property(textOf(...parts), (made) => {
      const text = made.replace(/ +/g, ' ')
      expect(endsWithCast(text)).toBe(written.test(text))
    }),
    { numRuns: 20_000, examples: [['static_cast<<>->(']] },
  )
})

describe('a word', () => {
  test('is found where it is', () => {
    fc.assert(
      fc.property(textOf('a', 'b'), fc.integer({ max: 20, min: 0 }), textOf('a', 'b'), (text, length, other) => {
        const word = `${text.slice(0, length)}${other}`
        expect(placeOf(word, text + other + text)).toBe((text + other + text).indexOf(word))
      }),
      { numRuns: 5000 },
    )
  })

  test('has a place outside of comments, as part of a name too', () => {
    const find = wordFinder([
      { file: '/a', text: '// vector_size\nint x;' },
      { file: '/b', text: 'int y;\n\n__attribute__((vector_size(16))) int z;' },
    ])
    expect(find('vector')).toEqual({ file: '/b', line: 3 })
    expect(find('naked')).toEqual({ file: '', line: 0 })
  })
})

const symbolAt = (offset: number, size: number): ObjectSymbol => ({
  name: `${offset}+${size}`,
  kind: 'object',
  binding: 'local',
  section,
  offset,
  size,
})

describe('an object', () => {
  test('has the first symbol at a place', () => {
    const number = fc.integer({ min: 0, max: 30 })
    fc.assert(
      fc.property(fc.array(fc.tuple(number, number), { maxLength: 8 }), number, number, (places, from, length) => {
        const symbols = places.map(([offset, size]) => symbolAt(offset, size))
        const to = from + length + 1
        const first = symbols.find(({ offset, size }) => size > 0 && offset < to && offset + size > from)
        expect(symbolFinder(symbols)(section, from, to)).toBe(first)
      }),
      { numRuns: 5000 },
    )
  })

  test('has functions that call themselves', () => {
    const edges = fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 14 })
    fc.assert(
      fc.property(edges, (calls) => {
        const all = Array.from({ length: 8 }, (_, index) => index)
        const calledBy = (from: number): number[] =>
          calls.flatMap(([caller, called]) => (caller === from ? [called] : []))
        const isCircular = (from: number): boolean => {
          const reached = new Set(calledBy(from))
          for (const each of reached) for (const next of calledBy(each)) reached.add(next)
          return reached.has(from)
        }
        expect(circular(all, calledBy).sort((a, b) => a - b)).toEqual(all.filter(isCircular))
      }),
      { numRuns: 5000 },
    )
  })
})

/** Were it the square, nobody would wait for it. */
describe('as many as an object can hold', { timeout: 60_000 }, () => {
  const many = 400_000
  const numbers = Array.from({ length: many }, (_, index) => index)

  test('functions in one chain', () => {
    expect(circular(numbers, (from) => (from + 1 < many ? [from + 1] : [from]))).toEqual([many - 1])
    expect(circular(numbers, (from) => [(from + 1) % many])).toHaveLength(many)
  })

  test('variables, each of several names', () => {
    const symbols = numbers.map((index): ObjectSymbol => ({
      name: '',
      kind: 'object',
      binding: 'local',
      section,
      offset: (index >> 1) * 8,
      size: 4 + (index & 1),
    }))
    const find = symbolFinder(symbols)
    const aliases = symbolFinder(numbers.map((size) => ({ ...symbols[0]!, size })))
    for (const index of numbers) {
      expect(find(section, index * 4, index * 4 + 1) === symbols[index]).toBe(true)
      aliases(section, index, index + 1)
    }
  })

  test('lines', () => {
    const rows = numbers.map((index): Row => ({ offset: index, file: '/a', line: index & 1, column: 0 }))
    const table = new Map([[1, rows]])
    for (const index of numbers)
      expect(lineAt(table, 1, index)?.offset).toBe(index === 0 ? undefined : index - ((index & 1) ^ 1))
  })
})
