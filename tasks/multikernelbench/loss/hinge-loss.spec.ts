import { drawn, kernelSuite, shapeOf, tensor, toFloat64 } from 'vitest-npu'
import { meanOfTerms } from '../../../references/golden/mean-loss.ts'
import { casesOf, note, publicRules, summed } from '../family.ts'
import { loss, sampleSizes, scores, vectorShapes } from './rows.ts'

const signs = drawn(({ data: { length } }, { random }) => Float64Array.from({ length }, () => 2 * random.below(2) - 1))

kernelSuite('HingeLossCustom', {
  category: 'Loss',
  kernel: 'hinge_loss_custom',
  description: 'Mean over all elements of max(1 - predictions[n, d] * targets[d], 0), targets of -1 and 1.',
  inputs: {
    predictions: scores,
    targets: tensor({ dtype: 'float32', shape: ['D'], draw: signs }),
  },
  outputs: loss,
  golden({ predictions, targets }) {
    const [values, sides] = [toFloat64(predictions), toFloat64(targets)]
    return {
      y: meanOfTerms(values.length, (i) => {
        const product = values[i]! * sides[i % sides.length]!
        return { value: Math.max(1 - product, 0), size: product < 1 ? 1 + Math.abs(product) : 0 }
      }),
    }
  },
  domain: sampleSizes,
  // differences and their sum in float32, a division
  strict: ({ case: kernelCase }) => {
    const [N = 1, D = 1] = shapeOf(kernelCase, 'predictions')
    return { absolute: 2 ** -126, relative: 0, scaled: summed(N * D) }
  },
  benchmark: { ...publicRules, note },
  cases: casesOf('predictions', vectorShapes),
})
