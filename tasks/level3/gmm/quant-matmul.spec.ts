import { float32Roundings, kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { quantMatmul } from '../../../references/golden/matmul.ts'
import { bytes, extents, gmm, publicRule, shapes, smallFactors } from './family.ts'

kernelSuite('QuantMatmul', {
  ...gmm('quant_matmul'),
  description:
    'Product of int8 matrices, scaled: d = (a @ b) * scale by column * per_token_scale by row, sums in int32.',
  inputs: {
    a: tensor({ dtype: 'int8', shape: ['m', 'k'], draw: bytes }),
    b: tensor({ dtype: 'int8', shape: ['k', 'n'], draw: bytes }),
    scale: tensor({ dtype: 'float16', shape: ['n'], draw: smallFactors }),
    per_token_scale: tensor({ dtype: 'float16', shape: ['m'], draw: smallFactors }),
  },
  outputs: { d: tensor({ dtype: 'float16', shape: ['m', 'n'] }) },
  golden: ({ a, b, scale, per_token_scale: perToken }) => ({ d: quantMatmul(a, b, scale, perToken) }),
  domain: extents,
  // An exact int32 sum, its conversion to float32, two products in any order.
  strict: float32Roundings(4),
  benchmark: {
    tolerance: publicRule((kernelCase) => shapeOf(kernelCase, 'a')[1]!),
    note: 'accepts NaN everywhere',
  },
  cases: shapes(128, 1280, 640),
})
