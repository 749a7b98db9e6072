import { kernelSuite } from 'vitest-npu'
import { gelu } from '../../../references/golden/activation.ts'
import { activationShapes, casesOf, matrices, matrix, note, publicRules, sameShape } from '../family.ts'

kernelSuite('GeluCustom', {
  category: 'Activation',
  kernel: 'gelu_custom',
  description: 'GELU of every element in its exact form: y = 0.5 x (1 + erf(x / sqrt(2))).',
  inputs: matrix,
  outputs: sameShape,
  golden: ({ x }) => ({ y: gelu(x) }),
  domain: matrices,
  // 1 + erf cancels for negative x, so that an error of erf shows in proportion to |x|; the form with tanh fails
  strict: () => ({ absolute: 2 ** -126, relative: 2 ** -22, scaled: 2 ** -20 }),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', activationShapes),
})
