import { kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { sumOf } from '../../../references/golden/scan.ts'
import { casesOf, note, publicRules, summed } from '../family.ts'
import { blockShapes, blockSizes, blocks } from './blocks.ts'

kernelSuite('SumReductionOverADimensionCustom', {
  category: 'Reduce',
  kernel: 'sum_reduction_over_a_dimension_custom',
  description: 'Sum along the middle axis, which stays with extent 1: y[b, 0, c] = sum over i of x[b, i, c].',
  inputs: blocks,
  outputs: { y: tensor({ dtype: 'float32', shape: ['B', 1, 'N'] }) },
  golden: ({ x }) => ({ y: sumOf(x) }),
  domain: blockSizes,
  // a sum of float32 in any order
  strict: ({ case: kernelCase }) => ({
    absolute: 2 ** -126,
    relative: 0,
    scaled: summed(shapeOf(kernelCase, 'x')[1]!),
  }),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', blockShapes),
})
