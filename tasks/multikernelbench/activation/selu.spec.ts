import { kernelSuite } from 'vitest-npu'
import { mapEach } from '../../../references/golden/elementwise.ts'
import { activationShapes, casesOf, matrices, matrix, note, publicRules, sameShape, scaled } from '../family.ts'

const RATE = 1.0507009873554805
const ALPHA = 1.6732632423543772

kernelSuite('SeluCustom', {
  category: 'Activation',
  kernel: 'selu_custom',
  description: 'SELU of every element: y = 1.0507009873554805 * (x for x > 0, else 1.6732632423543772 * (exp(x) - 1)).',
  inputs: matrix,
  outputs: sameShape,
  golden: ({ x }) => ({
    y: mapEach(
      x,
      (v) => RATE * (v > 0 ? v : ALPHA * Math.expm1(v)),
      (v) => RATE * (v > 0 ? v : ALPHA * Math.exp(v)),
    ),
  }),
  domain: matrices,
  // an exponential, from which 1 is taken, and two products
  strict: () => scaled(9),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', activationShapes),
})
