import * as fc from 'fast-check'
import { attr, kernelSuite, shapeOf } from 'vitest-npu'
import { standardise, stretches } from '../../../references/golden/row-norm.ts'
import { casesOf, note, publicRules, sameShape, summed } from '../family.ts'
import { images, imageSizes, layerShapes } from './images.ts'

kernelSuite('LayerNormCustom', {
  category: 'Normalization',
  kernel: 'layer_norm_custom',
  description:
    'Layer normalisation of [N, C, H, W] over the last three axes, without weights: y = (x - mean) / sqrt(variance + epsilon), mean and variance (divided by the count) of each sample.',
  inputs: images,
  outputs: sameShape,
  attrs: { epsilon: attr.float(1e-5) },
  golden: ({ x }, { epsilon }) => ({ y: standardise(x, stretches(x, x.data.length / x.shape[0]!), epsilon) }),
  domain: { ...imageSizes, epsilon: fc.constantFrom(1e-5, 1e-5, 1e-3) },
  // sums over C, H and W in float32, the variance of differences from the mean; a root and a division
  strict: ({ case: kernelCase }) => {
    const [, C = 1, H = 1, W = 1] = shapeOf(kernelCase, 'x')
    return { absolute: 2 ** -126, relative: 2 ** -20, scaled: summed(C * H * W) }
  },
  benchmark: { ...publicRules, note },
  cases: casesOf('x', layerShapes),
})
