import * as fc from 'fast-check'
import { attr, kernelSuite } from 'vitest-npu'
import { mapEach } from '../../../references/golden/elementwise.ts'
import { activationShapes, casesOf, matrices, matrix, note, publicRules, sameShape, scaled } from '../family.ts'

kernelSuite('EluCustom', {
  category: 'Activation',
  kernel: 'elu_custom',
  description: 'ELU of every element: y = x for x > 0, else alpha * (exp(x) - 1).',
  inputs: matrix,
  outputs: sameShape,
  attrs: { alpha: attr.float(1) },
  golden: ({ x }, { alpha }) => ({
    y: mapEach(
      x,
      (v) => (v > 0 ? v : Math.fround(alpha) * Math.expm1(v)),
      (v) => (v > 0 ? 0 : Math.abs(Math.fround(alpha)) * Math.exp(v)),
    ),
  }),
  domain: { ...matrices, alpha: fc.constantFrom(1, 1, 0.5, 2) },
  // an exponential, from which 1 is taken, and a product
  strict: () => scaled(8),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', activationShapes),
})
