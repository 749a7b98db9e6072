import {
  adds,
  attr,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  fit,
  float,
  load,
  min,
  mul,
  mulColumns,
  mulRows,
  muls,
  operator,
  range,
  reciprocal,
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
    const tile = fit(min(share, 128))
    const blockDim = ceilDiv(rows, share)
    return { blockDim, rows, share, tile, D, scale: 1 / float(D), epsilon }
  },
  kernel({ x, gamma, y, rstd }, { rows, share, tile, D, scale, epsilon }, core) {
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
    const end = min((core + 1) * share, rows)
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
  },
})
