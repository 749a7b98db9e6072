import { kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { matmul } from '../../../references/golden/matmul.ts'
import { extents, gmm, publicRule, shapes, sumsOf, unit } from './family.ts'

kernelSuite('BasicMatmul', {
  ...gmm('basic_matmul'),
  description: 'Matrix product: c = a @ b, [m, k] times [k, n], sums in float32.',
  inputs: {
    a: tensor({ dtype: 'float16', shape: ['m', 'k'], draw: unit }),
    b: tensor({ dtype: 'float16', shape: ['k', 'n'], draw: unit }),
  },
  outputs: { c: tensor({ dtype: 'float16', shape: ['m', 'n'] }) },
  golden: ({ a, b }) => ({ c: matmul(a, b) }),
  domain: extents,
  strict: sumsOf((kernelCase) => shapeOf(kernelCase, 'a')[1]!),
  benchmark: {
    tolerance: publicRule((kernelCase) => shapeOf(kernelCase, 'a')[1]!),
    note: 'accepts NaN everywhere',
  },
  cases: shapes(128, 1280, 640),
})
