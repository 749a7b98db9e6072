import {
  addRows,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  duplicate,
  fit,
  load,
  min,
  operator,
  pick,
  range,
  runningSum,
  store,
  tensor,
} from 'vitest-npu/dsl'

// Running sums. Rows in pieces of columns; what a piece has come to is carried on to the next one.
export default operator({
  name: 'CumsumCustom',
  inputs: { x: tensor('float32', ['B', 'D']) },
  outputs: { y: tensor.like('x') },
  host({ x }, { cores }) {
    const rows = x.shape(0)
    const D = x.shape(1)
    const share = ceilDiv(rows, cores)
    const piece = min(D, 2048)
    const tile = fit(min(share, 64))
    return { blockDim: ceilDiv(rows, share), rows, D, share, piece, tile }
  },
  kernel({ x, y }, { rows, D, share, piece, tile }, core) {
    const xs = buffer('float32', [tile, piece])
    const ys = buffer('float32', [tile, piece])
    const carry = buffer('float32', tile)
    const end = min((core + 1) * share, rows)
    for (const row of range(core * share, end, tile)) {
      const n = min(tile, end - row)
      compute(() => duplicate(carry, 0, n))
      for (const from of range(0, D, piece)) {
        const w = min(piece, D - from)
        const at = from
        copyIn(() => {
          load(xs, x, row * D + at, [n, w], D)
        })
        compute(() => {
          runningSum(ys, xs, [n, w])
          addRows(ys, ys, carry, [n, w])
          pick(carry, ys, w - 1, [n, w])
        })
        copyOut(() => store(y, row * D + at, ys, [n, w], D))
      }
    }
  },
})
