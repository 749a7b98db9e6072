import { describe, expect, test } from 'vitest'
import type { TilingFacts } from '../model/index.ts'
import { sameTiling, tilingDifferences } from './tiling-agreement.ts'

const tiling: TilingFacts = {
  blockDim: 40,
  tilingKey: '18446744073709551615',
  workspaceBytes: 32,
  fields: {
    rows: 3000,
    factor: 0.1,
    limit: 'Infinity',
    wide: '9007199254740993',
    offsets: [0, 1536],
    inner: { base: 16, steps: [{ at: 4, count: 2 }] },
  },
}

/** A summary that is right, as a model writes it. */
const summary = {
  blockDim: 40,
  tilingKey: '18446744073709551615',
  fields: {
    rows: 3000,
    factor: 0.1,
    limit: 'Infinity',
    wide: '9007199254740993',
    offsets: [0, 1536],
    inner: { base: 16, steps: [{ at: 4, count: 2 }] },
  },
}

const differing = (told: unknown): string[] => tilingDifferences(told, tiling).map(({ field }) => field)
const withFields = (changed: Record<string, unknown>) => ({ ...summary, fields: { ...summary.fields, ...changed } })
const without = (name: string): unknown => {
  const fields = Object.entries(summary.fields).filter(([field]) => field !== name)
  return { ...summary, fields: Object.fromEntries(fields) }
}

test('a summary that says every value agrees, however numbers are written', () => {
  expect(differing(summary)).toEqual([])
  expect(differing(withFields({ rows: '3000', factor: '0.1f' }))).toEqual([])
  // the float32 itself, in all its digits
  expect(differing(withFields({ factor: 0.10000000149011612 }))).toEqual([])
  // zeros at the end of an array
  expect(differing(withFields({ offsets: [0, 1536, 0, 0] }))).toEqual([])
  expect(differing(withFields({ inner: { base: 16, steps: [{ at: 4, count: 2 }, 0] } }))).toEqual([])
  expect(tilingDifferences({ ...summary, tilingKey: true }, { ...tiling, tilingKey: '1' })).toEqual([])
})

describe('a summary disagrees', () => {
  test.each([
    ['in the block dim', { ...summary, blockDim: 39 }, ['blockDim']],
    ['in a key that a number cannot hold', { ...summary, tilingKey: 2 ** 64 }, ['tilingKey']],
    ['in a value', withFields({ rows: 3001 }), ['fields.rows']],
    ['in a float32', withFields({ factor: 0.1000001 }), ['fields.factor']],
    ['in a number of 64 bits by one', withFields({ wide: '9007199254740992' }), ['fields.wide']],
    ['in the sign of an infinity', withFields({ limit: '-Infinity' }), ['fields.limit']],
    ['in an element of an array', withFields({ offsets: [0, 1537] }), ['fields.offsets.1']],
    ['in an element that is not there', withFields({ offsets: [0, 1536, 1] }), ['fields.offsets.2']],
    ['in an array that is a number', withFields({ offsets: 1536 }), ['fields.offsets']],
    ['within a struct', withFields({ inner: { base: 17, steps: [{ at: 4, count: 2 }] } }), ['fields.inner.base']],
    [
      'within a struct of an array',
      withFields({ inner: { base: 16, steps: [{ at: 4 }] } }),
      ['fields.inner.steps.0.count'],
    ],
    ['where a field is missing', without('rows'), ['fields.rows']],
    ['where a field is there that is none', withFields({ columns: 0 }), ['fields.columns']],
    ['where a value is no number', withFields({ rows: 'many', factor: null }), ['fields.rows', 'fields.factor']],
    ['where there are no fields', { blockDim: 40, tilingKey: summary.tilingKey }, ['fields']],
    ['where it is none', 'forty cores', ['tiling']],
  ])('%s', (_, told, fields) => {
    expect(differing(told)).toEqual(fields)
  })
})

test('tilings are the same only where their workspace is', () => {
  expect(sameTiling(tiling, { ...tiling })).toBe(true)
  expect(sameTiling(tiling, { ...tiling, workspaceBytes: 64 })).toBe(false)
  expect(sameTiling(tiling, { ...tiling, blockDim: 1 })).toBe(false)
})
