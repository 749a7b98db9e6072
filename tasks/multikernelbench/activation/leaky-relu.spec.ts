import * as fc from 'fast-check'
import { attr, float32Roundings, kernelSuite } from 'vitest-npu'
import { mapEach } from '../../../references/golden/elementwise.ts'
import { activationShapes, casesOf, matrices, matrix, note, publicRules, sameShape } from '../family.ts'

kernelSuite('LeakyReluCustom', {
  category: 'Activation',
  kernel: 'leaky_relu_custom',
  description: 'Leaky ReLU of every element: y = x for x >= 0, else negative_slope * x.',
  inputs: matrix,
  outputs: sameShape,
  attrs: { negative_slope: attr.float(0.01) },
  golden: ({ x }, { negative_slope }) => ({ y: mapEach(x, (v) => (v >= 0 ? v : Math.fround(negative_slope) * v)) }),
  domain: { ...matrices, negative_slope: fc.constantFrom(0.01, 0.01, 0.2, 0, 1.5, -0.5) },
  // one product
  strict: float32Roundings(1),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', activationShapes),
})
