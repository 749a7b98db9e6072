import {
  add,
  adds,
  attr,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  duplicate,
  fit,
  float,
  get,
  load,
  min,
  mul,
  mulColumns,
  mulRows,
  muls,
  operator,
  range,
  reciprocal,
  reduceSum,
  rowSum,
  sqrt,
  store,
  tensor,
} from 'vitest-npu/dsl'

// The sum of x1 and x2, normalised by its root mean square.
export default operator({
  name: 'InplaceAddRmsNorm',
  inputs: {
    x1: tensor(['float16', 'float32', 'bfloat16'], ['...rows', 'D']),
    x2: tensor(['float16', 'float32', 'bfloat16'], ['...rows', 'D']),
    gamma: tensor(['float16', 'float32', 'bfloat16'], ['D']),
  },
  outputs: { x1: tensor.like('x1'), rstd: tensor('float32', ['...rows', 1]), x2: tensor.like('x2') },
  attrs: { epsilon: attr.float(1e-6) },
  host({ x1, epsilon }, { cores }) {
    const D = x1.shape(-1)
    const rows = x1.size / D
    const share = ceilDiv(rows, cores)
    const tile = fit(min(share, 128)) // whole rows of a step; 0 where not even one fits
    const piece = fit(D) // else pieces of one row, which is read twice
    return { blockDim: ceilDiv(rows, share), rows, share, tile, piece, D, scale: 1 / float(D), epsilon }
  },
  kernel({ x1, x2, gamma, rstd }, { rows, share, tile, piece, D, scale, epsilon }, core) {
    const end = min((core + 1) * share, rows)
    if (tile > 0) {
      const firsts = buffer(x1.dtype, [tile, D])
      const seconds = buffer(x2.dtype, [tile, D])
      const sums = buffer(x1.dtype, [tile, D])
      const other = buffer('float32', [tile, D])
      const ys = buffer(x1.dtype, [tile, D])
      const gs = buffer(gamma.dtype, D, { depth: 1 })
      const wideGamma = buffer('float32', D)
      const wide = buffer('float32', [tile, D])
      const sum = buffer('float32', tile)
      const rs = buffer('float32', tile)
      copyIn(() => load(gs, gamma, 0, D))
      compute(() => cast(wideGamma, gs, D))
      for (const row of range(core * share, end, tile)) {
        const n = min(tile, end - row)
        copyIn(() => {
          load(firsts, x1, row * D, [n, D])
          load(seconds, x2, row * D, [n, D])
        })
        compute(() => {
          cast(wide, firsts, [n, D])
          cast(other, seconds, [n, D])
          add(wide, wide, other, [n, D])
          cast(sums, wide, [n, D])
          mul(other, wide, wide, [n, D])
          rowSum(sum, other, [n, D])
          muls(sum, sum, scale, n)
          adds(sum, sum, epsilon, n)
          sqrt(sum, sum, n)
          reciprocal(rs, sum, n)
          mulRows(wide, wide, rs, [n, D])
          mulColumns(wide, wide, wideGamma, [n, D])
          cast(ys, wide, [n, D])
        })
        copyOut(() => {
          store(x1, row * D, ys, [n, D])
          store(x2, row * D, sums, [n, D])
          store(rstd, row, rs, n)
        })
      }
    } else {
      const part1 = buffer(x1.dtype, piece)
      const part2 = buffer(x2.dtype, piece)
      const sumPart = buffer(x1.dtype, piece)
      const otherPart = buffer('float32', piece)
      const gPart = buffer(gamma.dtype, piece)
      const yPart = buffer(x1.dtype, piece)
      const widePart = buffer('float32', piece)
      const gWide = buffer('float32', piece)
      const partSum = buffer('float32', 8)
      const total = buffer('float32', 8)
      const root = buffer('float32', 8)
      for (const row of range(core * share, end)) {
        compute(() => duplicate(total, 0, 8))
        for (const at of range(0, D, piece)) {
          const count = min(piece, D - at)
          copyIn(() => {
            load(part1, x1, row * D + at, count)
            load(part2, x2, row * D + at, count)
          })
          compute(() => {
            cast(widePart, part1, count)
            cast(otherPart, part2, count)
            add(widePart, widePart, otherPart, count)
            mul(widePart, widePart, widePart, count)
            reduceSum(partSum, widePart, count)
            add(total, total, partSum, 1)
          })
        }
        compute(() => {
          muls(total, total, scale, 1)
          adds(total, total, epsilon, 1)
          sqrt(total, total, 1)
          reciprocal(root, total, 1)
        })
        const factor = get(root, 0)
        for (const at of range(0, D, piece)) {
          const count = min(piece, D - at)
          copyIn(() => {
            load(part1, x1, row * D + at, count)
            load(part2, x2, row * D + at, count)
            load(gPart, gamma, at, count)
          })
          compute(() => {
            cast(widePart, part1, count)
            cast(otherPart, part2, count)
            add(widePart, widePart, otherPart, count)
            cast(sumPart, widePart, count)
            cast(gWide, gPart, count)
            muls(widePart, widePart, factor, count)
            mul(widePart, widePart, gWide, count)
            cast(yPart, widePart, count)
          })
          copyOut(() => {
            store(x1, row * D + at, yPart, count)
            store(x2, row * D + at, sumPart, count)
          })
        }
        copyOut(() => store(rstd, row, root, 1))
      }
    }
  },
})
