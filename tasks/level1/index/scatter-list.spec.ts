import * as fc from 'fast-check'
import {
  attr,
  bool,
  dim,
  drawn,
  exact,
  kernelSuite,
  normal,
  tensor,
  tensorList,
  widened,
  withNonFinite,
} from 'vitest-npu'
import { scatterList } from '../../../references/golden/index.ts'

const repeat = (count: number, shape: number[]) => Array.from({ length: count }, () => shape)
// Integers are drawn as rounded normal numbers, so generated ones are spread wider.
const content = widened(normal(), withNonFinite(normal(0, 30)))
const types = ['int8', 'int16', 'int32', 'uint8', 'uint16', 'uint32', 'float16', 'bfloat16', 'float32'] as const
const narrow = types.map(() => 'int32' as const)
const wide = types.map(() => 'int64' as const)

// Whatever is not 0 counts.
const masks = widened(
  bool(),
  drawn(({ data: { length } }, { random }) => Array.from({ length }, () => [0, 0, 1, 2, 128, 255][random.below(6)]!)),
)

// (start, length) per tensor: 1 … all slices of updates, placed where they fit into var.
const ranges = drawn((target, { random, shapes, attrs }) => {
  const axis = Number(attrs.axis)
  const extent = shapes.var![0]!.at(axis)!
  const available = shapes.updates![0]!.at(axis)!
  return Array.from({ length: target.shape[0]! }).flatMap(() => {
    const length = random.below(available + 1)
    return [random.below(extent - length + 1), length]
  })
})

const shapes = fc
  .record({
    n: dim({ max: 8 }),
    shape: dim.list({ min: 1, max: 4, last: { max: 2049 } }),
    axis: fc.nat({ max: 3 }),
    share: fc.integer({ min: 1, max: 4 }),
    masked: fc.boolean(),
  })
  .map(({ n, shape, axis, share, masked }) => {
    const counted = -1 - (axis % shape.length)
    const updates = shape.with(counted, Math.max(1, Math.floor((shape.at(counted)! * share) / 4)))
    const row = { var: repeat(n, shape), updates: [n, ...updates], axis: counted }
    return masked ? row : { ...row, mask: null }
  })

const float16 = 15

kernelSuite('ScatterList', {
  category: 'Index',
  kernel: 'scatter_list',
  description:
    'Overwrites, in place, a part of every tensor of a list along `axis` (negative: counted from the last). With (start, length) = indice[t]: positions start ... start + length - 1 of var[t] take positions 0 ... length - 1 of updates[t]; all other elements stay. Tensors with mask[t] = 0 are left as they are.',
  inputs: {
    var: tensorList({ dtype: [...types, ...types], shape: ['...s'], length: 'n', draw: content }),
    indice: tensor({ dtype: [...narrow, ...wide], shape: ['n', 2], draw: ranges }),
    updates: tensor({ dtype: [...types, ...types], shape: ['n', '...u'], draw: content }),
    mask: tensor({ dtype: 'uint8', shape: ['n'], optional: true, draw: masks }),
  },
  // In place: the kernel gets the list twice.
  outputs: { var: tensorList.like('var', { aliases: 'var' }) },
  attrs: { reduce: attr.string('update'), axis: attr.int(-2) },
  golden: (inputs, { axis }) => ({ var: scatterList(inputs.var, inputs.indice, inputs.updates, inputs.mask, axis) }),
  domain: shapes,
  strict: exact,
  benchmark: { note: 'rows 4 and 5 mask everything out: doing nothing passes them' },
  // Every public row is float16 with int64 indices.
  cases: [
    { var: [[32, 512, 128]], dtype: float16, axis: -2, values: { mask: [1] } },
    { var: [[8, 16, 32]], dtype: float16, axis: -2, values: { mask: [1] } },
    { var: [[64, 128]], dtype: float16, axis: -1, values: { mask: [1] } },
    { var: repeat(3, [32, 64, 64]), dtype: float16, axis: -2, values: { mask: [1, 1, 0] } },
    { var: repeat(2, [8, 1024]), dtype: float16, axis: -1, values: { mask: [0, 0] } },
    { var: [[5, 3, 4]], dtype: float16, axis: -1, values: { mask: [0] } },
    { var: [[256, 512]], dtype: float16, axis: -1, values: { mask: [1] } },
  ].map((row) => ({ ...row, updates: [row.var.length, ...row.var[0]!] })),
})
