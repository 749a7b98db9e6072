import { expect, test } from 'vitest'
import { hashOf } from './hash.ts'

test('parts and lists are told apart', () => {
  const all = [
    hashOf('ab', 'c'),
    hashOf('a', 'bc'),
    hashOf(['a'], 'b', 'c'),
    hashOf(['a', 'b'], 'c'),
    hashOf('a', 'b', 'c'),
    hashOf(['a', 'b', 'c']),
    hashOf([], 'a', 'b', 'c'),
    hashOf('1:a'),
    hashOf('é', '1:a'),
  ]
  expect(new Set(all).size).toBe(all.length)
  expect(hashOf('é')).toBe(hashOf(Buffer.from('é')))
})
