import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesView, emptyTensor, type DType, type Tensor } from '../model/index.ts'
import { specialValues } from './adversarial.ts'
import {
  absolute,
  bool,
  byCase,
  byDtype,
  drawn,
  eitherSign,
  normal,
  oneOf,
  randint,
  shifted,
  uniform,
  widened,
  within,
  withNonFinite,
} from './draw.ts'
import type { Draw, DrawContext } from './draw.ts'
import { planted, RandomStream, tiedTo, toFloat64 } from './index.ts'

function draw(
  how: Draw,
  dtype: DType,
  shape: number[],
  context: Partial<DrawContext> & { seed?: number } = {},
): Tensor {
  const target = emptyTensor(dtype, shape)
  const { seed = 1, ...rest } = context
  how.write(target, {
    random: new RandomStream(seed, 'x'),
    adversarial: false,
    drawn: {},
    shapes: {},
    attrs: {},
    content: {},
    ...rest,
  })
  return target
}

const digest = (tensor: Tensor) => createHash('sha256').update(bytesView(tensor)).digest('hex').slice(0, 16)

describe('the same seed gives the same bytes on every machine', () => {
  test.each([
    ['normal float32', normal(), 'float32', 'c1d6130732b6ab65'],
    ['normal float16', normal(), 'float16', 'e6bb483e3abf9b64'],
    ['uniform bfloat16', uniform(-1, 1), 'bfloat16', '29b8ddb0a4776e49'],
    ['randint int32', randint(-10, 9), 'int32', '5885217d30778f02'],
  ] as const)('%s', (_, how, dtype, expected) => {
    expect(digest(draw(how, dtype, [10_000]))).toBe(expected)
  })

  test('streams of one seed with different labels are different', () => {
    const first = new RandomStream(1, 'x')
    const second = new RandomStream(1, 'y')
    const third = new RandomStream(2, 'x')
    const words = [first, second, third].map((stream) => Array.from({ length: 4 }, () => stream.next()).join())
    expect(new Set(words).size).toBe(3)
  })

  test('words drawn in bulk are those drawn one by one', () => {
    const bulk = new Uint32Array(100)
    new RandomStream(7, 'x').words(bulk)
    const single = new RandomStream(7, 'x')
    expect([...bulk]).toEqual(Array.from({ length: 100 }, () => single.next()))
  })
})

test('normal values have the moments and the tails of a normal distribution', () => {
  const values = toFloat64(draw(normal(2, 3), 'float64', [1_000_000])).map((value) => (value - 2) / 3)
  const moment = (power: number) => values.reduce((sum, value) => sum + value ** power, 0) / values.length
  expect(moment(1)).toBeCloseTo(0, 2)
  expect(moment(2)).toBeCloseTo(1, 2)
  expect(moment(3)).toBeCloseTo(0, 1)
  expect(moment(4)).toBeCloseTo(3, 1)
  const beyond = (limit: number) => values.filter((value) => Math.abs(value) > limit).length / values.length
  expect(beyond(1)).toBeCloseTo(0.3173, 2)
  expect(beyond(3) / 0.0027).toBeCloseTo(1, 0)
  expect(beyond(4)).toBeGreaterThan(0)
})

test.each(['float16', 'bfloat16', 'int8', 'bool'] as const)('a large %s tensor begins like a small one', (dtype) => {
  const how = within(-100, 100, normal(0, 9))
  const small = [...toFloat64(draw(how, dtype, [5001]))]
  expect([...toFloat64(draw(how, dtype, [100_001]))].slice(0, 5001)).toEqual(small)
  // the table of the large one is at hand now
  expect([...toFloat64(draw(how, dtype, [5001]))]).toEqual(small)
})

test('large 16-bit tensors keep the moments and the tails, and neighbours know nothing of each other', () => {
  const values = toFloat64(draw(normal(), 'float16', [1_000_000]))
  const mean = (of: (value: number, i: number) => number) => values.reduce((sum, v, i) => sum + of(v, i), 0) / 1e6
  expect(mean((value) => value)).toBeCloseTo(0, 2)
  expect(mean((value) => value ** 2)).toBeCloseTo(1, 2)
  expect(mean((value) => value ** 4)).toBeCloseTo(3, 1)
  expect(Math.max(...values.filter((_, i) => i % 10 === 0))).toBeGreaterThan(4)
  for (const distance of [1, 2, 4095, 4096])
    expect(Math.abs(mean((value, i) => value * values[(i + distance) % 1_000_000]!))).toBeLessThan(0.005)
})

