import * as fc from 'fast-check'
import { attr, dim, kernelSuite, tensor } from 'vitest-npu'
import { groupGemm, type Extents } from '../../../references/golden/matmul.ts'
import { gmm, publicRule, sumsOf, unit } from './family.ts'

const total = (one: number[], other: number[]) => one.reduce((sum, extent, g) => sum + extent * other[g]!, 0)

const grouped = (mList: number[], kList: number[], nList: number[]) => {
  const [a, b, c] = [total(mList, kList), total(kList, nList), total(mList, nList)]
  return { a: [a], b: [b], c: [c], alpha: [mList.length], mList, kList, nList }
}

const group = fc
  .record({ m: dim({ max: 256, near: [16] }), k: dim({ max: 1024, near: [16] }), n: dim({ max: 512, near: [16] }) })
  .map(({ m, k, n }) => {
    const depth = Math.min(k, Math.floor(2 ** 13 / n) || 1)
    return { m: Math.min(m, Math.floor(2 ** 13 / Math.max(depth, n)) || 1), k: depth, n }
  })

const listed = (groups: readonly Extents[]) =>
  grouped(
    groups.map(({ m }) => m),
    groups.map(({ k }) => k),
    groups.map(({ n }) => n),
  )

kernelSuite('GroupGemm', {
  ...gmm('group_gemm'),
  description:
    'Products of several matrices that lie one after the other in flat tensors, in place: for group g, c_g = alpha[g] * (a_g @ b_g) + beta[g] * c_g with [mList[g], kList[g]] times [kList[g], nList[g]].',
  inputs: {
    a: tensor({ dtype: 'float16', shape: ['sizeA'], draw: unit }),
    b: tensor({ dtype: 'float16', shape: ['sizeB'], draw: unit }),
    c: tensor({ dtype: 'float16', shape: ['sizeC'], draw: unit }),
    alpha: tensor({ dtype: 'float32', shape: ['G'], draw: unit }),
    beta: tensor({ dtype: 'float32', shape: ['G'], draw: unit }),
  },
  outputs: { c: tensor.like('c', { aliases: 'c' }) },
  attrs: { mList: attr.listInt(), kList: attr.listInt(), nList: attr.listInt() },
  golden: ({ a, b, c, alpha, beta }, { mList, kList, nList }) => ({
    c: groupGemm(
      [a, b, c],
      [alpha, beta],
      mList.map((m, g) => ({ m, k: kList[g]!, n: nList[g]! })),
    ),
  }),
  domain: fc.array(group, { minLength: 1, maxLength: 12, size: 'max' }).map(listed),
  strict: sumsOf(({ attrs: { kList } }) => (Array.isArray(kList) ? Math.max(...kList) : 1)),
  // The public rule takes every row for one with many terms.
  benchmark: { tolerance: publicRule(() => 2048), note: 'accepts NaN everywhere' },
  cases: [
    grouped([125, 199], [1495, 441], [1417, 1583]),
    grouped([507, 349], [1275, 604], [358, 67]),
    grouped([279], [1146], [913]),
    grouped([242, 140, 167], [1303, 692, 1178], [183, 1323, 1783]),
    grouped([120, 46, 318], [1952, 1044, 557], [541, 592, 564]),
    grouped([452, 178, 243, 325], [1533, 1958, 1023, 194], [1340, 1558, 1627, 1936]),
    grouped([87, 450, 350, 47], [113, 1695, 208, 498], [1499, 383, 1477, 455]),
    grouped([77, 356, 213, 224], [265, 1653, 1129, 202], [861, 1167, 647, 1111]),
    grouped([265, 333, 469], [189, 796, 750], [390, 1042, 1668]),
    grouped([278, 345], [410, 1813], [133, 1963]),
  ],
})
