import {
  absolute,
  byCase,
  byDtype,
  type DrawContext,
  eitherSign,
  kernelSuite,
  normal,
  oneOf,
  planted,
  randint,
  scalarTensor,
  sizeOf,
  tensorList,
  ulpScaled,
  widened,
  within,
} from 'vitest-npu'
import { power } from '../../../references/golden/foreach-power.ts'
import { columns, foreach, pick, shapes, unitsOrOne } from './family.ts'

// Negative bases only have whole powers: half of the generated lists hold some, and tell by their first tensor.
const isSigned = ({ shapes: { x } }: DrawContext) => sizeOf(x![0]!) % 2 === 0
const magnitude = within(1 / 8, 8, absolute(normal()))
const positive = oneOf(magnitude, planted(magnitude, [0]))
const bases = widened(
  normal(),
  byCase((context) => (isSigned(context) ? eitherSign(positive) : positive)),
)
// What the public list meant to test.
const whole = [2, 3, 4, -1, 5, 0, 1]
const exponents = byCase((context) => pick(isSigned(context) ? whole : [...whole, 0.5, 0.1, 1.5]))

kernelSuite('ForeachPowScalar', {
  ...foreach('foreach_pow_scalar'),
  description: 'Every element of every tensor of a list to the power of one number: y[t] = x[t] ^ scalar.',
  inputs: {
    x: tensorList({ dtype: columns.numbers, draw: byDtype(bases, { int32: randint(-9, 9) }) }),
    scalar: scalarTensor({
      dtype: columns.scalar,
      draw: byDtype(exponents, { int32: randint(0, 9) }),
    }),
  },
  outputs: { y: tensorList.like('x') },
  golden: ({ x, scalar }) => ({ y: power(x, scalar) }),
  domain: { x: shapes },
  // exp(scalar * ln x) in float32: the exponent, up to 14, is good to a few of its units. Integers are exact.
  strict: ({ dtype }) =>
    dtype === 'int32' ? { absolute: 0, relative: 0 } : { absolute: 2 ** -149, relative: 2 ** -17 },
  benchmark: {
    tolerance: ulpScaled(unitsOrOne),
    note: 'its exponent is 2 in every row, whatever the list says; accepts NaN everywhere',
  },
  cases: [
    { x: [[10, 10]], dtype: 'float16', scalar: 2 },
    {
      x: [
        [100, 200],
        [50, 50, 50],
      ],
      dtype: 'float32',
      scalar: 2,
    },
    {
      x: [
        [1, 1024, 256],
        [10, 512],
      ],
      dtype: 'bfloat16',
      scalar: 2,
    },
    { x: [[2, 2, 2, 2]], dtype: 'float16', scalar: 2 },
    { x: [[8, 8, 8], [16, 16], [32]], dtype: 'float32', scalar: 2 },
    {
      x: [
        [1, 1],
        [2, 2],
        [3, 3],
      ],
      dtype: 'float16',
      scalar: 2,
    },
    { x: [[4096]], dtype: 'float32', scalar: 2 },
    {
      x: [
        [64, 64, 64],
        [128, 128],
      ],
      dtype: 'bfloat16',
      scalar: 2,
    },
    {
      x: [
        [32, 64],
        [128, 512],
      ],
      dtype: 'int32',
      scalar: 2,
    },
  ],
})
