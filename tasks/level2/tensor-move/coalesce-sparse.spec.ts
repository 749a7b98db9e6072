import * as fc from 'fast-check'
import {
  byDtype,
  dim,
  type DrawContext,
  drawn,
  exact,
  kernelSuite,
  normal,
  randint,
  type RandomStream,
  tensor,
  toFloat64,
  widened,
  within,
} from 'vitest-npu'
import { coalesce } from '../../../references/golden/movement.ts'

const integers = {
  flat: ['int64', 'int64', 'int64', 'int64', 'int64', 'int64', 'int32', 'int32', 'int32', 'int32', 'int32', 'int32'],
  index: ['int64', 'int64', 'int64', 'int32', 'int32', 'int32', 'int64', 'int64', 'int64', 'int32', 'int32', 'int32'],
} as const
const valueTypes = ['float32', 'int32', 'float16'] as const
const types = [...valueTypes, ...valueTypes, ...valueTypes, ...valueTypes]

// Published as normal numbers in an integer type, which its own framework refuses: small ones stand for them.
const whole = widened(randint(-2, 2), randint(-(2 ** 31), 2 ** 31 - 1))

/** Indices are below this in every dimension: 10 in public cases, in generated ones as much as fits into 31 bits together. */
const extentOf = (dimensions: number, { adversarial }: DrawContext): number =>
  adversarial ? Math.max(10, Math.floor(2 ** (31 / dimensions))) : 10

// Ascending coordinates, flattened, all different: as many as there are rows in the result.
const coordinates = drawn((target, context) => {
  const dimensions = context.shapes.indices![0]![1]!
  const cells = extentOf(dimensions, context) ** dimensions
  return distinct(target.data.length, Math.min(cells, 2 ** 31), context.random)
})

function distinct(count: number, cells: number, random: RandomStream): number[] {
  const found = new Set<number>()
  // The last values of a range that is almost used up are taken as they come.
  for (let tries = 0; found.size < count && tries < 20 * count; tries++) found.add(random.below(cells))
  for (let next = 0; found.size < count; next++) found.add(next)
  return [...found].sort((one, other) => one - other)
}

// Which row every entry goes to: each row at least once, in any order.
const rowOfEntry = drawn((target, { random, shapes }) => {
  const [count, rows] = [target.data.length, shapes.unique_len![0]![0]!]
  const places = Array.from({ length: count }, (_, i) => (i < rows ? i : random.below(rows)))
  for (let i = count - 1; i > 0; i--) {
    const j = random.below(i + 1)
    ;[places[i], places[j]] = [places[j]!, places[i]!]
  }
  return places
})

const digits = drawn((target, context) => {
  const { unique_len: flat, unique_indices: places } = context.drawn
  if (!flat || !places || !('data' in flat) || !('data' in places)) throw new TypeError('the coordinates come first')
  const dimensions = target.shape[1]!
  const extent = extentOf(dimensions, context)
  return [...toFloat64(places)].flatMap((row) =>
    Array.from({ length: dimensions }, (_, axis) => {
      const position = dimensions - 1 - axis
      // as far from 0 as the low half of an index does not tell
      return (
        (Math.floor(Number(flat.data[row]) / extent ** position) % extent) +
        (context.adversarial && target.dtype === 'int64' ? 2 ** 33 : 0)
      )
    }),
  )
})

// The number of rows of the result, where entries are as random as the public ones.
const row = (dimensions: number, values: number[], rows: number, dtype: (typeof valueTypes)[number]) => ({
  entries: values[0]!,
  dimensions,
  tail: values.slice(1),
  rows,
  dtype: valueTypes.indexOf(dtype),
})

kernelSuite('CoalesceSparse', {
  category: 'TensorMove',
  kernel: 'coalesce_sparse',
  description:
    'Adds up the entries of a sparse tensor that go to the same row: new_values[unique_indices[i]] += values[i], new_indices[unique_indices[i]] = indices[i], for every entry i. new_values arrives filled with zeros; rows are as many as unique_len has elements. int32 wraps around.',
  inputs: {
    unique_len: tensor({ dtype: integers.flat, shape: ['rows'], draw: coordinates }),
    unique_indices: tensor({ dtype: integers.flat, shape: ['entries'], draw: rowOfEntry }),
    indices: tensor({ dtype: integers.index, shape: ['entries', 'dimensions'], draw: digits }),
    values: tensor({
      dtype: types,
      shape: ['entries', '...tail'],
      draw: byDtype(within(-32, 32, normal()), { int32: whole }),
    }),
  },
  outputs: {
    new_indices: tensor({ dtype: integers.index, shape: ['rows', 'dimensions'] }),
    // Kernels add to what the caller has filled with zeros.
    new_values: tensor({ dtype: types, shape: ['rows', '...tail'], zeroed: true }),
  },
  golden: ({ unique_len: flat, unique_indices: places, indices, values }) => {
    const sums = coalesce(places, indices, values, flat.shape[0]!)
    return { new_indices: sums.indices, new_values: sums.values }
  },
  domain: fc
    .record({
      dimensions: fc.integer({ min: 1, max: 12 }),
      entries: dim({ max: 2048 }),
      tail: dim.list({ max: 3, last: { max: 1024 } }),
      share: fc.constantFrom(0.01, 0.2, 0.9, 1),
    })
    .map(({ dimensions, entries, tail, share }) => {
      const rows = Math.max(1, Math.round(Math.min(entries, 10 ** dimensions) * share))
      return { dimensions, entries, tail, rows }
    }),
  // Sums in the dtype itself, in any order; all roundings of a sum may go one way.
  strict: (context) => {
    if (context.output === 'new_indices' || context.dtype === 'int32') return exact(context)
    const unit = context.dtype === 'float16' ? 2 ** -11 : 2 ** -24
    return { absolute: 0, relative: 0, scaled: unit }
  },
  benchmark: { note: 'float16 is added up in the order of the entries; nnz beyond 2048 is not tested' },
  cases: [
    row(8, [13, 7, 2, 3], 13, 'float16'),
    row(8, [5, 7, 2], 5, 'float32'),
    row(2, [64], 47, 'float16'),
    row(1, [128, 10], 10, 'int32'),
    row(3, [256, 128, 64], 226, 'float32'),
    row(1, [1, 1], 1, 'float16'),
    row(10, [10], 10, 'int32'),
    row(2, [2048, 8, 4], 100, 'float32'),
    row(12, [12, 12], 12, 'float16'),
    row(1, [1000], 10, 'float32'),
  ],
})
