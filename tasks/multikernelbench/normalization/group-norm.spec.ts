import * as fc from 'fast-check'
import { attr, dim, kernelSuite, shapeOf } from 'vitest-npu'
import { standardise, stretches } from '../../../references/golden/row-norm.ts'
import { casesOf, note, publicRules, sameShape, summed } from '../family.ts'
import { images, imageShapes, imageSizes } from './images.ts'

kernelSuite('GroupNormCustom', {
  category: 'Normalization',
  kernel: 'group_norm_custom',
  description:
    'Group normalisation of [N, C, H, W] without weights: y = (x - mean) / sqrt(variance + epsilon), mean and variance (divided by the count) of each of num_groups groups of consecutive channels of a sample.',
  inputs: images,
  outputs: sameShape,
  attrs: { num_groups: attr.int(8), epsilon: attr.float(1e-5) },
  golden: ({ x }, { num_groups, epsilon }) => ({
    y: standardise(x, stretches(x, x.data.length / (x.shape[0]! * num_groups)), epsilon),
  }),
  domain: fc
    .record({
      ...imageSizes,
      epsilon: fc.constantFrom(1e-5, 1e-5, 1e-3),
      num_groups: fc.constantFrom(8, 8, 1, 3),
      C: dim({ max: 8 }),
    })
    .map(({ C, num_groups, ...rest }) => ({ ...rest, num_groups, C: C * num_groups })),
  // sums over the elements of a group in float32, the variance of differences from the mean; a root and a division
  strict: ({ case: kernelCase }) => {
    const [, C = 1, H = 1, W = 1] = shapeOf(kernelCase, 'x')
    return {
      absolute: 2 ** -126,
      relative: 2 ** -20,
      scaled: summed((C / Number(kernelCase.attrs['num_groups'])) * H * W),
    }
  },
  benchmark: { ...publicRules, note },
  cases: casesOf('x', imageShapes),
})
