import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { KernelCase } from '../model/index.ts'
import { Extent } from './dimension.ts'
import { largestArgument } from './fit.ts'
import { attr, defineTask, dim, exact, shapeOf, tensor, tensorList, tensorsOf } from './index.ts'

const base = { level: 1 as const, category: 'Math', kernel: 'k', strict: exact }
const empty = { values: new Float64Array(0) }

const rows = defineTask('Rows', {
  ...base,
  inputs: { x: tensor({ dtype: ['float16', 'float32', 'int8'], shape: ['...rows', 'D'] }) },
  outputs: { y: tensor.like('x') },
  attrs: { axis: attr.int(-1) },
  golden: () => ({ y: empty }),
  domain: { rows: dim.list({ max: 7 }), D: dim({ max: 20_000 }), axis: fc.integer({ min: -3, max: 3 }) },
  cases: [{ x: [1], dtype: 0 }],
})
const lists = defineTask('Lists', {
  ...base,
  inputs: { x: tensorList({ dtype: 'float16' }) },
  outputs: { y: tensorList.like('x') },
  golden: () => ({ y: empty }),
  domain: { x: dim.shapes({ max: 50 }) },
  maxElements: 1000,
  cases: [{ x: [[1]] }],
})
const shapeOfX = (kernelCase: KernelCase) => shapeOf(kernelCase, 'x')
const sample = (seed: number) => fc.sample(rows.domain, { numRuns: 20, seed })

describe('generated cases', () => {
  test('are legal, stay within the element limit and cover every combination', () => {
    const seen = new Set<number>()
    fc.assert(
      fc.property(rows.domain, (kernelCase) => {
        seen.add(kernelCase.combination)
        expect(largestArgument(kernelCase)).toBeLessThanOrEqual(65536)
        expect(Math.min(...shapeOfX(kernelCase))).toBeGreaterThanOrEqual(1)
        expect(shapeOf(kernelCase, 'y')).toEqual(shapeOfX(kernelCase))
        expect(tensorsOf(rows.draw(kernelCase).x)[0]!.shape).toEqual(shapeOfX(kernelCase))
      }),
      { numRuns: 200 },
    )
    expect(seen).toEqual(new Set([0, 1, 2]))
  })

  test('stay within a limit of the task, lists included', () => {
    fc.assert(
      fc.property(lists.domain, (kernelCase) => {
        expect(largestArgument(kernelCase)).toBeLessThanOrEqual(1000)
      }),
    )
  })

  test('give way where an extent is an attribute as well', () => {
    const matrix = defineTask('Matrix', {
      ...base,
      inputs: { x: tensor({ dtype: 'float32', shape: ['m', 'n'] }) },
      outputs: { y: tensor.like('x') },
      attrs: { m: attr.int(1), n: attr.int(1) },
      golden: () => ({ y: empty }),
      domain: { m: dim({ max: 5000 }), n: dim({ max: 5000 }) },
      maxElements: 1000,
      cases: [{ m: 2, n: 3 }],
    })
    for (const kernelCase of fc.sample(matrix.domain, { numRuns: 100, seed: 1 })) {
      expect(largestArgument(kernelCase)).toBeLessThanOrEqual(1000)
      expect(shapeOfX(kernelCase)).toEqual([kernelCase.attrs.m, kernelCase.attrs.n])
    }
  })

  test('meet all ranks, tails of blocks and more rows than cores', () => {
    const shapes = fc.sample(rows.domain, { numRuns: 2000, seed: 1 }).map(shapeOfX)
    expect(new Set(shapes.map((shape) => shape.length))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8]))
    const last = new Set(shapes.map((shape) => shape.at(-1)!))
    for (const extent of [1, 15, 16, 17, 31, 32, 33, 127, 128, 129, 255, 256, 257, 4095, 4096, 4097]) {
      expect(last).toContain(extent)
    }
    const batches = new Set(shapes.map((shape) => shape.slice(0, -1).reduce((size, extent) => size * extent, 1)))
    for (const count of [1, 24, 48, 49]) expect(batches).toContain(count)
    expect(shapes.filter((shape) => shape.at(-1)! % 16 !== 0).length).toBeGreaterThan(1000)
  })

  test('are the same for the same seed', () => {
    expect(sample(5)).toEqual(sample(5))
    expect(sample(5)).not.toEqual(sample(6))
  })

  test('shrink to the smallest failing shape and keep the seed of the inputs', () => {
    const seeds = new Set<number>()
    const result = fc.check(
      fc.property(rows.domain, (kernelCase) => {
        const fails = shapeOfX(kernelCase).at(-1)! > 100
        if (fails) seeds.add(kernelCase.seed)
        return !fails
      }),
      { seed: 1, numRuns: 500 },
    )
    expect(shapeOfX(result.counterexample![0])).toEqual([101])
    expect(result.counterexample![0]).toMatchObject({ combination: 0, attrs: { axis: 0 } })
    expect(seeds.size).toBe(1)
  })

  test('may be rows of an arbitrary; rows beyond the limit are left out', () => {
    const task = defineTask('Whole', {
      ...base,
      inputs: { x: tensor({ dtype: 'float16', shape: ['n'] }) },
      outputs: { y: tensor.like('x') },
      golden: () => ({ y: empty }),
      domain: fc.constantFrom({ x: [7] }, { x: [100_000] }),
      cases: [{ x: [1] }],
    })
    expect(new Set(fc.sample(task.domain, 50).flatMap(shapeOfX))).toEqual(new Set([7]))
  })
})

test('an extent keeps to its limits, tries what it is told to be near, and shrinks to its least', () => {
  const extent = new Extent({ min: 16, max: 700, near: [600] })
  const seen = new Set(fc.sample(extent, { numRuns: 3000, seed: 2 }))
  expect(Math.min(...seen)).toBe(16)
  expect(Math.max(...seen)).toBe(700)
  for (const value of [599, 600, 601, 699]) expect(seen).toContain(value)
  const { counterexample } = fc.check(fc.property(extent, (value) => value < 0))
  expect(counterexample).toEqual([16])
})
