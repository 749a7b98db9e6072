import { kernelSuite, shapeOf } from 'vitest-npu'
import { cosineDistance, meanOfRows } from '../../../references/golden/mean-loss.ts'
import { casesOf, note, publicRules, summed } from '../family.ts'
import { loss, sampleSizes, scores } from './rows.ts'

kernelSuite('CosineSimilarityLossCustom', {
  category: 'Loss',
  kernel: 'cosine_similarity_loss_custom',
  description:
    'Mean over the samples of 1 - cos(predictions[n], targets[n]), with cos(a, b) = sum(a * b) / (max(|a|, 1e-8) * max(|b|, 1e-8)).',
  inputs: { predictions: scores, targets: scores },
  outputs: loss,
  golden: ({ predictions, targets }) => ({ y: meanOfRows([predictions, targets], cosineDistance) }),
  domain: sampleSizes,
  // sums of D products and squares, roots, a division, a sum of N
  strict: ({ case: kernelCase }) => {
    const [N = 1, D = 1] = shapeOf(kernelCase, 'predictions')
    return { absolute: 2 ** -126, relative: 0, scaled: 2 * summed(D) + summed(N) }
  },
  benchmark: { ...publicRules, note },
  cases: casesOf('predictions', [{ revision: '2026-01', published: [128, 4096], judged: [128, 4096] }]),
})
