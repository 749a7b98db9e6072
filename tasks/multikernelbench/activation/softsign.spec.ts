import { float32Roundings, kernelSuite } from 'vitest-npu'
import { mapEach } from '../../../references/golden/elementwise.ts'
import { activationShapes, casesOf, matrices, matrix, note, publicRules, sameShape } from '../family.ts'

kernelSuite('SoftsignCustom', {
  category: 'Activation',
  kernel: 'softsign_custom',
  description: 'Softsign of every element: y = x / (1 + |x|).',
  inputs: matrix,
  outputs: sameShape,
  golden: ({ x }) => ({ y: mapEach(x, (v) => v / (1 + Math.abs(v))) }),
  domain: matrices,
  // a sum and a division
  strict: float32Roundings(6),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', activationShapes),
})
