import {
  add,
  adds,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  divRows,
  duplicate,
  exp,
  fit,
  get,
  load,
  max,
  min,
  muls,
  operator,
  range,
  reduceMax,
  reduceSum,
  rowMax,
  rowSum,
  store,
  subRows,
  tensor,
} from 'vitest-npu/dsl'

// Softmax of each row, in place; rows beyond the memory are read three times.
export default operator({
  name: 'InplaceAttnSoftmax',
  inputs: { x: tensor(['float16', 'float32', 'bfloat16'], ['...rows', 'D']) },
  outputs: { x: tensor.like('x') },
  host({ x }, { cores }) {
    const D = x.shape(-1)
    const rows = x.size / D
    const share = ceilDiv(rows, cores)
    const tile = fit(min(share, 128))
    const piece = fit(D)
    return { blockDim: ceilDiv(rows, share), rows, share, tile, piece, D }
  },
  kernel({ x }, { rows, share, tile, piece, D }, core) {
    const end = min((core + 1) * share, rows)
    if (tile > 0) {
      const xs = buffer(x.dtype, [tile, D])
      const ys = buffer(x.dtype, [tile, D])
      const wide = buffer('float32', [tile, D])
      const statistic = buffer('float32', tile)
      for (const row of range(core * share, end, tile)) {
        const n = min(tile, end - row)
        copyIn(() => load(xs, x, row * D, [n, D]))
        compute(() => {
          cast(wide, xs, [n, D])
          rowMax(statistic, wide, [n, D])
          subRows(wide, wide, statistic, [n, D])
          exp(wide, wide, [n, D])
          rowSum(statistic, wide, [n, D])
          divRows(wide, wide, statistic, [n, D])
          cast(ys, wide, [n, D])
        })
        copyOut(() => store(x, row * D, ys, [n, D]))
      }
    } else {
      const part = buffer(x.dtype, piece)
      const yPart = buffer(x.dtype, piece)
      const widePart = buffer('float32', piece)
      const partial = buffer('float32', 8)
      const most = buffer('float32', 8)
      const total = buffer('float32', 8)
      for (const row of range(core * share, end)) {
        compute(() => {
          duplicate(most, -Infinity, 8)
          duplicate(total, 0, 8)
        })
        for (const at of range(0, D, piece)) {
          const count = min(piece, D - at)
          copyIn(() => load(part, x, row * D + at, count))
          compute(() => {
            cast(widePart, part, count)
            reduceMax(partial, widePart, count)
            max(most, most, partial, 1)
          })
        }
        const largest = get(most, 0)
        for (const at of range(0, D, piece)) {
          const count = min(piece, D - at)
          copyIn(() => load(part, x, row * D + at, count))
          compute(() => {
            cast(widePart, part, count)
            adds(widePart, widePart, -largest, count)
            exp(widePart, widePart, count)
            reduceSum(partial, widePart, count)
            add(total, total, partial, 1)
          })
        }
        const divisor = get(total, 0)
        for (const at of range(0, D, piece)) {
          const count = min(piece, D - at)
          copyIn(() => load(part, x, row * D + at, count))
          compute(() => {
            cast(widePart, part, count)
            adds(widePart, widePart, -largest, count)
            exp(widePart, widePart, count)
            muls(widePart, widePart, 1 / divisor, count)
            cast(yPart, widePart, count)
          })
          copyOut(() => store(x, row * D + at, yPart, count))
        }
      }
    }
  },
})
