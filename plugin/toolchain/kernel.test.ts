import { expect, test } from 'vitest'
import { workingHalves } from './kernel.ts'

const half = (kind: 'aiv' | 'aic', used: boolean, stores = false) => ({ kind, used, stores })
const kindsOf = (...halves: ReturnType<typeof half>[]) => workingHalves(halves).map(({ kind }) => kind)

test('the halves that work are those whose objects call what belongs to their core kind', () => {
  expect(kindsOf(half('aiv', true), half('aic', true))).toEqual(['aiv', 'aic'])
  expect(kindsOf(half('aiv', false), half('aic', true))).toEqual(['aic'])
  expect(kindsOf(half('aiv', true), half('aic', false))).toEqual(['aiv'])
  expect(kindsOf(half('aiv', false), half('aic', false))).toEqual(['aiv'])
})

test('a vector half that only moves data out of local memory works, unless the cube half is the same code', () => {
  expect(kindsOf(half('aiv', false, true), half('aic', true))).toEqual(['aiv', 'aic'])
  expect(kindsOf(half('aiv', false, true), half('aic', true, true))).toEqual(['aic'])
})
