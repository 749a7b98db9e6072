import {
  absolute,
  byDtype,
  dim,
  float32Roundings,
  kernelSuite,
  normal,
  oneOf,
  planted,
  tensor,
  widened,
} from 'vitest-npu'
import { sqrt } from '../../../references/golden/elementwise.ts'

const values = absolute(normal(0.01, 10))
const withZero = planted(values, [0])

kernelSuite('Sqrt', {
  category: 'Math',
  kernel: 'sqrt',
  description: 'Square root of every element: y = sqrt(x). sqrt(0) is 0.',
  inputs: {
    x: tensor({
      dtype: ['float16', 'float32', 'bfloat16'],
      shape: ['...shape'],
      // The public draw is rounded after every step, which leaves zeros in 16-bit rows: x * rsqrt(x) is NaN there.
      draw: widened(
        byDtype(values, { float16: withZero, bfloat16: withZero }),
        oneOf(withZero, planted(withZero, [-1, -100])),
      ),
    }),
  },
  outputs: { y: tensor.like('x') },
  golden: ({ x }) => ({ y: sqrt(x) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  // The device's float32 square root is good to two units in the last place; its float16 one to one, which a kernel may use.
  strict: (context) =>
    context.dtype === 'float16' ? { absolute: 0, relative: 2 ** -11 } : float32Roundings(4)(context),
  benchmark: { note: 'rejects a bfloat16 result one unit off, however the reference itself was rounded' },
  cases: [
    { x: [48, 128, 512], dtype: 'float16' },
    { x: [96, 64, 1024], dtype: 'float16' },
    { x: [32, 32, 768], dtype: 'float32' },
    { x: [48, 32, 4096], dtype: 'bfloat16' },
    { x: [48, 8192], dtype: 'float32' },
  ],
})
