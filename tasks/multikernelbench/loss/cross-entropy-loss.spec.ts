import { byCase, kernelSuite, randint, shapeOf, tensor, toFloat64 } from 'vitest-npu'
import { meanOfRows } from '../../../references/golden/mean-loss.ts'
import { casesOf, distant, note, publicRules, summed } from '../family.ts'
import { loss, sampleSizes } from './rows.ts'

const classes = byCase(({ shapes }) => randint(0, shapes['predictions']![0]![1]! - 1))

kernelSuite('CrossEntropyLossCustom', {
  category: 'Loss',
  kernel: 'cross_entropy_loss_custom',
  description:
    'Cross entropy of scores against class numbers: the mean over the samples of ln(sum over d of exp(predictions[n, d])) - predictions[n, targets[n]].',
  inputs: {
    predictions: tensor({ dtype: 'float32', shape: ['N', 'D'], draw: distant }),
    targets: tensor({ dtype: 'int64', shape: ['N'], draw: classes }),
  },
  outputs: loss,
  golden({ predictions, targets }) {
    const labels = toFloat64(targets)
    let sample = 0
    return {
      y: meanOfRows([predictions], (row) => {
        const own = row[labels[sample++]!]!
        const largest = row.reduce((most, score) => Math.max(most, score), -Infinity)
        const logarithm = Math.log(row.reduce((sum, score) => sum + Math.exp(score - largest), 0))
        return { value: largest + logarithm - own, size: Math.abs(largest) + logarithm + Math.abs(own) + 1 }
      }),
    }
  },
  domain: sampleSizes,
  // a maximum, differences, a sum of D exponentials, a logarithm, a sum of N
  strict: ({ case: kernelCase }) => {
    const [N = 1, D = 1] = shapeOf(kernelCase, 'predictions')
    return { absolute: 2 ** -126, relative: 0, scaled: summed(D) + summed(N) }
  },
  benchmark: { ...publicRules, note },
  cases: casesOf('predictions', [
    { revision: '2026-01', published: [32768, 4096], judged: [5760, 720] },
    { revision: '2025-07', published: [4096, 10], judged: [4096, 10] },
  ]),
})
