import { kernelSuite } from 'vitest-npu'
import { mapEach } from '../../../references/golden/elementwise.ts'
import { activationShapes, casesOf, matrices, matrix, note, publicRules, sameShape, scaled } from '../family.ts'

kernelSuite('SoftplusCustom', {
  category: 'Activation',
  kernel: 'softplus_custom',
  description: 'Softplus of every element: y = ln(1 + exp(x)).',
  inputs: matrix,
  outputs: sameShape,
  golden: ({ x }) => ({
    y: mapEach(
      x,
      (v) => Math.max(v, 0) + Math.log1p(Math.exp(-Math.abs(v))),
      (v) => Math.max(v, 0) + 1,
    ),
  }),
  domain: matrices,
  // 1 + exp(x) is rounded at 1: what is far below it is lost
  strict: () => scaled(10),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', activationShapes),
})
