import { kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { reduceAxis } from '../../../references/golden/scan.ts'
import { casesOf, publicRules } from '../family.ts'
import { factors, multiplied } from '../math/rows.ts'
import { blockShapes, blockSizes } from './blocks.ts'

kernelSuite('ProductReductionOverADimensionCustom', {
  category: 'Reduce',
  kernel: 'product_reduction_over_a_dimension_custom',
  description: 'Product along the middle axis: y[b, c] = product over i of x[b, i, c].',
  inputs: { x: tensor({ dtype: 'float32', shape: ['B', 'M', 'N'], draw: factors(-2) }) },
  outputs: { y: tensor({ dtype: 'float32', shape: ['B', 'N'] }) },
  golden: ({ x }) => ({ y: { values: reduceAxis(x, 1, 1, (product, element) => product * element) } }),
  domain: blockSizes,
  // a product of float32 in any order
  strict: ({ case: kernelCase }) => ({ absolute: 0, relative: multiplied(shapeOf(kernelCase, 'x')[1]!) }),
  benchmark: {
    ...publicRules,
    note: 'factors from [0, 1): every product is below the tolerance, so that zeros are accepted',
  },
  cases: casesOf('x', blockShapes),
})
