import {
  add,
  adds,
  allReduceSum,
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
  mulColumns,
  muls,
  operator,
  range,
  reduceSum,
  relu,
  rowSum,
  store,
  tensor,
} from 'vitest-npu/dsl'

// The mean of max(1 - prediction * side, 0): rows in pieces of columns, whose sides are loaded once.
export default operator({
  name: 'HingeLossCustom',
  inputs: { predictions: tensor('float32', ['N', 'D']), targets: tensor('float32', ['D']) },
  outputs: { y: tensor('float32', [1]) },
  host({ predictions }, { cores }) {
    const rows = predictions.shape(0)
    const D = predictions.shape(1)
    const share = ceilDiv(rows, cores)
    const piece = min(D, 4096)
    const tile = fit(min(share, 64))
    return { blockDim: ceilDiv(rows, share), rows, D, share, piece, tile, scale: 1 / float(predictions.size) }
  },
  kernel({ predictions, targets, y }, { rows, D, share, piece, tile, scale }, core) {
    const values = buffer('float32', [tile, piece])
    const sides = buffer('float32', piece, { depth: 1 })
    const terms = buffer('float32', [tile, piece])
    const sums = buffer('float32', tile)
    const found = buffer('float32', 8)
    const total = buffer('float32', 8)
    const result = buffer('float32', 8)
    const end = min((core + 1) * share, rows)
    compute(() => duplicate(total, 0, 8))
    for (const at of range(0, D, piece)) {
      const w = min(piece, D - at)
      copyIn(() => load(sides, targets, at, w))
      for (const row of range(core * share, end, tile)) {
        const n = min(tile, end - row)
        copyIn(() => load(values, predictions, row * D + at, [n, w], D))
        compute(() => {
          mulColumns(terms, values, sides, [n, w])
          muls(terms, terms, -1, [n, w])
          adds(terms, terms, 1, [n, w])
          relu(terms, terms, [n, w])
          rowSum(sums, terms, [n, w])
          reduceSum(found, sums, n)
          add(total, total, found, 1)
        })
      }
    }
    compute(() => allReduceSum(total, total, 1))
    if (core === 0) {
      compute(() => muls(result, total, scale, 1))
      copyOut(() => store(y, 0, result, 1))
    }
  },
})
