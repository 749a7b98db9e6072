import * as fc from 'fast-check'
import { attr, kernelSuite, shapeOf } from 'vitest-npu'
import { divideByNorm, places } from '../../../references/golden/row-norm.ts'
import { casesOf, note, publicRules, sameShape, summed } from '../family.ts'
import { images, imageShapes, imageSizes } from './images.ts'

kernelSuite('RmsNormCustom', {
  category: 'Normalization',
  kernel: 'rms_norm_custom',
  description:
    'Root-mean-square normalisation of [N, C, H, W] over the channels, without weights: y = x / sqrt(mean over c of x[n, c, h, w]^2 + epsilon).',
  inputs: images,
  outputs: sameShape,
  attrs: { epsilon: attr.float(1e-5) },
  golden: ({ x }, { epsilon }) => ({
    y: divideByNorm(
      x,
      places(x),
      (v) => v * v,
      (mean) => Math.sqrt(mean + Math.fround(epsilon)),
    ),
  }),
  domain: { ...imageSizes, epsilon: fc.constantFrom(1e-5, 1e-5, 1e-3) },
  // a sum of C squares in float32, whose error the root halves, and a division
  strict: ({ case: kernelCase }) => ({ absolute: 2 ** -126, relative: summed(shapeOf(kernelCase, 'x')[1]!) / 2 }),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', imageShapes),
})
