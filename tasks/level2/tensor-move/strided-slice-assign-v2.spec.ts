import * as fc from 'fast-check'
import {
  byDtype,
  dim,
  exact,
  kernelSuite,
  normal,
  randint,
  tensor,
  toFloat64,
  uniform,
  widened,
  withNonFinite,
} from 'vitest-npu'
import { assignSlice, sliceLength, type Slice } from '../../../references/golden/movement.ts'

const values = byDtype(widened(uniform(0, 1), withNonFinite(normal())), {
  int8: randint(-128, 127),
  int32: randint(-(2 ** 31), 2 ** 31 - 1),
  int64: randint(-(2 ** 53), 2 ** 53),
})

// Slices of the listed axes; without a list, of the first ones.
function slicing(shape: number[], slices: readonly Slice[], axes: readonly number[] | null) {
  const slice = shape.map((extent, axis) => {
    const entry = slices[axes ? axes.indexOf(axis) : axis]
    return entry ? sliceLength(entry, extent) : extent
  })
  const [begin, end, strides] = (['begin', 'end', 'stride'] as const).map((key) => slices.map((entry) => entry[key]))
  const lists = { begin: begin!, end: end!, strides: strides! }
  if (!axes) return { var: shape, slice, entries: slices.length, axes: null, values: lists }
  return { var: shape, slice, entries: slices.length, values: { ...lists, axes } }
}

// Fractions of every extent, in the wanted order of axes. The operator takes no stride but 1 along the innermost axis.
const rows = fc
  .record({
    shape: dim.list({ min: 1, max: 8, last: { max: 4096 } }),
    parts: fc.array(
      fc.record({
        from: fc.constantFrom(0, 0, 0.1, 0.5, 0.9),
        to: fc.constantFrom(1, 1, 0.95, 0.6),
        stride: fc.constantFrom(1, 1, 2, 3),
        negative: fc.boolean(),
      }),
      { minLength: 8, maxLength: 8 },
    ),
    count: fc.integer({ min: 1, max: 8 }),
    order: fc.constantFrom<'none' | 'ascending' | 'descending'>('none', 'ascending', 'descending'),
    skipped: fc.nat({ max: 7 }),
  })
  .map(({ shape, parts, count, order, skipped }) => {
    const first = order === 'none' ? 0 : skipped % shape.length
    const listed = shape.map((_, axis) => axis).slice(first, first + count)
    if (order === 'descending') listed.reverse()
    const slices = listed.map((axis) => {
      const { from, to, negative } = parts[axis]!
      const stride = axis === shape.length - 1 ? 1 : parts[axis]!.stride
      const extent = shape[axis]!
      const begin = Math.floor(from * extent)
      const end = Math.max(begin + 1, Math.ceil(to * extent))
      return { begin: negative ? begin - extent : begin, end: negative && end < extent ? end - extent : end, stride }
    })
    return slicing(shape, slices, order === 'none' ? null : listed)
  })

const row = (dtype: string, shape: number[], begin: number[], end: number[], strides: number[]) => ({
  ...slicing(
    shape,
    begin.map((from, i) => ({ begin: from, end: end[i]!, stride: strides[i]! })),
    begin.map((_, axis) => axis),
  ),
  dtype,
})

kernelSuite('StridedSliceAssignV2', {
  category: 'TensorMove',
  kernel: 'strided_slice_assign_v2',
  description:
    'Overwrites, in place, a strided slice of var with input_value, which has the shape of the slice: begin, end and strides hold an entry for each listed axis (axes; the first ones where it is absent), negative positions count from the end, other axes are taken whole. All of them are known to the host.',
  inputs: {
    var: tensor({
      dtype: ['float16', 'float32', 'bfloat16', 'int32', 'int64', 'float64', 'int8'],
      shape: ['...shape'],
      draw: values,
    }),
    input_value: tensor({
      dtype: ['float16', 'float32', 'bfloat16', 'int32', 'int64', 'float64', 'int8'],
      shape: ['...slice'],
      draw: values,
    }),
    // Known to the host: every case fixes them.
    begin: tensor({ dtype: 'int64', shape: ['entries'] }),
    end: tensor({ dtype: 'int64', shape: ['entries'] }),
    strides: tensor({ dtype: 'int64', shape: ['entries'] }),
    axes: tensor({ dtype: 'int64', shape: ['entries'], optional: true }),
  },
  outputs: { var: tensor.like('var', { aliases: 'var' }) },
  golden: ({ var: variable, input_value: value, begin, end, strides, axes }) => {
    const [from, to, steps] = [begin, end, strides].map(toFloat64)
    const listed = axes && [...toFloat64(axes)]
    const slices = variable.shape.map((extent, axis) => {
      const entry = listed ? listed.indexOf(axis) : axis
      if (entry < 0 || entry >= from!.length) return { begin: 0, end: extent, stride: 1 }
      return { begin: from![entry]!, end: to![entry]!, stride: steps![entry]! }
    })
    return { var: assignSlice(variable, value, slices) }
  },
  domain: rows,
  strict: exact,
  benchmark: { note: 'no negative position, no list of axes out of order' },
  cases: [
    row('float16', [10, 10], [0], [5], [1]),
    row('float16', [100], [5], [25], [1]),
    row('float32', [32, 32, 32], [0, 0], [32, 16], [2, 1]),
    row('float16', [1, 4096], [0, 0], [1, 4096], [1, 1]),
    row('float32', [256, 384, 128], [0, 0, 0], [256, 384, 128], [1, 2, 1]),
    row('float32', [4, 3], [1, 0], [4, 2], [2, 1]),
  ],
})
