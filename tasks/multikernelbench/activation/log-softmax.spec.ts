import { kernelSuite, shapeOf } from 'vitest-npu'
import { logSoftmax } from '../../../references/golden/softmax.ts'
import { activationShapes, casesOf, matrices, matrix, note, publicRules, sameShape, summed } from '../family.ts'

kernelSuite('LogSoftmaxCustom', {
  category: 'Activation',
  kernel: 'log_softmax_custom',
  description: 'Logarithm of the softmax over the last axis: y = x - max(x) - ln(sum(exp(x - max(x)))) by rows.',
  inputs: matrix,
  outputs: sameShape,
  golden: ({ x }) => ({ y: logSoftmax(x) }),
  domain: matrices,
  // differences, a sum of D exponentials, a logarithm
  strict: ({ case: kernelCase }) => ({
    absolute: 2 ** -126,
    relative: 0,
    scaled: summed(shapeOf(kernelCase, 'x')[1]!),
  }),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', activationShapes),
})
