import { kernelSuite } from 'vitest-npu'
import { swish } from '../../../references/golden/activation.ts'
import { activationShapes, casesOf, matrices, matrix, note, publicRules, sameShape, scaled } from '../family.ts'

kernelSuite('SwishCustom', {
  category: 'Activation',
  kernel: 'swish_custom',
  description: 'Swish of every element: y = x / (1 + exp(-x)).',
  inputs: matrix,
  outputs: sameShape,
  golden: ({ x }) => ({ y: swish(x, 1) }),
  domain: matrices,
  // the rounded exponent counts as much as it is large; where it overflows, 0 is as good as the tiny result
  strict: () => ({ ...scaled(8), absolute: 2 ** -118 }),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', activationShapes),
})
