import { exact, kernelSuite } from 'vitest-npu'
import { mapEach } from '../../../references/golden/elementwise.ts'
import { activationShapes, casesOf, matrices, matrix, note, publicRules, sameShape } from '../family.ts'

kernelSuite('ReluCustom', {
  category: 'Activation',
  kernel: 'relu_custom',
  description: 'ReLU of every element of a matrix: y = max(x, 0).',
  inputs: matrix,
  outputs: sameShape,
  golden: ({ x }) => ({ y: mapEach(x, (v) => Math.max(v, 0)) }),
  domain: matrices,
  // nothing is rounded
  strict: exact,
  benchmark: { ...publicRules, note },
  cases: casesOf('x', activationShapes),
})
