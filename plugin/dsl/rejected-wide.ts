import type { Rejected } from './rejected.ts'

// Programs that look beyond one element, and that the compiler refuses; each with what makes it right.

/** A right program, whose parts the cases below replace. */
export const rightWideProgram = `import { add, allReduceSum, buffer, ceilDiv, columnSum, compute, copyIn, copyOut, duplicate, fit, load, min, operator, range, runningSum, store, tensor, windowMax, windowRowsMax } from 'vitest-npu/dsl'

export default operator({
  name: 'Example',
  inputs: { x: tensor('float32', ['rows', 'D']) },
  outputs: { y: tensor('float32', ['D']) },
  host({ x }, { cores }) {
    const D = x.shape(-1)
    const rows = x.size / D
    const share = ceilDiv(rows, cores)
    const places = (D + 1) / 2
    const tile = fit(share)
    return { blockDim: ceilDiv(rows, share), rows, share, tile, D, places }
  },
  kernel({ x, y }, { rows, share, tile, D, places }, core) {
    const xs = buffer('float32', [tile, D])
    const sums = buffer('float32', [tile, D])
    const narrow = buffer('float32', [tile, places])
    const columns = buffer('float32', D)
    const total = buffer('float32', D)
    const ys = buffer('float32', D)
    const end = min((core + 1) * share, rows)
    compute(() => duplicate(total, 0, D))
    for (const row of range(core * share, end, tile)) {
      const n = min(tile, end - row)
      copyIn(() => load(xs, x, row * D, [n, D]))
      compute(() => {
        windowMax(narrow, xs, 2, 2, 0, D, [n, places])
        windowRowsMax(sums, xs, 3, 1, -1, n, [n, D])
        runningSum(sums, xs, [n, D])
        columnSum(columns, sums, [n, D])
        add(total, total, columns, D)
      })
    }
    compute(() => allReduceSum(total, total, D))
    if (core === 0) {
      compute(() => add(ys, total, total, D))
      copyOut(() => store(y, 0, ys, D))
    }
  },
})
`

const add = 'add(total, total, columns, D)\n'

export const rejectedWide: readonly Rejected[] = [
  {
    name: 'cores that meet in a loop of their own',
    part: add,
    wrong: `${add}        allReduceSum(total, total, D)\n`,
    right: `${add}        add(total, total, columns, D)\n`,
  },
  {
    name: 'cores that meet where one of them comes',
    part: 'compute(() => add(ys, total, total, D))',
    wrong: 'compute(() => {\n        allReduceSum(total, total, D)\n        add(ys, total, total, D)\n      })',
    right: 'compute(() => {\n        add(total, total, total, D)\n        add(ys, total, total, D)\n      })',
  },
  {
    name: 'cores that meet as often as the host part says',
    part: 'compute(() => allReduceSum(total, total, D))',
    wrong: 'for (const i of range(core)) {\n      compute(() => allReduceSum(total, total, D + 0 * i))\n    }',
    right: 'for (const i of range(places)) {\n      compute(() => allReduceSum(total, total, D + 0 * i))\n    }',
  },
  {
    name: 'cores that meet with different extents',
    part: 'allReduceSum(total, total, D)',
    wrong: 'allReduceSum(total, total, min(D, core + 1))',
    right: 'allReduceSum(total, total, min(D, places))',
  },
  {
    name: 'rows of cores',
    part: 'allReduceSum(total, total, D)',
    wrong: 'allReduceSum(total, total, [1, D])',
    right: 'allReduceSum(total, total, 1 * D)',
  },
  {
    name: 'columns of one row',
    part: 'columnSum(columns, sums, [n, D])',
    wrong: 'columnSum(columns, total, D)',
    right: 'columnSum(columns, xs, [n, D])',
  },
  {
    name: 'a running sum in place',
    part: 'runningSum(sums, xs, [n, D])',
    wrong: 'runningSum(sums, sums, [n, D])',
    right: "runningSum(sums, xs, [n, D], 'backward')",
  },
  {
    name: 'a running sum in a direction that there is not',
    part: 'runningSum(sums, xs, [n, D])',
    wrong: "runningSum(sums, xs, [n, D], 'back')",
    right: "runningSum(sums, xs, [n, D], 'forward')",
  },
  {
    name: 'windows of one row',
    part: 'windowMax(narrow, xs, 2, 2, 0, D, [n, places])',
    wrong: 'windowMax(narrow, total, 2, 2, 0, D, [n, places])',
    right: 'windowMax(narrow, xs, 3, 2, -1, D, [n, places])',
  },
  {
    name: 'windows over rows of another width',
    part: 'windowRowsMax(sums, xs, 3, 1, -1, n, [n, D])',
    wrong: 'windowRowsMax(narrow, xs, 3, 1, -1, n, [n, places])',
    right: 'windowRowsMax(sums, xs, 2, 1, 0, n, [n, D])',
  },
  {
    name: 'windows of a type that they do not know',
    part: "const narrow = buffer('float32'",
    wrong: "const narrow = buffer('float16'",
    right: "const narrow = buffer('float32'",
  },
]
