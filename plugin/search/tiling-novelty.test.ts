import { expect, test } from 'vitest'
import type { KernelCase } from '../model/index.ts'
import { TilingNovelty, varyingPlaces, wordsOf, type Sketched } from './tiling-novelty.ts'

const sketched = (words: number[], { tilingKey = '0', combination = 0, blockDim = 1 } = {}): Sketched => ({
  case: { task: 'T', name: 'generated', combination, inputs: {}, outputs: {}, attrs: {}, seed: 0 } satisfies KernelCase,
  sketch: { blockDim, tilingKey, tiling: Buffer.from(Uint32Array.from(words).buffer).toString('base64') },
})

/** Three of one magnitude and order, and of no rest. */
const usual = [64, 65, 66].map((word) => sketched([word, 8192, 7]))

test('what was shown is known, also by another case of the same tiling', () => {
  const [one, other] = [sketched([64, 8192, 7]), sketched([64, 8192, 7])]
  const novelty = new TilingNovelty([...usual, one, other])
  expect(novelty.of(one)).toBeGreaterThan(0)
  novelty.note(one)
  expect(novelty.of(one)).toBe(0)
  expect(novelty.of(other)).toBe(0)
})

test.each([
  ['a tiling key', sketched([64, 8192, 7], { tilingKey: '1' })],
  ['a combination', sketched([64, 8192, 7], { combination: 1 })],
  ['a block dim', sketched([64, 8192, 7], { blockDim: 9 })],
  ['a magnitude', sketched([200, 8192, 7])],
  ['a limit', sketched([64, 65_536, 7])],
  ['an order', sketched([9000, 8192, 7])],
  ['a multiple', sketched([64, 8192, 32])],
  ['the same words at other places', sketched([8192, 64, 7])],
])('%s that no case has shown is new', (_, one) => {
  const novelty = new TilingNovelty([...usual, sketched([1, 1, 1]), one])
  for (const each of usual) novelty.note(each)
  for (const each of usual) expect(novelty.of(each)).toBe(0)
  expect(novelty.of(one)).toBeGreaterThan(0)
})

test('what few cases show weighs more than what many do', () => {
  const [often, rare] = [sketched([64], { tilingKey: '1' }), sketched([64], { tilingKey: '2' })]
  const novelty = new TilingNovelty([...usual, ...Array.from({ length: 9 }, () => often), rare])
  expect(novelty.of(rare)).toBeGreaterThan(1.5 * novelty.of(often))
})

test('places that differ are found for each key, and words are those of the data', () => {
  const all = [sketched([1, 2, 3]), sketched([1, 5, 3]), sketched([4, 2, 3], { tilingKey: '1' })]
  expect(Object.fromEntries(varyingPlaces(all))).toEqual({ '0/0': [1], '0/1': [] })
  expect(all.map(({ sketch }) => wordsOf(sketch))).toEqual([
    [1, 2, 3],
    [1, 5, 3],
    [4, 2, 3],
  ])
  expect(wordsOf({ blockDim: 1, tilingKey: '0', tiling: Buffer.from([1, 0, 0, 0, 9]).toString('base64') })).toEqual([1])
})

test('features are told apart by their places', () => {
  const [one, turned] = [sketched([4, 1]), sketched([1, 4])]
  const novelty = new TilingNovelty([one, turned])
  novelty.note(one)
  // of two cases one shows each: both magnitudes, both orders (two each), and which words are 0, 1, 2 or more (two)
  expect(novelty.of(turned)).toBeCloseTo((1 + 1 + 2 + 2 + 2) * Math.log2(3))
})
