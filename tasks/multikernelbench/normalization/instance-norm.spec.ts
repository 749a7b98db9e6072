import * as fc from 'fast-check'
import { attr, kernelSuite, shapeOf } from 'vitest-npu'
import { standardise, stretches } from '../../../references/golden/row-norm.ts'
import { casesOf, note, publicRules, sameShape, summed } from '../family.ts'
import { images, imageShapes, imageSizes } from './images.ts'

kernelSuite('InstanceNormCustom', {
  category: 'Normalization',
  kernel: 'instance_norm_custom',
  description:
    'Instance normalisation of [N, C, H, W] without weights: y = (x - mean) / sqrt(variance + epsilon), mean and variance (divided by the count) of each image of each channel.',
  inputs: images,
  outputs: sameShape,
  attrs: { epsilon: attr.float(1e-5) },
  golden: ({ x }, { epsilon }) => ({ y: standardise(x, stretches(x, x.shape[2]! * x.shape[3]!), epsilon) }),
  domain: { ...imageSizes, epsilon: fc.constantFrom(1e-5, 1e-5, 1e-3) },
  // sums over H and W in float32, the variance of differences from the mean; a root and a division
  strict: ({ case: kernelCase }) => {
    const [, , H = 1, W = 1] = shapeOf(kernelCase, 'x')
    return { absolute: 2 ** -126, relative: 2 ** -20, scaled: summed(H * W) }
  },
  benchmark: { ...publicRules, note },
  cases: casesOf('x', imageShapes),
})
