import { kernelSuite, shapeOf } from 'vitest-npu'
import { cumulativeSum } from '../../../references/golden/scan.ts'
import { casesOf, matrices, note, publicRules, sameShape, summed } from '../family.ts'
import { rows, rowShapes } from './rows.ts'

kernelSuite('CumsumExclusiveCustom', {
  category: 'Math',
  kernel: 'cumsum_exclusive_custom',
  description:
    'Cumulative sum along the last axis without the element itself: y[b, 0] = 0, y[b, i] = x[b, 0] + ... + x[b, i - 1].',
  inputs: rows,
  outputs: sameShape,
  golden: ({ x }) => ({ y: cumulativeSum(x, { exclusive: true }) }),
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
