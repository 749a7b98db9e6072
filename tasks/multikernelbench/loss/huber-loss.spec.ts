import { kernelSuite, shapeOf, toFloat64 } from 'vitest-npu'
import { meanOfTerms } from '../../../references/golden/mean-loss.ts'
import { casesOf, note, publicRules, summed } from '../family.ts'
import { loss, sampleSizes, scores, vectorShapes } from './rows.ts'

kernelSuite('HuberLossCustom', {
  category: 'Loss',
  kernel: 'huber_loss_custom',
  description:
    'Smooth L1 loss: the mean over all elements of d^2 / 2 where |d| < 1, else |d| - 1 / 2, with d = predictions - targets.',
  inputs: { predictions: scores, targets: scores },
  outputs: loss,
  golden({ predictions, targets }) {
    const [values, wanted] = [toFloat64(predictions), toFloat64(targets)]
    return {
      y: meanOfTerms(values.length, (i) => {
        const difference = Math.abs(values[i]! - wanted[i]!)
        const value = difference < 1 ? difference ** 2 / 2 : difference - 0.5
        return { value, size: Math.max(value, difference) }
      }),
    }
  },
  domain: sampleSizes,
  // differences, squares and their sum in float32, a division
  strict: ({ case: kernelCase }) => {
    const [N = 1, D = 1] = shapeOf(kernelCase, 'predictions')
    return { absolute: 2 ** -126, relative: 0, scaled: summed(N * D) }
  },
  benchmark: { ...publicRules, note },
  cases: casesOf('predictions', vectorShapes),
})
