import { kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { matmul } from '../../../references/golden/matmul.ts'
import { extents, gmm, publicRule, shapes, sumsOf, unit } from './family.ts'

kernelSuite('MatmulBias', {
  ...gmm('matmul_bias'),
  description: 'Matrix product with a bias by column: d = a @ b + bias, [m, k] times [k, n], sums in float32.',
  inputs: {
    a: tensor({ dtype: 'float16', shape: ['m', 'k'], draw: unit }),
    b: tensor({ dtype: 'float16', shape: ['k', 'n'], draw: unit }),
    bias: tensor({ dtype: 'float16', shape: ['n'], draw: unit }),
  },
  outputs: { d: tensor({ dtype: 'float16', shape: ['m', 'n'] }) },
  golden: ({ a, b, bias }) => ({ d: matmul(a, b, { c: bias }) }),
  domain: extents,
  strict: sumsOf((kernelCase) => shapeOf(kernelCase, 'a')[1]!),
  benchmark: {
    tolerance: publicRule((kernelCase) => shapeOf(kernelCase, 'a')[1]!),
    note: 'accepts NaN everywhere, and two roundings',
  },
  cases: shapes(128, 256, 512),
})
