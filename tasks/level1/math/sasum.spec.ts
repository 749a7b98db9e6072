import { attr, byDtype, kernelSuite, tensor, uniform, widened, within } from 'vitest-npu'
import { asum } from '../../../references/golden/blas.ts'
import { vectors } from './vector.ts'

kernelSuite('Sasum', {
  category: 'Math',
  kernel: 'sasum',
  description: 'Sum of magnitudes of n strided elements: result = |x[0]| + |x[incx]| + ... .',
  inputs: {
    // Published without negative numbers, which hides a forgotten magnitude. float16 stands in one row only.
    x: tensor({
      dtype: ['float32', 'float16'],
      shape: ['length'],
      draw: widened(
        uniform(0, 1),
        byDtype(within(-1e30, 1e30, uniform(-1, 1)), { float16: within(-1, 1, uniform(-1, 1)) }),
      ),
    }),
  },
  outputs: { result: tensor({ dtype: ['float32', 'float16'], shape: [] }) },
  attrs: { n: attr.int(0), incx: attr.int(1) },
  golden: ({ x }, { n, incx }) => ({ result: asum(x, n, incx) }),
  domain: vectors(1, 1, 2, 3),
  // A float32 sum of n magnitudes, in lanes or one after the other.
  strict: ({ case: { attrs } }) => ({ absolute: 2 ** -126, relative: (16 + Number(attrs.n) / 4) * 2 ** -24 }),
  benchmark: { note: 'row 1 is float16, which the operator does not declare; at most 64 elements, none negative' },
  cases: [
    { x: [32], dtype: 'float32', n: 32, incx: 1 },
    { x: [16], dtype: 'float16', n: 16, incx: 1 },
    { x: [64], dtype: 'float32', n: 32, incx: 2 },
  ],
})
