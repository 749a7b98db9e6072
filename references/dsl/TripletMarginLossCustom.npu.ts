import {
  add,
  adds,
  allReduceSum,
  attr,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  duplicate,
  fit,
  float,
  load,
  max,
  min,
  mul,
  muls,
  operator,
  range,
  reduceSum,
  relu,
  rowSum,
  sqrt,
  store,
  sub,
  tensor,
} from 'vitest-npu/dsl'

// The mean over rows of max(near - far + margin, 0), distances of the anchor from two others. Rows in pieces of columns; then each core adds up its rows, and all cores theirs.
export default operator({
  name: 'TripletMarginLossCustom',
  inputs: {
    anchor: tensor('float32', ['N', 'D']),
    positive: tensor('float32', ['N', 'D']),
    negative: tensor('float32', ['N', 'D']),
  },
  outputs: { y: tensor('float32', [1]) },
  attrs: { margin: attr.float(1) },
  host({ anchor, margin }, { cores }) {
    const rows = anchor.shape(0)
    const D = anchor.shape(1)
    const share = ceilDiv(rows, cores)
    const piece = min(D, 2048)
    const tile = fit(min(share, 64))
    return { blockDim: ceilDiv(rows, share), rows, D, share, piece, tile, scale: 1 / float(rows), margin }
  },
  kernel({ anchor, positive, negative, y }, { rows, D, share, piece, tile, scale, margin }, core) {
    const values = buffer('float32', [tile, piece])
    const friends = buffer('float32', [tile, piece])
    const strangers = buffer('float32', [tile, piece])
    const products = buffer('float32', [tile, piece])
    const part = buffer('float32', tile)
    const near = buffer('float32', tile)
    const far = buffer('float32', tile)
    const found = buffer('float32', 8)
    const total = buffer('float32', 8)
    const result = buffer('float32', 8)
    const end = min((core + 1) * share, rows)
    compute(() => duplicate(total, 0, 8))
    for (const row of range(core * share, end, tile)) {
      const n = min(tile, end - row)
      compute(() => {
        duplicate(near, 0, n)
        duplicate(far, 0, n)
      })
      for (const at of range(0, D, piece)) {
        const w = min(piece, D - at)
        copyIn(() => {
          load(values, anchor, row * D + at, [n, w], D)
          load(friends, positive, row * D + at, [n, w], D)
          load(strangers, negative, row * D + at, [n, w], D)
        })
        compute(() => {
          sub(products, values, friends, [n, w])
          adds(products, products, 1e-6, [n, w])
          mul(products, products, products, [n, w])
          rowSum(part, products, [n, w])
          add(near, near, part, n)
          sub(products, values, strangers, [n, w])
          adds(products, products, 1e-6, [n, w])
          mul(products, products, products, [n, w])
          rowSum(part, products, [n, w])
          add(far, far, part, n)
        })
      }
      compute(() => {
        sqrt(near, near, n)
        sqrt(far, far, n)
        sub(near, near, far, n)
        adds(near, near, margin, n)
        relu(near, near, n)
        reduceSum(found, near, n)
        add(total, total, found, 1)
      })
    }
    compute(() => allReduceSum(total, total, 1))
    if (core === 0) {
      compute(() => muls(result, total, scale, 1))
      copyOut(() => store(y, 0, result, 1))
    }
  },
})
