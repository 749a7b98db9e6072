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

export default operator({
  name: 'RmsNorm',
  inputs: {
    x: tensor(['float16', 'bfloat16', 'float16', 'float32', 'bfloat16'], ['...rows', 'D']),
    gamma: tensor(['float32', 'float32', 'float16', 'float32', 'bfloat16'], ['D']),
  },
  outputs: { y: tensor.like('x'), rstd: tensor('float32', ['...rows', 1]) },
  attrs: { epsilon: attr.float(1e-6) },
  host({ x, epsilon }, { cores }) {
    const D = x.shape(-1)
    const rows = x.size / D
    const share = ceilDiv(rows, cores)
    const tile = fit(min(share, 128)) // whole rows of a step; 0 where not even one fits
    const piece = fit(D) // else pieces of one row, which is read twice
    return { blockDim: ceilDiv(rows, share), rows, share, tile, piece, D, scale: 1 / float(D), epsilon }
  },
  kernel({ x, gamma, y, rstd }, { rows, share, tile, piece, D, scale, epsilon }, core) {
    const end = min((core + 1) * share, rows)
    if (tile > 0) {
      const xs = buffer(x.dtype, [tile, D])
      const ys = buffer(y.dtype, [tile, D])
      const gs = buffer(gamma.dtype, D, { depth: 1 })
      const wideGamma = buffer('float32', D)
      const wide = buffer('float32', [tile, D])
      const square = buffer('float32', [tile, D])
      const sum = buffer('float32', tile)
      const rs = buffer('float32', tile)
      copyIn(() => load(gs, gamma, 0, D))
      compute(() => cast(wideGamma, gs, D))
      for (const row of range(core * share, end, tile)) {
        const n = min(tile, end - row)
        copyIn(() => load(xs, x, row * D, [n, D]))
        compute(() => {
          cast(wide, xs, [n, D])
          mul(square, wide, wide, [n, D])
          rowSum(sum, square, [n, D])
          muls(sum, sum, scale, n)
          adds(sum, sum, epsilon, n)
          sqrt(sum, sum, n)
          reciprocal(rs, sum, n)
          mulRows(wide, wide, rs, [n, D])
          mulColumns(wide, wide, wideGamma, [n, D])
          cast(ys, wide, [n, D])
        })
        copyOut(() => {
          store(y, row * D, ys, [n, D])
          store(rstd, row, rs, n)
        })
      }
    } else {
      const part = buffer(x.dtype, piece)
      const gPart = buffer(gamma.dtype, piece)
      const yPart = buffer(y.dtype, piece)
      const widePart = buffer('float32', piece)
      const gWide = buffer('float32', piece)
      const partSum = buffer('float32', 8)
      const total = buffer('float32', 8)
      const root = buffer('float32', 8)
      for (const row of range(core * share, end)) {
        compute(() => duplicate(total, 0, 8))
        for (const at of range(0, D, piece)) {
          const count = min(piece, D - at)
          copyIn(() => load(part, x, row * D + at, count))
          compute(() => {
            cast(widePart, part, count)
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
            load(part, x, row * D + at, count)
            load(gPart, gamma, at, count)
          })
          compute(() => {
            cast(widePart, part, count)
            cast(gWide, gPart, count)
            muls(widePart, widePart, factor, count)
            mul(widePart, widePart, gWide, count)
            cast(yPart, widePart, count)
          })
          copyOut(() => store(y, row * D + at, yPart, count))
        }
        copyOut(() => store(rstd, row, root, 1))
      }
    }
  },
})