test('uniform, randint and bool stay in range and reach both ends', () => {
  const reals = toFloat64(draw(uniform(-2, 3), 'float64', [10_000]))
  expect(Math.min(...reals)).toBeGreaterThanOrEqual(-2)
  expect(Math.min(...reals)).toBeLessThan(-1.99)
  expect(Math.max(...reals)).toBeLessThan(3)
  expect(new Set(toFloat64(draw(randint(-2, 2), 'int8', [1000])))).toEqual(new Set([-2, -1, 0, 1, 2]))
  expect(new Set(toFloat64(draw(bool(), 'bool', [100])))).toEqual(new Set([0, 1]))
})

test('compositions: magnitudes are not negative, limits hold, each dtype has its own draw', () => {
  expect(Math.min(...toFloat64(draw(absolute(normal(0.01, 10)), 'float32', [5000])))).toBeGreaterThanOrEqual(0)
  expect(Math.max(...toFloat64(draw(within(-1, 1, normal()), 'float32', [5000])).map(Math.abs))).toBe(1)
  const mixed = byDtype(normal(), { int8: randint(5, 5) })
  expect([...toFloat64(draw(mixed, 'int8', [3]))]).toEqual([5, 5, 5])
  expect(toFloat64(draw(mixed, 'float32', [3]))[0]).not.toBe(5)
})

test('an index draw sees shapes and attributes', () => {
  const indices = drawn((target, { random, shapes, attrs }) =>
    Array.from({ length: target.shape[0]! }, () => random.below(shapes.x![0]![0]!) + Number(attrs.offset)),
  )
  const values = toFloat64(draw(indices, 'int64', [500], { shapes: { x: [[4]] }, attrs: { offset: 100 } }))
  expect(new Set(values)).toEqual(new Set([100, 101, 102, 103]))
})

test('a draw may depend on the case; generated cases may have a distribution of their own', () => {
  const chosen = byCase(({ attrs }) => randint(Number(attrs.from), Number(attrs.from)))
  expect([...toFloat64(draw(chosen, 'int8', [2], { attrs: { from: 3 } }))]).toEqual([3, 3])
  const wide = widened(randint(1, 1), randint(2, 2))
  expect([...toFloat64(draw(wide, 'int8', [1]))]).toEqual([1])
  expect([...toFloat64(draw(wide, 'int8', [1], { adversarial: true }))]).toEqual([2])
})

test('planted values are there, in every tensor large enough, wherever the stream puts them', () => {
  const values = toFloat64(draw(planted(uniform(0, 1), [Infinity, -Infinity, NaN]), 'float16', [4096]))
  for (const special of [Infinity, -Infinity, NaN]) expect(new Set(values).has(special)).toBe(true)
  expect([...values].filter(Number.isFinite)).toHaveLength(4093)
})

test('in generated cases they are among the last elements alone now and then, and who leaves out a tail misses them', () => {
  const seeds = Array.from({ length: 400 }, (_, seed) => seed)
  const shareOf =
    (length: number, lookedAt?: () => { count: number; step: number }) => (isMissed: (at: number) => boolean) =>
      seeds.filter((seed) => {
        const values = toFloat64(
          draw(planted(uniform(0, 1), [7], lookedAt), 'float32', [length], { seed, adversarial: true }),
        )
        const places = [...values.keys()].filter((at) => values[at] === 7)
        expect(places).toHaveLength(1)
        return isMissed(places[0]!)
      }).length / seeds.length
  const share = shareOf(999)
  expect(share((at) => at === 998)).toBeGreaterThan(0.15)
  expect(share((at) => at >= 992)).toBeGreaterThan(0.25)
  expect(share((at) => at >= 960)).toBeGreaterThan(0.35)
  expect(share((at) => at < 500)).toBeGreaterThan(0.15)
  const strided = shareOf(999, () => ({ count: 100, step: 3 }))
  expect(strided((at) => at % 3 !== 0 || at > 297)).toBe(0)
  expect(strided((at) => at === 297)).toBeGreaterThan(0.15)
})

test('whole numbers stay whole in float dtypes, in generated cases too', () => {
  const seeds = Array.from({ length: 200 }, (_, seed) => seed)
  const values = seeds.flatMap((seed) => [
    ...toFloat64(draw(randint(0, 9), 'float32', [64], { seed, adversarial: true })),
  ])
  expect(values.filter((value) => !Number.isInteger(value))).toEqual([])
  expect(new Set(values)).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]))
})

