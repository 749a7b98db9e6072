import { dim, kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { matmul } from '../../../references/golden/matmul.ts'
import { extents, gmm, publicRule, shapes, sumsOf, unit } from './family.ts'

kernelSuite('OptimizedMatmul', {
  ...gmm('optimized_matmul'),
  description:
    'Matrix product: c = a @ b, [m, k] times [k, n], sums in float32. The name asks for whatever makes it fast: padding, splitting of k, swizzling.',
  inputs: {
    a: tensor({ dtype: 'float16', shape: ['m', 'k'], draw: unit }),
    b: tensor({ dtype: 'float16', shape: ['k', 'n'], draw: unit }),
  },
  outputs: { c: tensor({ dtype: 'float16', shape: ['m', 'n'] }) },
  golden: ({ a, b }) => ({ c: matmul(a, b) }),
  domain: { ...extents, k: dim({ max: 65536, near: [16, 256, 4096] }) },
  strict: sumsOf((kernelCase) => shapeOf(kernelCase, 'a')[1]!),
  benchmark: {
    tolerance: publicRule((kernelCase) => shapeOf(kernelCase, 'a')[1]!),
    note: 'accepts NaN everywhere',
  },
  // Few columns with 65536 terms, and 65536 columns.
  cases: shapes(128, 256, 512).with(1, { m: 640, k: 65536, n: 256 }).with(7, { m: 128, k: 1152, n: 65536 }),
})
