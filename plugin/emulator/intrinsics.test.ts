import { describe, expect, test } from 'vitest'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'

const device = useOperator(interfaceOf('Intrinsics', 'intrinsics', ['mode'], ['float32']))

/** Launches one mode on x = 1, 2, 3, … */
async function launch(mode: number, size: number) {
  const data = Float32Array.from({ length: 128 }, (_, i) => i + 1)
  return await device.run({
    x: { dtype: 'float32', shape: [data.length], data },
    y: { dtype: 'float32', shape: [size] },
    attrs: { mode },
  })
}

async function numbersOf(mode: number, size: number): Promise<number[]> {
  const { result, y } = await launch(mode, size)
  if (!result.ok) throw new Error(JSON.stringify(result, null, 2))
  expect(result.reports).toEqual([])
  return Array.from(y.data, Number)
}

const counting = (length: number, at: (i: number) => number): number[] => Array.from({ length }, (_, i) => at(i))

const names =
  'vadd vsub vmul vdiv vmax vmin vand vabs vexp vln vsqrt vrsqrt vrec vrelu vnot vadds vmuls vmaxs vmins vaxpy vmla'
    .split(' ')
    .map(String)
const view = new DataView(new ArrayBuffer(4))
const bitsOf = (value: number): number => (view.setFloat32(0, value), view.getInt32(0))
const floatOf = (bits: number): number => (view.setInt32(0, bits), view.getFloat32(0))

describe('builtins of the compiler', () => {
  test('copy blocks with gaps on both sides', async () => {
    expect(await numbersOf(0, 16)).toEqual(counting(16, (i) => (i < 8 ? i + 1 : i + 9)))
  })

  test('copy bytes, and pad with the value that was set', async () => {
    const y = await numbersOf(1, 18)
    expect(y.slice(0, 6)).toEqual([9, 1, 2, 3, 9, 9])
    expect(y.slice(7, 13)).toEqual([9, 5, 6, 7, 9, 9])
    expect(y.slice(16)).toEqual([3, 4])
  })

  test('keep elements by a pattern, as long as the mask register says in counter mode', async () => {
    const y = await numbersOf(2, 42)
    expect(y.slice(0, 32)).toEqual(counting(32, (i) => 2 * i + 1))
    expect(y.slice(32)).toEqual([2, 4, 6, 8, 10, 2, 4, 6, 8, 10])
  })

  test('add and compare in global memory', async () => {
    expect(await numbersOf(3, 8)).toEqual(counting(8, (i) => Math.max(2 * (i + 1), i + 9)))
  })

  test.each([
    ['vadd', (a: number, b: number) => a + b],
    ['vsub', (a: number, b: number) => a - b],
    ['vmul', (a: number, b: number) => a * b],
    ['vdiv', (a: number, b: number) => a / b],
    ['vmax', Math.max],
    ['vmin', Math.min],
    ['vand', (a: number, b: number) => floatOf(bitsOf(a) & bitsOf(b))],
    ['vabs', (a: number) => a],
    ['vexp', Math.exp],
    ['vln', Math.log],
    ['vsqrt', Math.sqrt],
    ['vrsqrt', (a: number) => 1 / Math.sqrt(a)],
    ['vrec', (a: number) => 1 / a],
    ['vrelu', (a: number) => a],
    ['vnot', (a: number) => floatOf(~bitsOf(a))],
    ['vadds', (a: number) => a + 3],
    ['vmuls', (a: number) => a * 3],
    ['vmaxs', (a: number) => Math.max(a, 3)],
    ['vmins', (a: number) => Math.min(a, 3)],
    ['vaxpy', (a: number) => a * 3 + 0.5],
    ['vmla', (a: number, b: number) => a * b + 0.5],
  ] as const)('%s computes the lanes of the mask register', async (name, of) => {
    const y = await numbersOf(10 + names.indexOf(name), 64)
    const coarse = name === 'vrsqrt' || name === 'vrec' ? 2 ** -7 : 2 ** -22
    y.forEach((value, i) => {
      const expected = of(i + 1, i + 65)
      expect(Math.abs(value - expected)).toBeLessThanOrEqual(coarse * Math.abs(expected))
    })
  })

  test('do not add before they know of what type', async () => {
    expect(JSON.stringify((await launch(4, 8)).result)).toMatch(/follow the element type/)
  })

  test('let cores wait for each other', async () => {
    expect(await numbersOf(5, 16)).toEqual(counting(16, (i) => (i < 8 ? i + 9 : i - 7)))
  })
})