const signed = (seed: number, adversarial: boolean) => [
  ...toFloat64(draw(eitherSign(within(0.5, 2, normal(1))), 'float16', [64], { seed, adversarial })),
]

describe('generated cases', () => {
  const seeds = Array.from({ length: 200 }, (_, seed) => seed)
  const gather = (how: Draw, dtype: DType) =>
    new Set(seeds.flatMap((seed) => [...toFloat64(draw(how, dtype, [64], { seed, adversarial: true }))]))

  test('hold zeros of both signs, subnormals and extremes of the dtype', () => {
    const values = gather(normal(), 'float16')
    for (const special of [0, 2 ** -24, 2 ** -14, 65504, -65504]) expect(values).toContain(special)
    expect(
      seeds.some((seed) =>
        toFloat64(draw(normal(), 'float16', [64], { seed, adversarial: true })).some((v) => Object.is(v, -0)),
      ),
    ).toBe(true)
  })

  test('hold NaN and infinities only where the task defines them', () => {
    const plain = [...gather(normal(), 'float32')]
    expect(plain.every(Number.isFinite)).toBe(true)
    const wild = gather(withNonFinite(normal()), 'float32')
    for (const special of [NaN, Infinity, -Infinity]) expect(wild.has(special)).toBe(true)
  })

  test('never leave the legal range of a draw', () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom<DType>('float16', 'bfloat16', 'float32'), (seed, dtype) => {
        const values = toFloat64(draw(within(-3, 0.5, normal()), dtype, [64], { seed, adversarial: true }))
        expect(values.every((value) => value >= -3 && value <= 0.5)).toBe(true)
      }),
    )
  })

  test('may lie far from 0 as a whole, without leaving what is legal there', () => {
    const near = within(-4, 4, normal())
    const levels = seeds.map((seed) => {
      const values = toFloat64(
        draw(oneOf(near, shifted(1000, near), shifted(-1000, near)), 'float32', [64], { seed, adversarial: true }),
      )
      const level = 1000 * Math.round(values[0]! / 1000)
      expect(values.every((value) => Math.abs(value - level) <= 4)).toBe(true)
      return level
    })
    for (const level of [-1000, 0, 1000])
      expect(levels.filter((each) => each === level).length / seeds.length).toBeCloseTo(1 / 3, 1)
  })

  test('hold magnitudes with either sign, random or negative throughout, and nothing nearer to 0', () => {
    for (const seed of seeds) {
      const values = signed(seed, true)
      expect(values.every((value) => Math.abs(value) >= 0.5 && Math.abs(value) <= 2)).toBe(true)
      expect(signed(seed, false).every((value) => value > 0)).toBe(true)
    }
    const negative = seeds.filter((seed) => signed(seed, true).every((value) => value < 0))
    expect(negative.length / seeds.length).toBeCloseTo(1 / 4, 1)
    expect(seeds.some((seed) => new Set(signed(seed, true).map(Math.sign)).size === 2)).toBe(true)
  })

  test('static cases follow the plain distribution', () => {
    for (const seed of seeds) {
      expect(Math.max(...toFloat64(draw(normal(), 'float32', [64], { seed })).map(Math.abs))).toBeLessThan(6)
    }
  })

  test('integer extremes are those of the dtype', () => {
    expect(specialValues('int8', normal())).toEqual(expect.arrayContaining([-128, 127, 0]))
    expect(specialValues('uint16', normal())).toEqual(expect.arrayContaining([65535]))
    expect(specialValues('int32', randint(0, 9))).toEqual([0, 1, 9])
  })
})

test('tied arguments hold equal pairs and nearest neighbours', () => {
  const first = draw(normal(), 'float32', [8000])
  const second = draw(tiedTo('x1', normal()), 'float32', [8000], { seed: 9, drawn: { x1: first } })
  const [left, right] = [new Int32Array(first.data.buffer), new Int32Array(second.data.buffer)]
  const distances = left.map((bits, i) => Math.abs(bits - right[i]!))
  expect(distances.filter((distance) => distance === 0).length / 8000).toBeCloseTo(0.25, 1)
  expect(distances.filter((distance) => distance === 1).length / 8000).toBeCloseTo(0.125, 1)
  expect(() => draw(tiedTo('x1', normal()), 'float32', [8])).toThrow(/no earlier tensor argument/)
})

test('a draw that is not made of independent elements cannot be composed', () => {
  expect(() => absolute(drawn(() => [1]))).toThrow(/absolute\(\) takes/)
  expect(() =>
    shifted(
      1,
      drawn(() => [1]),
    ),
  ).toThrow(/shifted\(\) takes/)
})
