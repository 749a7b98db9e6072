import * as fc from 'fast-check'
import {
  absoluteAndRelative,
  attr,
  byDtype,
  dim,
  exact,
  kernelSuite,
  normal,
  randint,
  tensor,
  widened,
  within,
} from 'vitest-npu'
import { cross, crossInSteps } from '../../../references/golden/linalg.ts'

// Products stay finite.
const values = byDtype(within(-(2 ** 60), 2 ** 60, normal()), {
  float16: within(-128, 128, normal()),
  int8: widened(randint(-2, 2), randint(-128, 127)),
  int32: widened(randint(-2, 2), randint(-(2 ** 31), 2 ** 31 - 1)),
})

/** Stands for the first axis of extent 3. */
const FIRST = -65530

const axisOf = (shape: readonly number[], dimension: number) =>
  dimension === FIRST ? shape.indexOf(3) : (dimension + shape.length) % shape.length

kernelSuite('Cross', {
  category: 'Linalg',
  kernel: 'cross',
  description:
    'Vector product along the axis dim, whose extent is 3: y[k] = x1[k+1] * x2[k+2] - x1[k+2] * x2[k+1], positions counted modulo 3. dim = -65530 stands for the first axis of extent 3. Integers wrap around.',
  inputs: {
    x1: tensor({ dtype: ['float32', 'float16', 'int32', 'int8'], shape: ['...shape'], draw: values }),
    x2: tensor.like('x1'),
  },
  outputs: { y: tensor.like('x1') },
  attrs: { dim: attr.int(FIRST) },
  golden: ({ x1, x2 }, { dim: dimension }) => ({ y: cross(x1, x2, axisOf(x1.shape, dimension)) }),
  domain: fc
    .record({
      outer: dim.list({ max: 4, last: { max: 64 } }),
      inner: dim.list({ max: 3, last: { max: 8192 } }),
      counted: fc.constantFrom<'front' | 'back' | 'first'>('front', 'front', 'back', 'first'),
    })
    .map(({ outer, inner, counted }) => {
      const x1 = [...outer, 3, ...inner]
      if (counted === 'first') return { x1 }
      return { x1, dim: counted === 'front' ? outer.length : -1 - inner.length }
    }),
  // Two products and their difference, which may cancel; float16 may round each of them.
  strict: (context) => {
    if (context.dtype.startsWith('int')) return exact(context)
    if (context.dtype === 'float16') return { absolute: 2 ** -24, relative: 2 ** -24, scaled: 2 ** -11 }
    return { absolute: 2 ** -148, relative: 2 ** -24, scaled: 2 ** -24 }
  },
  benchmark: {
    tolerance: absoluteAndRelative(0.01),
    reference: ({ x1, x2 }, { dim: dimension }) => ({ y: crossInSteps(x1, x2, axisOf(x1.shape, dimension)) }),
    note: 'integers are drawn as truncated normal numbers; an int8 result off by 128 passes',
  },
  cases: [
    { x1: [48, 3, 480], dim: 1, dtype: 'float32' },
    { x1: [32, 1, 3, 7168], dim: 2, dtype: 'float16' },
    { x1: [24, 3, 128], dim: 1, dtype: 'float32' },
    { x1: [48, 3, 4096], dim: 1, dtype: 'float16' },
    { x1: [24, 16, 3, 1024], dim: 2, dtype: 'int8' },
    { x1: [48, 1024, 3], dim: 2, dtype: 'int32' },
  ],
})
