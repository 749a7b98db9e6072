import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DType, KernelCase } from '../model/index.ts'
import { absoluteAndRelative, allClose, errorShare, onlyOutputs, publicDefault, ulpScaled } from './benchmark.ts'
import { roundTo } from './round.ts'
import type { BenchmarkRule } from './rules.ts'

const kernelCase: KernelCase = {
  task: 'T',
  name: 'static 0',
  combination: 0,
  inputs: {},
  outputs: {},
  attrs: {},
  seed: 1,
}

/** Asks about a tensor of a right 1 and the given element. */
const asks = (rule: BenchmarkRule, dtype: DType) => (expected: number, actual: number) =>
  judges(rule, dtype, [[1, expected]], [[1, actual]])

/** Asks about a tensor in blocks. */
function judges(rule: BenchmarkRule, dtype: DType, expected: number[][], actual: number[][]): boolean {
  const { block, end = () => true } = rule({ case: kernelCase, output: 'y', dtype, elements: expected.flat().length })
  return expected.every((values, i) => block(Float64Array.from(values), Float64Array.from(actual[i]!))) && end()
}

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

  test('does not round a reference that stays in a wider dtype', () => {
    expect(asks(absoluteAndRelative(1e-3), 'bfloat16')(1.2, 1.203125)).toBe(true)
    const accepts = (limit: number) =>
      asks(absoluteAndRelative({ bfloat16: limit }, { promoted: { bfloat16: 'float32' } }), 'bfloat16')
    expect([accepts(1e-3)(1.2, 1.203125), accepts(5e-3)(1.2, 1.203125)]).toEqual([false, true])
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

// The rule element by element, in the arithmetic of the dtype, without any shortcut.
function literally(limit: number, dtype: DType, expected: number, actual: number): boolean {
  const round = (value: number) => roundTo(dtype, value)
  const wanted = round(expected)
  const absolute = round(Math.abs(wanted - actual))
  const relative = round(absolute / round(round(Math.abs(wanted)) + 1e-7))
  if (![wanted, actual, absolute, relative].every(Number.isFinite)) return false
  return !(absolute > round(limit) && relative > round(limit))
}

describe.each<DType>(['float16', 'bfloat16', 'float32'])('shortcuts change no answer in %s', (dtype) => {
  const largest = dtype === 'float16' ? 70000 : 3.5e38
  const magnitude = fc.oneof(
    fc.double({ min: -largest, max: largest, noNaN: true }),
    fc.double({ min: -8, max: 8, noNaN: true }),
    fc.constantFrom(0, 1, 0.25, 1e-4, 2 ** -24, 65504, 65519, Infinity, NaN),
  )
  const limit = fc.constantFrom(1e-5, 1e-4, 1e-3, 5e-3, 0.01, 0.2)
  // near golden, at the limit, or anywhere
  const error = fc.oneof(
    fc.double({ min: 0.999, max: 1.001, noNaN: true }),
    fc.double({ min: -3, max: 3, noNaN: true }),
    fc.double({ min: -0.02, max: 0.02, noNaN: true }),
  )

  test('every element is judged as the rule says', () => {
    fc.assert(
      fc.property(magnitude, error, limit, fc.boolean(), (expected, times, limit, relative) => {
        const actual = roundTo(dtype, expected + times * limit * (relative ? Math.abs(expected) : 1))
        expect(judges(absoluteAndRelative(limit), dtype, [[expected]], [[actual]])).toBe(
          literally(limit, dtype, expected, actual),
        )
      }),
      { numRuns: 3000, seed: 5 },
    )
  })
})

test('a reference beyond the largest value rejects, however near the output is', () => {
  expect(asks(publicDefault, 'float16')(65519, 65504)).toBe(true)
  expect(asks(publicDefault, 'float16')(65530, 65504)).toBe(false)
})

const acceptsComplex = (wanted: number[], got: number[]) => judges(publicDefault, 'complex64', [wanted], [got])

describe('the public default of other types', () => {
  test('judges complex numbers by their modulus', () => {
    // the same error in the imaginary part, beside a large and a small real one
    expect(acceptsComplex([3, 0.001], [3, 0.003])).toBe(true)
    expect(acceptsComplex([0.3, 0.001], [0.3, 0.003])).toBe(false)
    expect(acceptsComplex([0, 0], [0, 8e-4])).toBe(true)
    expect(acceptsComplex([0, 0], [8e-4, 8e-4])).toBe(false)
    expect(acceptsComplex([1, NaN], [1, NaN])).toBe(false)
    expect(acceptsComplex([1, 0], [Infinity, 0])).toBe(false)
  })

  test('subtracts small integers as they wrap, so that half the range apart is no error', () => {
    expect(asks(publicDefault, 'int8')(100, -100)).toBe(false)
    expect(asks(publicDefault, 'int8')(100, -28)).toBe(true)
    expect(asks(publicDefault, 'int32')(2 ** 30, -(2 ** 30))).toBe(true)
    expect(asks(publicDefault, 'uint8')(1, 129)).toBe(false)
  })

  test('lets NaN and infinities pass where its task says so', () => {
    const accepts = asks(absoluteAndRelative(0.01, { nonFinite: 'accepted' }), 'float32')
    expect(accepts(NaN, NaN)).toBe(true)
    expect(accepts(1, NaN)).toBe(true)
    expect(accepts(Infinity, Infinity)).toBe(true)
    expect(accepts(1, 1.2)).toBe(false)
  })
})

describe('the rule that counts', () => {
  const rule = errorShare(0.25)
  const answer = (wrong: number, expected: number, actual: number, dtype: DType = 'float32') => {
    const wanted = Array.from({ length: 8 }, (_, i) => (i < wrong ? expected : 1))
    const got = Array.from({ length: 8 }, (_, i) => (i < wrong ? actual : 1))
    return judges(rule, dtype, [wanted.slice(0, 3), wanted.slice(3)], [got.slice(0, 3), got.slice(3)])
  }

  test('adds up over blocks: a quarter may be wrong, more may not', () => {
    expect(answer(2, 0, 5)).toBe(true)
    expect(answer(3, 0, 5)).toBe(false)
    expect(answer(5, 0, 5)).toBe(false)
  })

  test('wants both counts exceeded, and never counts NaN', () => {
    expect(answer(8, 100, 101)).toBe(true)
    expect(answer(8, 0, 0.2)).toBe(true)
    expect(answer(8, 1, NaN)).toBe(true)
  })

  test('compares int8 with its own wrapping arithmetic', () => {
    expect(answer(8, 3, 7, 'int8')).toBe(false)
    expect(answer(8, 100, -28, 'int8')).toBe(true)
  })

  test('begins anew with every tensor', () => {
    expect([answer(2, 0, 5), answer(2, 0, 5), answer(2, 0, 5)]).toEqual([true, true, true])
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

  test('compares integers unrounded, exactly with a limit of 0', () => {
    const accepts = asks(ulpScaled({ int32: 0 }), 'int32')
    expect(accepts(2 ** 24 + 1, 2 ** 24 + 1)).toBe(true)
    expect(accepts(2 ** 24 + 1, 2 ** 24)).toBe(false)
  })

  test('says which dtype has no limit', () => {
    expect(() => asks(rule, 'float32')(1, 1)).toThrow('names no limit for float32')
  })
})

describe('the rule of torch.allclose', () => {
  const accepts = asks(allClose(1e-2), 'float32')

  test('adds an absolute and a relative limit', () => {
    expect([accepts(0, 0.0099), accepts(0, 0.0101)]).toEqual([true, false])
    expect([accepts(100, 101), accepts(100, 101.02)]).toEqual([true, false])
    expect([accepts(-100, -101), accepts(-100, 100)]).toEqual([true, false])
  })

  test('wants the same infinity, and nothing for NaN', () => {
    expect([accepts(Infinity, Infinity), accepts(Infinity, -Infinity), accepts(Infinity, 1)]).toEqual([
      true,
      false,
      false,
    ])
    expect([accepts(1, Infinity), accepts(NaN, NaN), accepts(1, NaN)]).toEqual([false, false, false])
  })

  test('wants whole numbers equal', () => {
    expect([asks(allClose(1), 'int32')(5, 5), asks(allClose(1), 'int32')(5, 6)]).toEqual([true, false])
  })
})

test('outputs the benchmark never looks at are accepted', () => {
  expect(asks(onlyOutputs(['z'], publicDefault), 'float32')(0, 1)).toBe(true)
  expect(asks(onlyOutputs(['y'], publicDefault), 'float32')(0, 1)).toBe(false)
  expect(
    asks(
      onlyOutputs(({ seed }) => (seed === 1 ? [] : ['y']), publicDefault),
      'float32',
    )(0, 1),
  ).toBe(true)
})
