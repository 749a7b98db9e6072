import { float32Roundings, kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { sliceM } from '../../../references/golden/matmul.ts'
import { bytes, factors, gmm, groupEnds, groupedExtents, groupedShapes, publicRule } from './family.ts'

const withCells = (row: { m: number; k: number; n: number; G: number }) => ({ ...row, cells: row.m * row.n })

kernelSuite('GroupedMatmulSliceMPerTokenDequant', {
  ...gmm('grouped_matmul_slice_m_per_token_dequant'),
  description:
    'Groups cut along m: rows groupList[g-1] ... groupList[g] - 1 of a ([m, k]) are multiplied by b[g] ([k, n]), sums in int32, times scale[g] by column and per_token_scale by row. c holds [m, n] flat. The last end is m.',
  inputs: {
    a: tensor({ dtype: 'int8', shape: ['m', 'k'], draw: bytes }),
    b: tensor({ dtype: 'int8', shape: ['G', 'k', 'n'], draw: bytes }),
    scale: tensor({ dtype: 'bfloat16', shape: ['G', 'n'], draw: factors }),
    per_token_scale: tensor({ dtype: 'bfloat16', shape: ['m'], draw: factors }),
    groupList: tensor({ dtype: 'int64', shape: ['G'], draw: groupEnds(0, { complete: true }) }),
  },
  // [m, n], flat; unlike its siblings it is not zeroed before the launch.
  outputs: { c: tensor({ dtype: 'bfloat16', shape: ['cells'] }) },
  golden: ({ a, b, scale, per_token_scale: perToken, groupList }) => ({
    c: sliceM(a, b, groupList, [scale, perToken]),
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
