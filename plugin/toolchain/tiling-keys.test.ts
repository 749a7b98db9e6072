import { expect, test } from 'vitest'
import { askedKeys, namedNumbers } from './tiling-keys.ts'

const keysOf = (text: string): string[] =>
  askedKeys(text, namedNumbers([text])).map(({ key, line }) => `${line}: ${key}`)

test('keys are numbers, or names of numbers', () => {
  const text = `#define KEY_A 101
constexpr uint64_t KEY_B = 10000000000000000001UL;
if (TILING_KEY_IS(1) || TILING_KEY_IS( 002UL )) {}
if (TILING_KEY_IS(KEY_A)) {}
if (TILING_KEY_IS(KEY_B)) {}`
  expect(keysOf(text)).toEqual(['3: 1', '3: 2', '4: 101', '5: 10000000000000000001'])
})

test('what is computed, ambiguous or written in a comment is no key', () => {
  const text = `#define KEY 1
#define KEY 2
// TILING_KEY_IS(3)
if (TILING_KEY_IS(KEY)) {}
if (TILING_KEY_IS(BASE + 1)) {}
if (TILING_KEY_IS(UNKNOWN)) {}`
  expect(keysOf(text)).toEqual([])
})
