import { dim, kernelSuite, shapeOf, tensor, ulpScaled, uniform } from 'vitest-npu'
import { matmul } from '../../../references/golden/matmul.ts'

kernelSuite('BasicMatmul', {
  level: 3,
  category: 'GMM',
  kernel: 'basic_matmul',
  inputs: {
    a: tensor({ dtype: 'float16', shape: ['m', 'k'], draw: uniform(-1, 1) }),
    b: tensor({ dtype: 'float16', shape: ['k', 'n'], draw: uniform(-1, 1) }),
  },
  outputs: { c: tensor({ dtype: 'float16', shape: ['m', 'n'] }) },
  golden: ({ a, b }) => ({ c: matmul(a, b) }),
  domain: {
    m: dim({ max: 1024, near: [16, 128] }),
    k: dim({ max: 4096, near: [16, 64, 256] }),
    n: dim({ max: 2048, near: [16, 128, 256] }),
  },
  // Exact products, float32 sums in any order (their errors grow like sqrt(k)), one rounding to float16. Sums kept in
  // float16 fail.
  strict: ({ case: kernelCase }) => {
    const k = shapeOf(kernelCase, 'a')[1]!
    return { absolute: 2 ** -149, relative: 2 ** -24, scaled: (8 + Math.sqrt(k)) * 2 ** -24 }
  },
  benchmark: {
    tolerance: ulpScaled(({ case: kernelCase }) => (shapeOf(kernelCase, 'a')[1]! < 2048 ? 1 / 256 : 1 / 128)),
    note: 'accepts NaN everywhere',
  },
  cases: [
    { m: 128, k: 1280, n: 640 },
    { m: 640, k: 512, n: 210 },
    { m: 256, k: 128, n: 1024 },
    { m: 1024, k: 864, n: 128 },
    { m: 327, k: 1152, n: 554 },
    { m: 1152, k: 512, n: 1433 },
    { m: 640, k: 256, n: 619 },
    { m: 128, k: 1152, n: 1152 },
    { m: 512, k: 512, n: 512 },
    { m: 1152, k: 640, n: 640 },
  ],
})
