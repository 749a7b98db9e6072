import { kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { meanOf } from '../../../references/golden/scan.ts'
import { casesOf, note, publicRules, summed } from '../family.ts'
import { blockShapes, blockSizes, blocks } from './blocks.ts'

kernelSuite('MeanReductionOverADimensionCustom', {
  category: 'Reduce',
  kernel: 'mean_reduction_over_a_dimension_custom',
  description: 'Mean along the middle axis: y[b, c] = sum over i of x[b, i, c], divided by their number.',
  inputs: blocks,
  outputs: { y: tensor({ dtype: 'float32', shape: ['B', 'N'] }) },
  golden: ({ x }) => ({ y: meanOf(x) }),
  domain: blockSizes,
  // a sum of float32 in any order, a division
  strict: ({ case: kernelCase }) => ({
    absolute: 2 ** -126,
    relative: 0,
    scaled: summed(shapeOf(kernelCase, 'x')[1]!),
  }),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', blockShapes),
})
