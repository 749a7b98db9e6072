import { kernelSuite } from 'vitest-npu'
import { mapEach } from '../../../references/golden/elementwise.ts'
import { activationShapes, casesOf, matrices, matrix, note, publicRules, sameShape, scaled } from '../family.ts'

kernelSuite('TanhCustom', {
  category: 'Activation',
  kernel: 'tanh_custom',
  description: 'Hyperbolic tangent of every element: y = tanh(x) = 1 - 2 / (exp(2 x) + 1).',
  inputs: matrix,
  outputs: sameShape,
  golden: ({ x }) => ({ y: mapEach(x, Math.tanh, (v) => Math.max(Math.abs(Math.tanh(v)), 2 ** -3)) }),
  domain: matrices,
  // 1 - 2 / (exp(2x) + 1) cancels for small x, as that of the library does
  strict: () => scaled(16),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', activationShapes),
})
