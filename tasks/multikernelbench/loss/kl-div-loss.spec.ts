import { kernelSuite, shapeOf, tensor, toFloat64, uniform, within } from 'vitest-npu'
import { meanOfTerms, type Term } from '../../../references/golden/mean-loss.ts'
import { casesOf, note, publicRules, summed } from '../family.ts'
import { loss, sampleSizes } from './rows.ts'

kernelSuite('KlDivLossCustom', {
  category: 'Loss',
  kernel: 'kl_div_loss_custom',
  description:
    'Kullback-Leibler divergence of probabilities: the sum over all elements of targets * (ln(targets) - ln(predictions)), divided by the number of samples; 0 where targets is 0.',
  inputs: {
    predictions: tensor({ dtype: 'float32', shape: ['N', 'D'], draw: within(2 ** -24, 1, uniform(0, 1)) }),
    targets: tensor({ dtype: 'float32', shape: ['N', 'D'], draw: within(0, 1, uniform(0, 1)) }),
  },
  outputs: loss,
  golden({ predictions, targets }) {
    const [values, wanted] = [toFloat64(predictions), toFloat64(targets)]
    const term = (i: number): Term => {
      const target = wanted[i]!
      if (target === 0) return { value: 0, size: 0 }
      const [one, other] = [Math.log(target), Math.log(values[i]!)]
      return { value: target * (one - other), size: target * (Math.abs(one) + Math.abs(other) + 1) }
    }
    return { y: meanOfTerms(values.length, term, predictions.shape[0]) }
  },
  domain: sampleSizes,
  // logarithms, a difference, a product, a sum of all in float32, a division
  strict: ({ case: kernelCase }) => {
    const [N = 1, D = 1] = shapeOf(kernelCase, 'predictions')
    return { absolute: 2 ** -126, relative: 0, scaled: summed(N * D) }
  },
  benchmark: { ...publicRules, note },
  cases: casesOf('predictions', [
    { revision: '2026-01', published: [16384, 16384], judged: [2048, 2048] },
    { revision: '2025-07', published: [128, 4096], judged: [128, 4096] },
  ]),
})
