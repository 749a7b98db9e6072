import { kernelSuite } from 'vitest-npu'
import { mapEach } from '../../../references/golden/elementwise.ts'
import { activationShapes, casesOf, matrices, matrix, note, publicRules, sameShape, scaled } from '../family.ts'

kernelSuite('SigmoidCustom', {
  category: 'Activation',
  kernel: 'sigmoid_custom',
  description: 'Sigmoid of every element: y = 1 / (1 + exp(-x)).',
  inputs: matrix,
  outputs: sameShape,
  golden: ({ x }) => ({
    y: mapEach(
      x,
      (v) => 1 / (1 + Math.exp(-v)),
      (v) => (1 + Math.abs(v)) / (1 + Math.exp(-v)),
    ),
  }),
  domain: matrices,
  // the rounded exponent counts as much as it is large
  strict: () => scaled(8),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', activationShapes),
})
