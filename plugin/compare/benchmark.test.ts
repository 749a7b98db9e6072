import { describe, expect, test } from 'vitest'
import type { DType, KernelCase } from '../model/index.ts'
import type { BenchmarkRule } from '../task/kernel-task.ts'
import { absoluteAndRelative, onlyOutputs, publicDefault, ulpScaled } from './benchmark.ts'

const kernelCase: KernelCase = {
  task: 'T',
  name: 'static 0',
  combination: 0,
  inputs: {},
  outputs: {},
  attrs: {},
  seed: 1,
}

const asks = (rule: BenchmarkRule, dtype: DType) => (expected: number, actual: number) =>
  rule({
    case: kernelCase,
    output: 'y',
    dtype,
    expected: Float64Array.of(1, expected),
    actual: Float64Array.of(1, actual),
  })

describe('the public default', () => {
  test('lets one unit of float16 pass, and two fail', () => {
    const accepts = asks(publicDefault, 'float16')
    expect(accepts(1.5, 1.5 + 2 ** -10)).toBe(true)
    expect(accepts(1.25, 1.25 + 2 ** -9)).toBe(false)
  })

  test('leaves bfloat16 no slack from 0.25 on', () => {
    const accepts = asks(publicDefault, 'bfloat16')
    expect(accepts(0.5, 0.5)).toBe(true)
    expect(accepts(0.501, 0.5)).toBe(true)
    expect(accepts(0.5, 0.5 + 2 ** -8)).toBe(false)
  })

  test('takes either a small absolute or a small relative error', () => {
    const accepts = asks(publicDefault, 'float32')
    expect(accepts(0, 9e-4)).toBe(true)
    expect(accepts(0, 2e-3)).toBe(false)
    expect(accepts(1000, 1000.9)).toBe(true)
    expect(accepts(1000, 1002)).toBe(false)
  })

  test('rejects every NaN and infinity, also right ones', () => {
    const accepts = asks(publicDefault, 'float32')
    expect(accepts(NaN, NaN)).toBe(false)
    expect(accepts(Infinity, Infinity)).toBe(false)
    expect(accepts(1, NaN)).toBe(false)
  })

  test('compares bool exactly, large integers with its relative limit', () => {
    expect(asks(publicDefault, 'bool')(0, 1)).toBe(false)
    expect(asks(publicDefault, 'bool')(1, 1)).toBe(true)
    expect(asks(publicDefault, 'int32')(5000, 5001)).toBe(true)
    expect(asks(publicDefault, 'int32')(500, 501)).toBe(false)
  })

  test('overflows its own float16 quotient at a zero reference', () => {
    const accepts = asks(absoluteAndRelative(0.01), 'float16')
    expect(accepts(0, 0.0075)).toBe(true)
    expect(accepts(0, 0.009)).toBe(false)
  })
})

describe('the rule of fused operators', () => {
  const rule = ulpScaled({ float16: 1 / 512 })

  test('scales with magnitudes above one only', () => {
    expect(asks(rule, 'float16')(0.001, 0.0029)).toBe(true)
    expect(asks(rule, 'float16')(0.001, 0.0031)).toBe(false)
    expect(asks(rule, 'float16')(100, 100.19)).toBe(true)
    expect(asks(rule, 'float16')(100, 100.2)).toBe(false)
  })

  test('accepts NaN anywhere', () => {
    expect(asks(rule, 'float16')(1, NaN)).toBe(true)
  })

  test('says which dtype has no limit', () => {
    expect(() => asks(rule, 'float32')(1, 1)).toThrow('names no limit for float32')
  })
})

test('outputs the benchmark never looks at are accepted', () => {
  expect(asks(onlyOutputs(['z'], publicDefault), 'float32')(0, 1)).toBe(true)
  expect(asks(onlyOutputs(['y'], publicDefault), 'float32')(0, 1)).toBe(false)
})
