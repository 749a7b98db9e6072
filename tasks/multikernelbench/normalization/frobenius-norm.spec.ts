import { kernelSuite, shapeOf, sizeOf } from 'vitest-npu'
import { allTogether, divideByNorm } from '../../../references/golden/row-norm.ts'
import { casesOf, note, publicRules, sameShape, summed } from '../family.ts'
import { imageShapes, imageSizes, nonZeroImages } from './images.ts'

kernelSuite('FrobeniusNormCustom', {
  category: 'Normalization',
  kernel: 'frobenius_norm_custom',
  description: 'A tensor divided by its Frobenius norm: y = x / sqrt(sum of all x^2).',
  inputs: nonZeroImages,
  outputs: sameShape,
  golden: ({ x }) => ({
    y: divideByNorm(
      x,
      allTogether,
      (v) => v * v,
      (mean, count) => Math.sqrt(mean * count),
    ),
  }),
  domain: imageSizes,
  // a sum of all squares in float32, whose error the root halves, and a division
  strict: ({ case: kernelCase }) => ({ absolute: 2 ** -126, relative: summed(sizeOf(shapeOf(kernelCase, 'x'))) / 2 }),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', imageShapes),
})
