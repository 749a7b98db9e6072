import {
  add,
  adds,
  allReduceSum,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  div,
  duplicate,
  fit,
  float,
  load,
  maxs,
  min,
  mul,
  muls,
  operator,
  range,
  reduceSum,
  rowSum,
  sqrt,
  store,
  tensor,
} from 'vitest-npu/dsl'

// The mean over rows of 1 - cos. Rows in pieces of columns; then each core adds up its rows, and all cores theirs.
export default operator({
  name: 'CosineSimilarityLossCustom',
  inputs: { predictions: tensor('float32', ['N', 'D']), targets: tensor('float32', ['N', 'D']) },
  outputs: { y: tensor('float32', [1]) },
  host({ predictions }, { cores }) {
    const rows = predictions.shape(0)
    const D = predictions.shape(1)
    const share = ceilDiv(rows, cores)
    const piece = min(D, 2048)
    const tile = fit(min(share, 64))
    return { blockDim: ceilDiv(rows, share), rows, D, share, piece, tile, scale: 1 / float(rows) }
  },
  kernel({ predictions, targets, y }, { rows, D, share, piece, tile, scale }, core) {
    const values = buffer('float32', [tile, piece])
    const wanted = buffer('float32', [tile, piece])
    const products = buffer('float32', [tile, piece])
    const part = buffer('float32', tile)
    const dots = buffer('float32', tile)
    const lengths = buffer('float32', tile)
    const others = buffer('float32', tile)
    const found = buffer('float32', 8)
    const total = buffer('float32', 8)
    const result = buffer('float32', 8)
    const end = min((core + 1) * share, rows)
    compute(() => duplicate(total, 0, 8))
    for (const row of range(core * share, end, tile)) {
      const n = min(tile, end - row)
      compute(() => {
        duplicate(dots, 0, n)
        duplicate(lengths, 0, n)
        duplicate(others, 0, n)
      })
      for (const at of range(0, D, piece)) {
        const w = min(piece, D - at)
        copyIn(() => {
          load(values, predictions, row * D + at, [n, w], D)
          load(wanted, targets, row * D + at, [n, w], D)
        })
        compute(() => {
          mul(products, values, wanted, [n, w])
          rowSum(part, products, [n, w])
          add(dots, dots, part, n)
          mul(products, values, values, [n, w])
          rowSum(part, products, [n, w])
          add(lengths, lengths, part, n)
          mul(products, wanted, wanted, [n, w])
          rowSum(part, products, [n, w])
          add(others, others, part, n)
        })
      }
      compute(() => {
        sqrt(lengths, lengths, n)
        maxs(lengths, lengths, 1e-8, n)
        sqrt(others, others, n)
        maxs(others, others, 1e-8, n)
        div(dots, dots, lengths, n)
        div(dots, dots, others, n)
        muls(dots, dots, -1, n)
        adds(dots, dots, 1, n)
        reduceSum(found, dots, n)
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
