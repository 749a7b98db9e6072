import * as fc from 'fast-check'
import { attr, kernelSuite, shapeOf } from 'vitest-npu'
import { distance, meanOfRows } from '../../../references/golden/mean-loss.ts'
import { casesOf, note, publicRules, summed } from '../family.ts'
import { loss, sampleSizes, scores } from './rows.ts'

kernelSuite('TripletMarginLossCustom', {
  category: 'Loss',
  kernel: 'triplet_margin_loss_custom',
  description:
    'Mean over the samples of max(d(anchor, positive) - d(anchor, negative) + margin, 0), d the Euclidean length of a - b + 1e-6.',
  inputs: { anchor: scores, positive: scores, negative: scores },
  outputs: loss,
  attrs: { margin: attr.float(1) },
  golden: ({ anchor, positive, negative }, { margin }) => ({
    y: meanOfRows([anchor, positive, negative], (a, p, n) => {
      const [near, far] = [distance(a, p), distance(a, n)]
      const value = near.value - far.value + Math.fround(margin)
      return { value: Math.max(value, 0), size: near.size + far.size + Math.abs(margin) }
    }),
  }),
  domain: { ...sampleSizes, margin: fc.constantFrom(1, 1, 0.25) },
  // differences, a sum of D squares, roots, a sum of N
  strict: ({ case: kernelCase }) => {
    const [N = 1, D = 1] = shapeOf(kernelCase, 'anchor')
    return { absolute: 2 ** -126, relative: 0, scaled: summed(D) + summed(N) }
  },
  benchmark: { ...publicRules, note },
  cases: casesOf('anchor', [
    { revision: '2026-01', published: [32768, 8192], judged: [4096, 1024] },
    { revision: '2025-07', published: [128, 4096], judged: [128, 4096] },
  ]),
})
