import { kernelSuite } from 'vitest-npu'
import { mapEach } from '../../../references/golden/elementwise.ts'
import { activationShapes, casesOf, matrices, matrix, note, publicRules, sameShape, scaled } from '../family.ts'

kernelSuite('HardsigmoidCustom', {
  category: 'Activation',
  kernel: 'hardsigmoid_custom',
  description: 'Hard sigmoid of every element: y = min(max(x / 6 + 1 / 2, 0), 1).',
  inputs: matrix,
  outputs: sameShape,
  golden: ({ x }) => ({
    y: mapEach(
      x,
      (v) => Math.min(Math.max(v / 6 + 0.5, 0), 1),
      (v) => Math.min(Math.abs(v) / 6 + 0.5, 1),
    ),
  }),
  domain: matrices,
  // a product, a sum; 1/6 is rounded as well
  strict: () => scaled(4),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', activationShapes),
})
