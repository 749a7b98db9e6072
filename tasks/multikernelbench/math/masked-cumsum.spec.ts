import { bool, kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { cumulativeSum } from '../../../references/golden/scan.ts'
import { casesOf, matrices, note, publicRules, sameShape, summed } from '../family.ts'
import { rows, rowShapes } from './rows.ts'

kernelSuite('MaskedCumsumCustom', {
  category: 'Math',
  kernel: 'masked_cumsum_custom',
  description:
    'Cumulative sum along the last axis of the elements that a mask keeps: y[b, i] = sum over j <= i of x[b, j] where mask[b, j] is true.',
  inputs: { ...rows, mask: tensor({ dtype: 'bool', shape: ['B', 'D'], draw: bool() }) },
  outputs: sameShape,
  golden: ({ x, mask }) => ({ y: cumulativeSum(x, {}, mask) }),
  domain: matrices,
  // sums of up to D elements in float32, in any order
  strict: ({ case: kernelCase }) => ({
    absolute: 2 ** -126,
    relative: 0,
    scaled: summed(shapeOf(kernelCase, 'x')[1]!),
  }),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', rowShapes),
})
