import {
  add,
  adds,
  attr,
  axpy,
  buffer,
  cast,
  ceilDiv,
  columnSum,
  compute,
  copyIn,
  copyOut,
  div,
  divColumns,
  divRows,
  duplicate,
  exp,
  fit,
  float,
  get,
  load,
  min,
  mul,
  muls,
  operator,
  range,
  reciprocal,
  reduceSum,
  rowMax,
  rowSum,
  set,
  sqrt,
  store,
  subRows,
  tensor,
} from 'vitest-npu/dsl'

// Token by token: 24 mixes of what all streams hold, in pieces; gates and the matrix that they become; the streams, weighed.
export default operator({
  name: 'MhcPre',
  inputs: {
    residual: tensor(['bfloat16', 'float32'], ['T', 4, 'C']),
    fn: tensor('float32', [24, 4, 'C']),
    scale: tensor('float32', [3]),
    base: tensor('float32', [24]),
  },
  outputs: {
    post: tensor('float32', ['T', 4]),
    comb: tensor('float32', ['T', 4, 4]),
    y: tensor(['bfloat16', 'float32'], ['T', 'C']),
  },
  attrs: {
    rms_eps: attr.float(1e-6),
    pre_eps: attr.float(1e-6),
    sinkhorn_eps: attr.float(1e-6),
    post_mult: attr.float(2),
    repeats: attr.int(20),
  },
  host({ residual, rms_eps, pre_eps, sinkhorn_eps, post_mult, repeats }, { cores }) {
    const T = residual.shape(0)
    const C = residual.shape(2)
    const share = ceilDiv(T, cores)
    const tile = fit(min(4 * C, 4096))
    return { blockDim: ceilDiv(T, share), T, C, share, tile, rms_eps, pre_eps, sinkhorn_eps, post_mult, repeats }
  },
  kernel(
    { residual, fn, scale, base, post, comb, y },
    { T, C, share, tile, rms_eps, pre_eps, sinkhorn_eps, post_mult, repeats },
    core,
  ) {
    const given = buffer('float32', 3, { depth: 1 })
    const shifts = buffer('float32', 24, { depth: 1 })
    const factors = buffer('float32', 24)
    const pieces = buffer(residual.dtype, tile)
    const weights = buffer('float32', tile)
    const wide = buffer('float32', tile)
    const product = buffer('float32', tile)
    const sum = buffer('float32', 1)
    const mixes = buffer('float32', 24)
    const root = buffer('float32', 24)
    const opened = buffer('float32', 8)
    const gates = buffer('float32', 8)
    const matrix = buffer('float32', [4, 4])
    const rows = buffer('float32', 4)
    const columns = buffer('float32', 4)
    const posts = buffer('float32', 4)
    const combs = buffer('float32', [4, 4])
    const streams = buffer(residual.dtype, tile)
    const ys = buffer(y.dtype, tile)
    const end = min((core + 1) * share, T)
    copyIn(() => {
      load(given, scale, 0, 3)
      load(shifts, base, 0, 24)
    })
    compute(() => {
      for (const j of range(24)) set(factors, j, get(given, j < 4 ? 0 : j < 8 ? 1 : 2))
    })
    for (const t of range(core * share, end)) {
      let square = 0.0
      compute(() => duplicate(mixes, 0, 24))
      for (const at of range(0, 4 * C, tile)) {
        const n = min(tile, 4 * C - at)
        copyIn(() => load(pieces, residual, t * 4 * C + at, n))
        compute(() => {
          cast(wide, pieces, n)
          mul(product, wide, wide, n)
          reduceSum(sum, product, n)
          square += get(sum, 0)
        })
        for (const j of range(24)) {
          copyIn(() => load(weights, fn, j * 4 * C + at, n))
          compute(() => {
            mul(product, wide, weights, n)
            reduceSum(sum, product, n)
            set(mixes, j, get(mixes, j) + get(sum, 0))
          })
        }
      }
      compute(() => {
        duplicate(root, square / float(4 * C) + rms_eps, 24)
        sqrt(root, root, 24)
        div(mixes, mixes, root, 24)
        mul(mixes, mixes, factors, 24)
        add(mixes, mixes, shifts, 24)
        muls(opened, mixes, -1, 8)
        exp(opened, opened, 8)
        adds(opened, opened, 1, 8)
        reciprocal(gates, opened, 8)
        for (const m of range(4)) set(posts, m, get(gates, 4 + m) * post_mult)
        duplicate(matrix, 0, [4, 4])
        for (const i of range(16)) set(matrix, i, get(mixes, 8 + i))
        rowMax(rows, matrix, [4, 4])
        subRows(matrix, matrix, rows, [4, 4])
        exp(matrix, matrix, [4, 4])
        rowSum(rows, matrix, [4, 4])
        divRows(matrix, matrix, rows, [4, 4])
        adds(matrix, matrix, sinkhorn_eps, [4, 4])
        columnSum(columns, matrix, [4, 4])
        adds(columns, columns, sinkhorn_eps, 4)
        divColumns(matrix, matrix, columns, [4, 4])
        for (const i of range(1, repeats)) {
          rowSum(rows, matrix, [4, 4])
          adds(rows, rows, sinkhorn_eps, 4)
          divRows(matrix, matrix, rows, [4, 4])
          columnSum(columns, matrix, [4, 4])
          adds(columns, columns, sinkhorn_eps, 4)
          divColumns(matrix, matrix, columns, [4, 4])
        }
        cast(combs, matrix, [4, 4])
      })
      copyOut(() => {
        store(post, t * 4, posts, 4)
        store(comb, t * 16, combs, [4, 4])
      })
      for (const at of range(0, C, tile)) {
        const n = min(tile, C - at)
        compute(() => duplicate(product, 0, n))
        for (const m of range(4)) {
          copyIn(() => load(streams, residual, (t * 4 + m) * C + at, n))
          compute(() => {
            cast(wide, streams, n)
            axpy(product, wide, get(gates, m) + pre_eps, n)
          })
        }
        compute(() => cast(ys, product, n))
        copyOut(() => store(y, t * C + at, ys, n))
      }
    }
  },
})
