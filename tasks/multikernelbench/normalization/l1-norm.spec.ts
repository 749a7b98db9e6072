import { kernelSuite, shapeOf } from 'vitest-npu'
import { divideByNorm, stretches } from '../../../references/golden/row-norm.ts'
import { casesOf, matrices, note, publicRules, sameShape, summed } from '../family.ts'
import { nonZeroRows, rowShapes } from './images.ts'

kernelSuite('L1NormCustom', {
  category: 'Normalization',
  kernel: 'l1_norm_custom',
  description: 'Rows divided by the mean of their magnitudes: y = x / mean over i of |x[b, i]|.',
  inputs: nonZeroRows,
  outputs: sameShape,
  golden: ({ x }) => ({ y: divideByNorm(x, stretches(x, x.shape[1]!), Math.abs, (mean) => mean) }),
  domain: matrices,
  // a sum of D magnitudes in float32, two divisions
  strict: ({ case: kernelCase }) => ({ absolute: 2 ** -126, relative: summed(shapeOf(kernelCase, 'x')[1]!) }),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', rowShapes),
})
