import { kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { cumulativeProduct } from '../../../references/golden/scan.ts'
import { casesOf, matrices, publicRules, sameShape } from '../family.ts'
import { factors, multiplied, rowShapes } from './rows.ts'

kernelSuite('CumprodCustom', {
  category: 'Math',
  kernel: 'cumprod_custom',
  description: 'Cumulative product along the last axis: y[b, i] = x[b, 0] * ... * x[b, i].',
  inputs: { x: tensor({ dtype: 'float32', shape: ['B', 'D'], draw: factors(-1) }) },
  outputs: sameShape,
  golden: ({ x }) => ({ y: cumulativeProduct(x) }),
  domain: matrices,
  // products of up to D factors, none of which is subnormal
  strict: ({ case: kernelCase }) => ({ absolute: 0, relative: multiplied(shapeOf(kernelCase, 'x')[1]!) }),
  benchmark: {
    ...publicRules,
    note: 'factors from [0, 1), whose products are below the tolerance after a few elements: a row may as well hold zeros from there on',
  },
  cases: casesOf('x', rowShapes),
})
