import { absoluteAndRelative, attr, dim, kernelSuite, tensor, uniform, within } from 'vitest-npu'
import { complexProduct } from '../../../references/golden/blas.ts'

const parts = within(-(2 ** 60), 2 ** 60, uniform(0, 1))

kernelSuite('ComplexMatDot', {
  category: 'Math',
  kernel: 'complex_mat_dot',
  description:
    'Multiplies two complex matrices element by element: with a + bi in matx and c + di in maty, result = (ac - bd) + (ad + bc)i.',
  inputs: {
    matx: tensor({ dtype: 'complex64', shape: ['m', 'n'], draw: parts }),
    maty: tensor({ dtype: 'complex64', shape: ['m', 'n'], draw: parts }),
  },
  outputs: { result: tensor({ dtype: 'complex64', shape: ['m', 'n'] }) },
  attrs: { m: attr.int(1), n: attr.int(1) },
  golden: ({ matx, maty }) => ({ result: complexProduct(matx, maty) }),
  domain: { m: dim({ max: 4096 }), n: dim({ max: 4096 }) },
  // Two float32 products and their sum, which may cancel.
  strict: () => ({ absolute: 2 ** -125, relative: 2 ** -24, scaled: 2 ** -23 }),
  benchmark: { tolerance: absoluteAndRelative(1e-5), note: 'despite the name a product of elements' },
  cases: [
    { m: 48, n: 128 },
    { m: 512, n: 3 },
    { m: 48, n: 3 },
    { m: 64, n: 128 },
    { m: 512, n: 3 },
    { m: 1024, n: 512 },
    { m: 24, n: 1023 },
    { m: 32, n: 16 },
    { m: 224, n: 224 },
  ],
})
