import { kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { sliceK } from '../../../references/golden/matmul.ts'
import { gmm, groupEnds, groupedExtents, groupedShapes, publicRule, sumsOf, unit } from './family.ts'

const withCells = (row: { m: number; k: number; n: number; G: number }) => ({ ...row, cells: row.G * row.m * row.n })

kernelSuite('GroupedMatmulSliceK', {
  ...gmm('grouped_matmul_slice_k'),
  description:
    'Groups cut along k: for group g, rows groupList[g-1] ... groupList[g] - 1 of b ([k, n]) and of a, whose memory holds [k, m] row-major whatever its shape says: c_g = transpose(a part) @ b part, sums in float32. c holds [G, m, n] flat, and arrives filled with zeros. Rows beyond the last end belong to no group.',
  inputs: {
    // The memory holds [k, m], whatever the shape says.
    a: tensor({ dtype: 'float16', shape: ['m', 'k'], draw: unit }),
    b: tensor({ dtype: 'float16', shape: ['k', 'n'], draw: unit }),
    groupList: tensor({ dtype: 'int64', shape: ['G'], draw: groupEnds(1, { complete: false }) }),
  },
  // [G, m, n], flat.
  outputs: { c: tensor({ dtype: 'float16', shape: ['cells'], zeroed: true }) },
  golden: ({ a, b, groupList }) => ({ c: sliceK(a, b, groupList) }),
  domain: groupedExtents.map(withCells),
  strict: sumsOf((kernelCase) => shapeOf(kernelCase, 'a')[1]!),
  benchmark: {
    tolerance: publicRule((kernelCase) => shapeOf(kernelCase, 'a')[1]!),
    note: 'accepts NaN everywhere; its reference rounds to float16, which is golden rounded once',
  },
  cases: groupedShapes([8, 32, 12, 24, 2, 64, 32, 4]).map(withCells),
})
