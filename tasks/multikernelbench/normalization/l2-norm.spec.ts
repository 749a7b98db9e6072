import { kernelSuite, shapeOf } from 'vitest-npu'
import { divideByNorm, stretches } from '../../../references/golden/row-norm.ts'
import { casesOf, matrices, note, publicRules, sameShape, summed } from '../family.ts'
import { nonZeroRows, rowShapes } from './images.ts'

kernelSuite('L2NormCustom', {
  category: 'Normalization',
  kernel: 'l2_norm_custom',
  description: 'Rows divided by their Euclidean norm: y = x / sqrt(sum over i of x[b, i]^2).',
  inputs: nonZeroRows,
  outputs: sameShape,
  golden: ({ x }) => ({
    y: divideByNorm(
      x,
      stretches(x, x.shape[1]!),
      (v) => v * v,
      (mean, count) => Math.sqrt(mean * count),
    ),
  }),
  domain: matrices,
  // a sum of D squares in float32, whose error the root halves, and a division
  strict: ({ case: kernelCase }) => ({ absolute: 2 ** -126, relative: summed(shapeOf(kernelCase, 'x')[1]!) / 2 }),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', rowShapes),
})
