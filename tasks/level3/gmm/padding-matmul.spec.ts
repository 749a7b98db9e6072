import { kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { matmul } from '../../../references/golden/matmul.ts'
import { extents, gmm, publicRule, shapes, sumsOf, unit } from './family.ts'

kernelSuite('PaddingMatmul', {
  ...gmm('padding_matmul'),
  description:
    'Matrix product: c = a @ b, [m, k] times [k, n], sums in float32. Rows start anywhere: copying them to aligned ones in the workspace makes reading fast.',
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
    note: 'accepts NaN everywhere; the contract of BasicMatmul, padding is left to the kernel',
  },
  cases: shapes(128, 256, 512),
})
