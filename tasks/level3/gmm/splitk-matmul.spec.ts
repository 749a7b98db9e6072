import { dim, kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { matmul } from '../../../references/golden/matmul.ts'
import { extents, gmm, publicRule, shapes, sumsOf, unit } from './family.ts'

kernelSuite('SplitkMatmul', {
  ...gmm('splitk_matmul'),
  description:
    'Matrix product: c = a @ b, [m, k] times [k, n], sums in float32. k is long: it may be shared among cores, whose partial sums are added.',
  inputs: {
    a: tensor({ dtype: 'float16', shape: ['m', 'k'], draw: unit }),
    b: tensor({ dtype: 'float16', shape: ['k', 'n'], draw: unit }),
  },
  outputs: { c: tensor({ dtype: 'float16', shape: ['m', 'n'] }) },
  golden: ({ a, b }) => ({ c: matmul(a, b) }),
  // Rows as long as splitting is made for.
  domain: { ...extents, k: dim({ max: 65536, near: [4096, 8192] }) },
  strict: sumsOf((kernelCase) => shapeOf(kernelCase, 'a')[1]!),
  benchmark: {
    tolerance: publicRule((kernelCase) => shapeOf(kernelCase, 'a')[1]!),
    note: 'accepts NaN everywhere; no row has more than 1152 terms to split',
  },
  cases: shapes(128, 256, 512),
})
