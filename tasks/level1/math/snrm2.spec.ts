import { attr, kernelSuite, tensor, uniform, within } from 'vitest-npu'
import { nrm2 } from '../../../references/golden/blas.ts'
import { vectors } from './vector.ts'

kernelSuite('Snrm2', {
  category: 'Math',
  kernel: 'snrm2',
  description: 'Euclidean norm of n strided elements: result = sqrt(x[0]^2 + x[incx]^2 + ...).',
  inputs: {
    // The squares stay finite: no scaling is asked for.
    x: tensor({ dtype: 'float32', shape: ['length'], draw: within(-1e16, 1e16, uniform(-100, 100)) }),
  },
  outputs: { result: tensor({ dtype: 'float32', shape: [] }) },
  attrs: { n: attr.int(0), incx: attr.int(1) },
  golden: ({ x }, { n, incx }) => ({ result: nrm2(x, n, incx) }),
  domain: vectors(1, 1, 2, 3),
  // A float32 sum of n squares, whose relative error the root halves; squares below the normal numbers may vanish.
  strict: ({ case: { attrs } }) => ({ absolute: 2 ** -56, relative: (16 + Number(attrs.n) / 8) * 2 ** -24 }),
  benchmark: { note: 'n is always the length and incx 1' },
  cases: [
    { x: [32], n: 32, incx: 1 },
    { x: [1024], n: 1024, incx: 1 },
    { x: [1000], n: 1000, incx: 1 },
    { x: [4096], n: 4096, incx: 1 },
  ],
})
