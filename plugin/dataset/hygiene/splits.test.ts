import { describe, expect, it } from 'vitest'
import { countsByRatio, lastRank, rankOf } from './ratios.ts'
import { splitOf, splitsOf } from './splits.ts'

const splits = { train: 0.8, validation: 0.1, test: 0.1 }
const operators = Array.from({ length: 3000 }, (_, i) => `Operator${i}`)

describe('splits', () => {
  it('are about as large as they are asked to be', () => {
    const counts = new Map<string, number>()
    for (const operator of operators) {
      const split = splitOf(operator, splits, 1)
      counts.set(split, (counts.get(split) ?? 0) + 1)
    }
    expect(counts.get('train')! / 3000).toBeCloseTo(0.8, 1)
    expect(counts.get('test')! / 3000).toBeCloseTo(0.1, 1)
  })

  it('have an operator in one of them, however its name is spelled', () => {
    for (const seed of [1, 2, 3, 4, 5]) expect(splitOf('rms_norm', splits, seed)).toBe(splitOf('RmsNorm', splits, seed))
  })

  it('differ by the seed', () => {
    const differing = operators.filter((each) => splitOf(each, splits, 1) !== splitOf(each, splits, 2))
    expect(differing.length).toBeGreaterThan(500)
  })

  it('are read from a text', () => {
    expect(splitsOf('train=0.9,test=.1')).toEqual({ train: 0.9, test: 0.1 })
    for (const bad of ['train', 'train=x', 'train=0', 'train=1,train=2', '']) expect(splitsOf(bad)).toBeUndefined()
  })
})

describe('ratios', () => {
  it('take as many rows as the scarcest source allows', () => {
    const counts = new Map([
      ['ours', 300],
      ['math', 1000],
      ['notes', 7],
    ])
    const ratios = new Map([
      ['ours', 3],
      ['math', 1],
    ])
    expect(countsByRatio(counts, ratios)).toEqual(
      new Map([
        ['ours', 300],
        ['math', 100],
        ['notes', 7],
      ]),
    )
  })

  it('take the same rows in every run of a seed', () => {
    const ranks = operators.map((id) => rankOf(id, 7))
    const last = lastRank(ranks, 100)
    expect(ranks.filter((rank) => rank <= last)).toHaveLength(100)
    expect(lastRank(ranks, 0)).toBe(-1)
    expect(operators.map((id) => rankOf(id, 8))).not.toEqual(ranks)
  })
})
