import { expect, test } from 'vitest'
import { z } from 'zod'
import { answers } from './verdict.ts'
import { recordOf } from './record.ts'

const names: object = JSON.parse('{"__proto__": "accepted", "constructor": "rejected", "plain": "accepted"}')

test('a name that objects have themselves is kept as any other', () => {
  const record = recordOf(z.enum(['accepted', 'rejected']))
  expect(Object.entries(record.parse(names))).toEqual(Object.entries(names))
  const said = { standard: 'accepted', strict: 'accepted', benchmark: 'accepted', revisions: names }
  expect(JSON.stringify(answers.parse(said))).toBe(JSON.stringify(said))
})

test('and its value is looked at', () => {
  const record = recordOf(z.enum(['accepted', 'rejected']))
  expect(record.safeParse(JSON.parse('{"__proto__": 1}')).success).toBe(false)
  expect(record.safeParse([]).success).toBe(false)
})

test.each([
  String.raw`{"__proto__":"accepted","\u0000__proto__":"rejected"}`,
  String.raw`{"\u0000__proto__":"rejected","__proto__":"accepted","\u0000\u0000__proto__":"accepted"}`,
  String.raw`{"\u0000__proto__":"rejected"}`,
])('no name is lost to another one: %s', (said) => {
  const record = recordOf(z.enum(['accepted', 'rejected']))
  expect(JSON.stringify(record.parse(JSON.parse(said)))).toBe(said)
})
