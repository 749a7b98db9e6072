import { dim, kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { batchedMatmul } from '../../../references/golden/matmul.ts'
import { extents, gmm, publicRule, shapes, sumsOf, unit } from './family.ts'

const batches = [1, 8, 2, 4, 5, 1, 2, 16, 8, 1]

kernelSuite('BatchedMatmul', {
  ...gmm('batched_matmul'),
  description: 'Matrix products of a batch: c[i] = a[i] @ b[i], [m, k] times [k, n], sums in float32.',
  inputs: {
    a: tensor({ dtype: 'float16', shape: ['batch', 'm', 'k'], draw: unit }),
    b: tensor({ dtype: 'float16', shape: ['batch', 'k', 'n'], draw: unit }),
  },
  outputs: { c: tensor({ dtype: 'float16', shape: ['batch', 'm', 'n'] }) },
  golden: ({ a, b }) => ({ c: batchedMatmul(a, b) }),
  domain: { batch: dim({ max: 64, near: [24, 48] }), ...extents },
  strict: sumsOf((kernelCase) => shapeOf(kernelCase, 'a')[2]!),
  benchmark: {
    tolerance: publicRule((kernelCase) => shapeOf(kernelCase, 'a')[2]!),
    note: 'accepts NaN everywhere',
  },
  cases: shapes(128, 1280, 640)
    .with(1, { m: 64, k: 512, n: 128 })
    .map((shape, row) => ({ batch: batches[row]!, ...shape })),
})
