import { exact, kernelSuite, tensor } from 'vitest-npu'
import { reduceAxis } from '../../../references/golden/scan.ts'
import { casesOf, note, publicRules } from '../family.ts'
import { blockShapes, blockSizes, blocks } from './blocks.ts'

kernelSuite('MaxReductionOverADimensionCustom', {
  category: 'Reduce',
  kernel: 'max_reduction_over_a_dimension_custom',
  description: 'Largest element along the middle axis: y[b, c] = max over i of x[b, i, c].',
  inputs: blocks,
  outputs: { y: tensor({ dtype: 'float32', shape: ['B', 'N'] }) },
  golden: ({ x }) => ({ y: { values: reduceAxis(x, 1, -Infinity, Math.max) } }),
  domain: blockSizes,
  // nothing is rounded
  strict: exact,
  benchmark: { ...publicRules, note },
  cases: casesOf('x', blockShapes),
})
