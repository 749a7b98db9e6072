import { expect, test } from 'vitest'
import type { DType } from '../model/index.ts'
import { columnOf } from './combination.ts'
import type { OperatorDescription } from './prelude.ts'

const parameter = (name: string, dtypes: string[], formats: string[]) => ({
  name,
  paramType: 'required' as const,
  dtypes,
  formats,
})

const operator = (x: string[], y: string[]): OperatorDescription => ({
  name: 'Formats',
  inputs: [parameter('x', ['float16', 'float16', 'float32'], x)],
  outputs: [parameter('y', ['float16', 'float16', 'float32'], y)],
  attrs: [],
  socs: ['ascend910b'],
  hasTiling: true,
  infers: false,
})

const of = (dtype: DType) => ({ inputs: [dtype], outputs: [dtype] })

test('of several columns for one combination of types, that of plain tensors is built', () => {
  const formats = ['FRACTAL_NZ', 'ND', 'NCHW']
  expect(columnOf(operator(formats, formats), of('float16'))).toBe(1)
  expect(columnOf(operator(formats, formats), of('float32'))).toBe(2)
  expect(columnOf(operator(['FRACTAL_NZ', 'NCHW', 'ND'], formats), of('float16'))).toBe(1)
})

test('where no column is plain, the first is built', () => {
  const formats = ['FRACTAL_NZ', 'NCHW', 'ND']
  expect(columnOf(operator(formats, formats), of('float16'))).toBe(0)
  expect(columnOf(operator(formats, formats), of('int8'))).toBe(null)
})
