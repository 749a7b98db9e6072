import { kernelSuite, shapeOf, tensor } from 'vitest-npu'
import { sliceM } from '../../../references/golden/matmul.ts'
import { gmm, groupEnds, groupedExtents, groupedShapes, publicRule, sumsOf, unit } from './family.ts'

const withCells = (row: { m: number; k: number; n: number; G: number }) => ({ ...row, cells: row.m * row.n })

kernelSuite('GroupedMatmulSliceM', {
  ...gmm('grouped_matmul_slice_m'),
  description:
    'Groups cut along m: rows groupList[g-1] ... groupList[g] - 1 of a ([m, k]) are multiplied by b[g] ([k, n]), sums in float32. c holds [m, n] flat, and arrives filled with zeros. The last end is m.',
  inputs: {
    a: tensor({ dtype: 'float16', shape: ['m', 'k'], draw: unit }),
    b: tensor({ dtype: 'float16', shape: ['G', 'k', 'n'], draw: unit }),
    groupList: tensor({ dtype: 'int64', shape: ['G'], draw: groupEnds(0, { complete: true }) }),
  },
  // [m, n], flat.
  outputs: { c: tensor({ dtype: 'float16', shape: ['cells'], zeroed: true }) },
  golden: ({ a, b, groupList }) => ({ c: sliceM(a, b, groupList) }),
  domain: groupedExtents.map(withCells),
  strict: sumsOf((kernelCase) => shapeOf(kernelCase, 'a')[1]!),
  benchmark: {
    tolerance: publicRule((kernelCase) => shapeOf(kernelCase, 'a')[1]!),
    note: 'accepts NaN everywhere; its reference rounds to float16, which is golden rounded once',
  },
  cases: groupedShapes([8, 32, 12, 24, 2, 64, 32, 4]).map(withCells),
})
