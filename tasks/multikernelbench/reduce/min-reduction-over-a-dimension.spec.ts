import { exact, kernelSuite, tensor } from 'vitest-npu'
import { reduceAxis } from '../../../references/golden/scan.ts'
import { casesOf, note, publicRules } from '../family.ts'
import { blockShapes, blockSizes, blocks } from './blocks.ts'

kernelSuite('MinReductionOverADimensionCustom', {
  category: 'Reduce',
  kernel: 'min_reduction_over_a_dimension_custom',
  description: 'Smallest element along the middle axis: y[b, c] = min over i of x[b, i, c].',
  inputs: blocks,
  outputs: { y: tensor({ dtype: 'float32', shape: ['B', 'N'] }) },
  golden: ({ x }) => ({ y: { values: reduceAxis(x, 1, Infinity, Math.min) } }),
  domain: blockSizes,
  // nothing is rounded
  strict: exact,
  benchmark: { ...publicRules, note },
  cases: casesOf('x', blockShapes),
})
