import { describe, expect, test } from 'vitest'
import { eitherOf, isReached } from './reached.ts'

const bitsOf = (...bytes: number[]): string => Buffer.from(bytes).toString('base64')

describe('blocks of two launches', () => {
  test('are those of either', () => expect(eitherOf(bitsOf(1, 0), bitsOf(4, 128))).toBe(bitsOf(5, 128)))
  test('are those of the one that tells', () => {
    expect(eitherOf(undefined, bitsOf(2))).toBe(bitsOf(2))
    expect(eitherOf(bitsOf(2), undefined)).toBe(bitsOf(2))
    expect(eitherOf(undefined, undefined)).toBeUndefined()
  })
  test('need not be of one length', () => expect(eitherOf(bitsOf(1), bitsOf(0, 1))).toBe(bitsOf(1, 1)))
})

test('a block is a bit, the lowest of each byte first', () => {
  const reached = Buffer.from([0b10, 0b1])
  expect([0, 1, 2, 7, 8, 9, 16].filter((block) => isReached(reached, block))).toEqual([1, 8])
})
