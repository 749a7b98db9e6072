import * as fc from 'fast-check'
import { attr, kernelSuite, shapeOf } from 'vitest-npu'
import { channels, standardise } from '../../../references/golden/row-norm.ts'
import { casesOf, note, publicRules, sameShape, summed } from '../family.ts'
import { batchShapes, images, imageSizes } from './images.ts'

kernelSuite('BatchNormCustom', {
  category: 'Normalization',
  kernel: 'batch_norm_custom',
  description:
    'Batch normalisation of [N, C, H, W] by the statistics of the batch, without weights: y = (x - mean) / sqrt(variance + epsilon), mean and variance (divided by the count) of each channel.',
  inputs: images,
  outputs: sameShape,
  attrs: { epsilon: attr.float(1e-5) },
  golden: ({ x }, { epsilon }) => ({ y: standardise(x, channels(x), epsilon) }),
  domain: { ...imageSizes, epsilon: fc.constantFrom(1e-5, 1e-5, 1e-3) },
  // sums over N, H and W in float32, the variance of differences from the mean; a root and a division
  strict: ({ case: kernelCase }) => {
    const [N = 1, , H = 1, W = 1] = shapeOf(kernelCase, 'x')
    return { absolute: 2 ** -126, relative: 2 ** -20, scaled: summed(N * H * W) }
  },
  benchmark: { ...publicRules, note },
  cases: casesOf('x', batchShapes),
})
