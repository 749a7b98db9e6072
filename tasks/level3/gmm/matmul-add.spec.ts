import { kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { matmul } from '../../../references/golden/matmul.ts'
import { extents, gmm, publicRule, shapes, sumsOf, unit } from './family.ts'

kernelSuite('MatmulAdd', {
  ...gmm('matmul_add'),
  description: 'Matrix product with a sum: d = a @ b + c, [m, k] times [k, n], sums in float32.',
  inputs: {
    a: tensor({ dtype: 'float16', shape: ['m', 'k'], draw: unit }),
    b: tensor({ dtype: 'float16', shape: ['k', 'n'], draw: unit }),
    c: tensor({ dtype: 'float16', shape: ['m', 'n'], draw: unit }),
  },
  outputs: { d: tensor({ dtype: 'float16', shape: ['m', 'n'] }) },
  golden: ({ a, b, c }) => ({ d: matmul(a, b, { c }) }),
  domain: extents,
  // The sum is rounded once: a product that is rounded before c is added fails.
  strict: sumsOf((kernelCase) => shapeOf(kernelCase, 'a')[1]!),
  benchmark: {
    tolerance: publicRule((kernelCase) => shapeOf(kernelCase, 'a')[1]!),
    note: 'accepts NaN everywhere, and two roundings',
  },
  cases: shapes(128, 256, 512),
})
