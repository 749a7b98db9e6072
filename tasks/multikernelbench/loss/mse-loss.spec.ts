import { kernelSuite, shapeOf, sizeOf } from 'vitest-npu'
import { mse } from '../../../references/golden/loss.ts'
import { casesOf, note, publicRules, summed } from '../family.ts'
import { loss, sampleSizes, scores, vectorShapes } from './rows.ts'

kernelSuite('MseLossCustom', {
  category: 'Loss',
  kernel: 'mse_loss_custom',
  description: 'Mean over all elements of (predictions - targets)^2.',
  inputs: { predictions: scores, targets: scores },
  outputs: loss,
  golden: ({ predictions, targets }) => ({ y: mse(predictions, targets, 'mean') }),
  domain: sampleSizes,
  // differences, squares and their sum in float32, a division
  strict: ({ case: kernelCase }) => ({
    absolute: 2 ** -126,
    relative: summed(sizeOf(shapeOf(kernelCase, 'predictions'))),
  }),
  benchmark: { ...publicRules, note },
  cases: casesOf('predictions', vectorShapes),
})
