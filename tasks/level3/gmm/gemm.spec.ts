import { attr, kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { matmul } from '../../../references/golden/matmul.ts'
import { coefficients, coefficient, extents, gmm, publicRule, shapes, sumsOf, unit } from './family.ts'

kernelSuite('Gemm', {
  ...gmm('gemm'),
  description: 'Matrix product with a sum, in place: c = alpha * (a @ b) + beta * c, [m, k] times [k, n], in float32.',
  inputs: {
    a: tensor({ dtype: 'float32', shape: ['m', 'k'], draw: unit }),
    b: tensor({ dtype: 'float32', shape: ['k', 'n'], draw: unit }),
    c: tensor({ dtype: 'float32', shape: ['m', 'n'], draw: unit }),
  },
  outputs: { c: tensor.like('c', { aliases: 'c' }) },
  attrs: { alpha: attr.float(), beta: attr.float() },
  golden: ({ a, b, c }, { alpha, beta }) => ({ c: matmul(a, b, { alpha, beta, c }) }),
  domain: { ...extents, alpha: coefficient, beta: coefficient },
  // alpha may scale a, b or the product.
  strict: sumsOf((kernelCase) => shapeOf(kernelCase, 'a')[1]!),
  benchmark: {
    tolerance: publicRule((kernelCase) => shapeOf(kernelCase, 'a')[1]!),
    note: 'accepts NaN everywhere; alpha and beta come from a random generator, the rows here fix some',
  },
  cases: shapes(128, 256, 512).map((shape, row) => ({ ...shape, ...coefficients(row) })),
})
