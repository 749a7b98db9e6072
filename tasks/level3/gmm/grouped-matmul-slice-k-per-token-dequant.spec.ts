import { float32Roundings, kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { sliceK } from '../../../references/golden/matmul.ts'
import { bytes, factors, gmm, groupEnds, groupedExtents, groupedShapes, publicRule } from './family.ts'

const withCells = (row: { m: number; k: number; n: number; G: number }) => ({ ...row, cells: row.G * row.m * row.n })

kernelSuite('GroupedMatmulSliceKPerTokenDequant', {
  ...gmm('grouped_matmul_slice_k_per_token_dequant'),
  description:
    'Groups cut along k: for group g, rows groupList[g-1] ... groupList[g] - 1 of b ([k, n]) and of a, whose memory holds [k, m] row-major whatever its shape says: c_g = transpose(a part) @ b part, sums in int32, times scale[g] by column and per_token_scale[g] by row. c holds [G, m, n] flat, and arrives filled with zeros. Rows beyond the last end belong to no group.',
  inputs: {
    // The memory holds [k, m], whatever the shape says.
    a: tensor({ dtype: 'int8', shape: ['m', 'k'], draw: bytes }),
    b: tensor({ dtype: 'int8', shape: ['k', 'n'], draw: bytes }),
    scale: tensor({ dtype: 'bfloat16', shape: ['G', 'n'], draw: factors }),
    per_token_scale: tensor({ dtype: 'bfloat16', shape: ['G', 'm'], draw: factors }),
    groupList: tensor({ dtype: 'int64', shape: ['G'], draw: groupEnds(1, { complete: false }) }),
  },
  // [G, m, n], flat.
  outputs: { c: tensor({ dtype: 'bfloat16', shape: ['cells'], zeroed: true }) },
  golden: ({ a, b, scale, per_token_scale: perToken, groupList }) => ({
    c: sliceK(a, b, groupList, [scale, perToken]),
  }),
  domain: groupedExtents.map(withCells),
  // An exact int32 sum, its conversion to float32, two products in any order.
  strict: float32Roundings(4),
  benchmark: {
    tolerance: publicRule((kernelCase) => shapeOf(kernelCase, 'a')[1]!),
    note: 'accepts NaN everywhere',
  },
  cases: groupedShapes([2, 32, 12, 24, 2, 64, 32, 4]).map(withCells),
})
