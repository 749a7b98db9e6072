import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { KernelCase } from '../model/index.ts'
import { dim } from '../task/index.ts'
import { Draws } from './draws.ts'

const caseOf = (shape: number[], seed: number): KernelCase => ({
  task: 'T',
  name: 'generated',
  combination: 0,
  inputs: { x: { dtype: 'float32', shape } },
  outputs: {},
  attrs: {},
  seed,
})
const extent = fc.integer({ min: 1, max: 1000 })
const domain = fc
  .record({ shape: fc.tuple(extent, extent, extent, extent), seed: fc.noShrink(fc.nat()) })
  .map(({ shape, seed }) => caseOf(shape, seed))
const shapeOf = ({ inputs }: KernelCase): number[] => [inputs['x'] ?? []].flat()[0]?.shape ?? []

const numbers = Array.from({ length: 200 }, (_, i) => String(i))

const all = (seed: number): KernelCase[] => {
  const draws = new Draws(domain, seed)
  return [...numbers, '3.1', '3.1.7'].map((name) => draws.value(name).value)
}

test('a draw follows from the seed and its name', () => {
  expect(all(1)).toEqual(all(1))
  const [one, other] = [all(1), all(2)].map((cases) => new Set(cases.map((each) => JSON.stringify(each))))
  expect(one?.size).toBeGreaterThan(199)
  expect([...(one ?? [])].filter((each) => other?.has(each))).toEqual([])
})

test('a case is that of its name, whichever was asked for before', () => {
  const sized = fc
    .record({ rows: dim({ max: 64 }), size: dim({ max: 4096 }) })
    .map(({ rows, size }) => caseOf([rows, size], 0))
  const draws = new Draws(sized, 6)
  const names = ['3@1=777', '3', '3.1', '3.1@0=5', '3@1=778', '4']
  const expected = names.map((name) => shapeOf(new Draws(sized, 6).value(name).value))
  for (const order of [names, names.toReversed()]) {
    for (const name of order) expect(shapeOf(draws.case(name))).toEqual(expected[names.indexOf(name)])
    for (const name of order) expect(draws.extents(name)).toEqual(expected[names.indexOf(name)])
  }
  expect(new Set(expected.map(String)).size).toBeGreaterThan(3)
})

test('draws are spread over the domain', () => {
  const draws = new Draws(
    fc.integer({ min: 1, max: 1000 }).map((size) => caseOf([size], 0)),
    9,
  )
  const sizes = numbers.map((name) => shapeOf(draws.value(name).value)[0] ?? 0)
  for (const from of [1, 251, 501, 751])
    expect(sizes.filter((size) => size >= from && size < from + 250).length).toBeGreaterThan(10)
})

test('a variation is legal, and most of it is as it was', () => {
  const draws = new Draws(domain, 4)
  const changed = numbers.flatMap((name) => {
    const before = shapeOf(draws.value(name).value)
    const after = shapeOf(draws.value(`${name}.1`).value)
    for (const each of after) expect(each >= 1 && each <= 1000).toBe(true)
    return [after.filter((each, i) => each !== before[i]).length]
  })
  // all of a shape differ where another way was taken at its beginning
  expect(changed.filter((count) => count > 2).length).toBeLessThan(20)
  expect(changed.filter((count) => count > 0).length).toBeGreaterThan(100)
  const [shape, varied, again] = ['5', '5.2', '5.2.1'].map((name) => shapeOf(draws.value(name).value))
  expect(new Set([shape, varied, again].map(String)).size).toBeGreaterThan(1)
})

test('a draw shrinks within its domain, also to another branch', () => {
  const small = fc.integer({ min: 1, max: 5 }).map((size) => caseOf([size], 0))
  const either = fc.oneof({ withCrossShrink: true, maxDepth: 5 }, small, domain)
  const draws = new Draws(either, 4)
  const name = numbers.find((each) => shapeOf(draws.value(each).value).length === 4) ?? ''
  const value = draws.value(name)
  const shrunk = [...either.shrink(value.value, value.context).take(40)].map((each) => shapeOf(each.value))
  expect(shrunk.length).toBeGreaterThan(2)
  expect(shrunk.some((shape) => shape.length === 1)).toBe(true)
  const again = draws.value(name)
  expect([...either.shrink(again.value, again.context).take(40)].map((each) => shapeOf(each.value))).toEqual(shrunk)
})

test('a draw with an extent of its name is else as it was, and legal', () => {
  const draws = new Draws(
    fc
      .record({ rows: dim({ max: 64 }), size: dim({ max: 4096 }), seed: fc.noShrink(fc.nat()) })
      .map(({ rows, size, seed }) => caseOf([rows, size], seed)),
    4,
  )
  for (const name of numbers.slice(0, 50)) {
    const { seed, ...before } = draws.value(name).value
    const [rows, size] = shapeOf(draws.value(name).value)
    expect(draws.extents(name)).toEqual([rows, size])
    const longer = draws.value(`${name}@1=777`).value
    expect(longer).toEqual({ ...before, seed, inputs: caseOf([rows ?? 0, 777], 0).inputs })
    expect(shapeOf(draws.value(`${name}@1=777@0=9999`).value)).toEqual([64, 777])
    expect(shapeOf(draws.value(`${name}@0=0`).value)).toEqual([1, size])
  }
  // a variation of it keeps the extent that it has by name
  const varied = numbers.map((number) => shapeOf(draws.value(`3@1=777.${number}`).value))
  expect(varied.every(([, size]) => size === 777)).toBe(true)
  expect(new Set(varied.map(([rows]) => rows)).size).toBeGreaterThan(3)
})
