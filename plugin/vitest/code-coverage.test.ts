import { describe, expect, test } from 'vitest'
import type { KernelCode, SourceBlock } from '../model/index.ts'
import { coverageOf, describeCode } from './code-coverage.ts'
import { istanbulData } from './istanbul.ts'

const block = (file: number, lines: number[], column = 3): SourceBlock => {
  return { side: 'kernel', file, line: lines[0] ?? 0, column, ordinal: 0, lines }
}

/** A function of lines 1, 2, 5 and 6, with a branch in line 5; a header that operators share; and a host part with a header of both sides. */
const code: KernelCode = {
  files: ['/sample/op_kernel/a.cpp', '/shared/b.h', '/sample/op_host/c.cpp'],
  blocks: [
    { ...block(0, [1, 2]), entryOf: 'Run' },
    block(0, [5]),
    block(0, [5, 6], 20),
    { ...block(1, [9]), entryOf: 'Shared' },
    { ...block(0, [1]), side: 'host' },
    { ...block(2, [3, 4]), side: 'host' },
  ],
  tilingKeys: [{ key: '1' }, { key: '3' }],
}

const bitsOf = (...blocks: number[]): string =>
  Buffer.from([blocks.reduce((sum, number) => sum + (1 << number), 0)]).toString('base64')

const coverage = (blocks: number[], tilingKeys: string[] = []) =>
  coverageOf(code, { reached: bitsOf(...blocks), tilingKeys }, '/sample')

describe('what a sample has not reached', () => {
  test('are lines without a block that was, and lines of which some were', () =>
    expect(coverage([0, 1], ['1'])).toEqual({
      blocks: 3,
      reached: 2,
      missed: [{ file: 'op_kernel/a.cpp', lines: [[6, 6]] }],
      partial: [{ file: 'op_kernel/a.cpp', lines: [[5, 5]] }],
      tilingKeys: ['3'],
      host: {
        blocks: 2,
        reached: 0,
        missed: [
          { file: 'op_kernel/a.cpp', lines: [[1, 1]] },
          { file: 'op_host/c.cpp', lines: [[3, 4]] },
        ],
        partial: [],
      },
    }))
  test('are ranges in which lines without code count for nothing', () =>
    expect(coverage([]).missed).toEqual([{ file: 'op_kernel/a.cpp', lines: [[1, 6]] }]))
  test('are told for kernel and host part apart, also of a file that both read', () => {
    const { reached, missed, host } = coverage([1, 2, 4])
    expect(reached).toBe(2)
    expect(missed).toEqual([{ file: 'op_kernel/a.cpp', lines: [[1, 2]] }])
    expect(host).toMatchObject({ reached: 1, missed: [{ file: 'op_host/c.cpp', lines: [[3, 4]] }] })
  })
  test('is nothing of a host part where the target does not see it', () => {
    const blocks = code.blocks.filter(({ side }) => side === 'kernel')
    const alone = coverageOf({ ...code, blocks }, { reached: bitsOf(0, 1, 2), tilingKeys: ['1', '3'] }, '/sample')
    expect(alone.host).toBeUndefined()
    expect(describeCode(alone)).toBe('the cases reach 100% of the blocks of its kernel')
  })
  test('are keys of templates, with their fields', () => {
    const tilingKeys = [
      { key: '3', fields: 'MODE=3, TWICE=0' },
      { key: '259', fields: 'MODE=3, TWICE=1' },
    ]
    const { tilingKeys: never } = coverageOf({ ...code, tilingKeys }, { tilingKeys: ['3'] }, '/sample')
    expect(never).toEqual(['259 (MODE=3, TWICE=1)'])
  })
  test('is nothing of headers that operators share', () => expect(coverage([3]).reached).toBe(0))

  test.each([
    [
      [0, 1, 4, 5],
      ['1'],
      'the cases reach 66% of the blocks of its kernel; never: op_kernel/a.cpp:6; never launched: tiling key 3; 100% of those of its host part',
    ],
    [
      [0, 2, 4],
      ['1', '3'],
      'the cases reach 66% of the blocks of its kernel; in part: op_kernel/a.cpp:5; 50% of those of its host part; never: op_host/c.cpp:3-4',
    ],
    [
      [0, 1, 2],
      [],
      'the cases reach 100% of the blocks of its kernel; never launched: tiling keys 1, 3; 0% of those of its host part; never: op_kernel/a.cpp:1, op_host/c.cpp:3-4',
    ],
  ])('%j with keys %j, in one line', (blocks, keys, line) => expect(describeCode(coverage(blocks, keys))).toBe(line))
})

describe('for reports', () => {
  const [data] = istanbulData([
    { code, reached: bitsOf(0) },
    { code, reached: bitsOf(1) },
  ])
  test('lines are statements', () => expect(data?.s).toEqual({ 1: 1, 2: 1, 5: 1, 6: 0 }))
  test('a line of several blocks is a branch, also where these are of kernel and host part', () => {
    expect(data?.b).toEqual({ 1: [1, 0], 5: [1, 0] })
    expect(data?.branchMap[5]?.locations.map(({ start }) => start)).toEqual([
      { line: 5, column: 2 },
      { line: 5, column: 19 },
    ])
  })
  test('functions are those that were compiled', () => {
    expect(Object.values(data?.fnMap ?? {}).map(({ name }) => name)).toEqual(['Run'])
    expect(Object.values(data?.f ?? {})).toEqual([1])
  })
})
