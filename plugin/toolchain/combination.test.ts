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

test('a column with tensors in blocks is none: those of a case are plain', () => {
  const formats = ['FRACTAL_NZ', 'NC1HWC0', 'ND']
  const declared = operator(['ND', 'ND', 'ND'], formats)
  expect(columnOf(declared, of('float16'))).toEqual({
    problem:
      'operator Formats declares the dtypes (float16) -> (float16) with y as NC1HWC0 alone: tensors are in format ND',
  })
  expect(columnOf(declared, of('float32'))).toBe(2)
  expect(columnOf(declared, of('int8'))).toEqual({
    problem: 'operator Formats does not declare the dtypes (int8) -> (int8)',
  })
  const [y] = declared.outputs
  const optional = { ...declared, outputs: [{ ...y!, paramType: 'optional' as const }] }
  expect(columnOf(optional, of('float16'))).toBe(0)
})
