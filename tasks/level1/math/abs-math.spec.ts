import {
  byDtype,
  dim,
  exact,
  float32Roundings,
  kernelSuite,
  normal,
  randint,
  tensor,
  ulpScaled,
  widened,
  within,
  withNonFinite,
} from 'vitest-npu'
import type { BenchmarkRule } from 'vitest-npu'
import { abs } from '../../../references/golden/elementwise.ts'
import { unitLimits } from '../../unit-limits.ts'

const published = randint(-100, 99)

// Of a complex result only the real part is looked at.
const realParts: BenchmarkRule = (context) => {
  const check = ulpScaled(unitLimits)(context)
  if (context.dtype !== 'complex64') return check
  return {
    ...check,
    block: (expected, actual) =>
      check.block(
        expected,
        actual.map((value, i) => (i % 2 === 0 ? value : expected[i]!)),
      ),
  }
}

kernelSuite('AbsMath', {
  category: 'Math',
  kernel: 'abs_math',
  description:
    'Magnitude of every element: y = |x|. The smallest integer stays what it is; a complex number becomes its modulus with imaginary part 0.',
  inputs: {
    x: tensor({
      dtype: ['bfloat16', 'float16', 'float32', 'int32', 'int64', 'complex64'],
      shape: ['...shape'],
      draw: byDtype(withNonFinite(normal()), {
        int32: widened(published, randint(-(2 ** 31), 2 ** 31 - 1)),
        int64: widened(published, randint(-(2 ** 53), 2 ** 53)),
        // The sum of two squares stays finite in float32.
        complex64: within(-(2 ** 62), 2 ** 62, normal()),
      }),
    }),
  },
  outputs: { y: tensor.like('x') },
  golden: ({ x }) => ({ y: abs(x) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  // A modulus in float32: two squares, a sum, a root. Squares below the normal numbers may vanish.
  strict: (context) =>
    context.dtype === 'complex64' ? { ...float32Roundings(5)(context), absolute: 2 ** -62 } : exact(context),
  benchmark: {
    tolerance: realParts,
    note: 'accepts NaN everywhere and any imaginary part',
  },
  cases: [
    { x: [48, 128, 256], dtype: 'float16' },
    { x: [512, 3], dtype: 'float16' },
    { x: [1, 3, 224, 224], dtype: 'float16' },
    { x: [1], dtype: 'bfloat16' },
    { x: [512, 3], dtype: 'bfloat16' },
    { x: [1, 3, 224, 224], dtype: 'bfloat16' },
    { x: [1], dtype: 'float32' },
    { x: [512, 3], dtype: 'float32' },
    { x: [1, 3, 224, 224], dtype: 'float32' },
    { x: [1], dtype: 'int32' },
    { x: [512, 3], dtype: 'int32' },
    { x: [1, 3, 224, 224], dtype: 'int32' },
    { x: [1], dtype: 'int64' },
    { x: [512, 3], dtype: 'int64' },
    { x: [1, 3, 224, 224], dtype: 'int64' },
    { x: [1], dtype: 'complex64' },
    { x: [512, 3], dtype: 'complex64' },
    { x: [1, 3, 224, 224], dtype: 'complex64' },
  ],
})
