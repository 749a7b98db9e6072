import { attr, dim, kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { matmul } from '../../../references/golden/matmul.ts'
import { coefficient, coefficients, gmm, publicRule, sumsOf, unit } from './family.ts'

const shapes = [
  [128, 512],
  [640, 210],
  [256, 1024],
  [1024, 128],
  [327, 554],
  [1152, 1433],
  [640, 619],
  [128, 1152],
  [512, 512],
  [1152, 640],
]

kernelSuite('Gemv', {
  ...gmm('gemv'),
  description: 'Matrix times vector with a sum: out = alpha * (a @ x) + beta * y, a of shape [m, n], in float32.',
  inputs: {
    a: tensor({ dtype: 'float32', shape: ['m', 'n'], draw: unit }),
    x: tensor({ dtype: 'float32', shape: ['n'], draw: unit }),
    y: tensor({ dtype: 'float32', shape: ['m'], draw: unit }),
  },
  outputs: { out: tensor({ dtype: 'float32', shape: ['m'] }) },
  attrs: { alpha: attr.float(), beta: attr.float() },
  golden: ({ a, x, y }, { alpha, beta }) => ({ out: matmul(a, x, { alpha, beta, c: y }) }),
  domain: {
    m: dim({ max: 4096, near: [16, 128] }),
    n: dim({ max: 8192, near: [64, 256] }),
    alpha: coefficient,
    beta: coefficient,
  },
  strict: sumsOf((kernelCase) => shapeOf(kernelCase, 'x')[0]!),
  benchmark: {
    tolerance: publicRule((kernelCase) => shapeOf(kernelCase, 'a')[0]!),
    note: 'accepts NaN everywhere; its limit depends on the rows instead of the terms',
  },
  cases: shapes.map(([m, n], row) => ({ m: m!, n: n!, ...coefficients(row) })),
})
