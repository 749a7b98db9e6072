import { describe, expect, test } from 'vitest'
import type { DescribeAnswer } from '../runner/protocol.ts'
import { tilingFields } from './tiling-data.ts'

type Described = Pick<DescribeAnswer, 'tilingStructs' | 'tilingClasses'>

const field = (type: string, name: string, count = 0, isPlaceholder = false) => ({ type, name, count, isPlaceholder })

const described: Described = {
  tilingStructs: [
    { name: 'Step', bytes: 16, fields: [field('uint16_t', 'count'), field('uint64_t', 'at')] },
    {
      name: 'SumTilingData',
      bytes: 64,
      fields: [
        field('uint8_t', 'mode'),
        field('uint8_t', 'rowsPH', 3, true),
        field('uint32_t', 'rows'),
        field('int64_t', 'base'),
        field('float', 'factor'),
        field('int16_t', 'offsets', 3),
        field('Step', 'step', 2),
      ],
    },
    { name: 'OtherTilingData', bytes: 4, fields: [field('uint32_t', 'rows')] },
  ],
  tilingClasses: [
    { operator: 'Sum', struct: 'SumTilingData' },
    { operator: 'Sum_7', struct: 'OtherTilingData' },
  ],
}

/** Tiling data of `SumTilingData`, written by hand where C++ has its fields. */
function sumData(): Buffer {
  const data = Buffer.alloc(64)
  data.writeUInt8(3, 0)
  // three bytes that nothing is in
  data.writeUInt32LE(4_000_000_000, 4)
  data.writeBigInt64LE(-(2n ** 53n) - 1n, 8)
  data.writeFloatLE(0.1, 16)
  data.writeInt16LE(5, 20)
  data.writeInt16LE(-6, 22)
  // the third offset is 0; structs begin where their widest field may
  data.writeUInt16LE(9, 32)
  data.writeBigUInt64LE(10n, 40)
  return data
}

const fieldsOf = (data: Buffer, { key = '0', operator = 'Sum', from = described } = {}) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all that is read of a description
  tilingFields(from as DescribeAnswer, operator, key, data)

test('fields are read where C++ has them, numbers of 64 bits exactly and float32 in few digits', () => {
  expect(fieldsOf(sumData())).toEqual({
    mode: 3,
    rows: 4_000_000_000,
    base: '-9007199254740993',
    factor: 0.1,
    offsets: [5, -6],
    step: [{ count: 9, at: 10 }],
  })
})

test('what is no number is told by its name', () => {
  const data = sumData()
  data.writeFloatLE(Number.POSITIVE_INFINITY, 16)
  expect(fieldsOf(data)?.['factor']).toBe('Infinity')
})

describe('the struct is', () => {
  test('that of the key, where one is registered for it', () => {
    expect(fieldsOf(sumData(), { key: '7' })).toEqual({ rows: 3 })
  })

  test('the only one, whatever operator it is registered for', () => {
    const from = { ...described, tilingClasses: [{ operator: 'Total', struct: 'OtherTilingData' }] }
    expect(fieldsOf(sumData(), { from })).toEqual({ rows: 3 })
  })

  test('unknown of another operator, where there are several', () => {
    expect(fieldsOf(sumData(), { operator: 'Total' })).toBeUndefined()
  })
})

describe('nothing is told', () => {
  test('of data that is shorter than its struct', () => {
    expect(fieldsOf(sumData().subarray(0, 63))).toBeUndefined()
  })

  test('of a struct with a field of a type that is not known', () => {
    const [step, ...others] = described.tilingStructs
    const from = { ...described, tilingStructs: [{ ...step!, fields: [field('half', 'count')] }, ...others] }
    expect(fieldsOf(sumData(), { from })).toBeUndefined()
  })
})

test('of structs without fields there is no number of values', () => {
  const empty = { name: 'Empty', bytes: 0, fields: [] }
  const tiling = (fields: ReturnType<typeof field>[]): Described => ({
    tilingStructs: [empty, { name: 'A', bytes: 8, fields: [field('uint32_t', 'rows'), ...fields] }],
    tilingClasses: [{ operator: 'Sum', struct: 'A' }],
  })
  expect(fieldsOf(sumData(), { from: tiling([]) })).toEqual({ rows: 3 })
  for (const count of [0, 1, 4_294_967_295])
    expect(fieldsOf(sumData(), { from: tiling([field('Empty', 'none', count)]) })).toBeUndefined()
  expect(fieldsOf(sumData(), { from: tiling([field('uint8_t', 'many', 4_294_967_295)]) })).toBeUndefined()
})
