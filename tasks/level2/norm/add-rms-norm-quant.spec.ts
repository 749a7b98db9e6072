import * as fc from 'fast-check'
import {
  attr,
  byDtype,
  eitherSign,
  errorShare,
  kernelSuite,
  randint,
  tensor,
  uniform,
  widened,
  within,
} from 'vitest-npu'
import { addRmsNormQuant } from '../../../references/golden/norm.ts'
import { content, elementsOf, rows, summed, width } from './family.ts'

const dtype = ['float16', 'bfloat16', 'bfloat16'] as const
const scales = ['float32', 'bfloat16', 'float32'] as const
const zeros = ['int32', 'bfloat16', 'int32'] as const

const row = (x1: number[], column: number) => ({ x1, dtype: column, scales2: null, zero_points2: null })

kernelSuite('AddRmsNormQuant', {
  category: 'Norm',
  kernel: 'add_rms_norm_quant',
  description:
    'RMS normalisation of a sum over the last axis, quantised: x = x1 + x2, r = x / sqrt(mean(x^2) + epsilon) * gamma, y1 = int8(round(r / scales1 + zero_points1)) by column, rounded to nearest even and saturated at -128 and 127. x is an output as well. scales2 and zero_points2 are absent, y2 is not judged; div_mode is true.',
  inputs: {
    x1: tensor({ dtype, shape: ['...rows', 'D'], draw: widened(uniform(-1, 1), within(-64, 64, uniform(-1, 1))) }),
    x2: tensor.like('x1'),
    gamma: tensor({ dtype, shape: ['D'], draw: content }),
    // Published without a lower end, so that many results saturate.
    scales1: tensor({
      dtype: scales,
      shape: ['D'],
      draw: widened(uniform(0, 1), eitherSign(within(2 ** -7, 16, uniform(0.01, 0.1)))),
    }),
    scales2: tensor({ dtype: scales, shape: ['D'], optional: true }),
    // Published int32 ones are fractions rounded towards 0.
    zero_points1: tensor({
      dtype: zeros,
      shape: ['D'],
      optional: true,
      draw: byDtype(widened(uniform(0, 1), within(-128, 127, uniform(-8, 8))), {
        int32: widened(randint(0, 0), randint(-128, 127)),
      }),
    }),
    zero_points2: tensor({ dtype: zeros, shape: ['D'], optional: true }),
  },
  outputs: {
    y1: tensor({ dtype: 'int8', shape: ['...rows', 'D'] }),
    y2: tensor({ dtype: 'int8', shape: ['...rows', 'D'] }),
    x: tensor.like('x1'),
  },
  attrs: { axis: attr.int(-1), epsilon: attr.float(1e-6), div_mode: attr.bool(true) },
  golden({ x1, x2, gamma, scales1, zero_points1: zero }, { epsilon, div_mode: divides }) {
    if (!divides) throw new RangeError('nothing sound is published about div_mode false')
    if (!zero) throw new TypeError('nothing is published about missing zero points')
    const { y, x } = addRmsNormQuant(x1, x2, gamma, scales1, zero, epsilon)
    return { y1: y, y2: y, x }
  },
  // The second quantisation is never asked for, and nobody says what its output holds then.
  judged: () => ['y1', 'x'],
  domain: fc
    .record({ rows, D: width, epsilon: fc.constantFrom(1e-6, 1e-5, 1e-3, 0.5) })
    .map(({ rows: leading, D, epsilon }) => ({
      x1: [...leading, D],
      epsilon,
      scales2: null,
      zero_points2: null,
    })),
  // float32 throughout, the sum included; next to a tie both integers are right.
  strict: ({ case: kernelCase, output }) =>
    output === 'x'
      ? { absolute: 0, relative: 2 ** -24 }
      : { absolute: 2 ** -126, relative: 0, scaled: summed(elementsOf(kernelCase, 'gamma')) },
  benchmark: {
    tolerance: errorShare(3e-3),
    outputs: ['y1'],
    note: 'three elements in a thousand may be anything; many results saturate; never looks at x; int32 zero points are 0',
  },
  cases: [row([8, 4], 0), row([8, 512], 0), row([48, 64, 64], 1), row([24, 128, 1024], 2), row([64, 1024, 512], 2)],
})
