import { kernelSuite, shapeOf } from 'vitest-npu'
import { softmax } from '../../../references/golden/softmax.ts'
import { activationShapes, casesOf, matrices, matrix, note, publicRules, sameShape, summed } from '../family.ts'

kernelSuite('SoftmaxCustom', {
  category: 'Activation',
  kernel: 'softmax_custom',
  description: 'Softmax over the last axis: y = exp(x - max(x)) / sum(exp(x - max(x))) by rows.',
  inputs: matrix,
  outputs: sameShape,
  golden: ({ x }) => ({ y: softmax(x) }),
  domain: matrices,
  // an exponential whose exponent is a difference, a sum of D of them, a division
  strict: ({ case: kernelCase }) => ({
    absolute: 2 ** -126,
    relative: 0,
    scaled: summed(shapeOf(kernelCase, 'x')[1]!),
  }),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', activationShapes),
})
