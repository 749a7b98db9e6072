import {
  add,
  addColumns,
  allReduceSum,
  arange,
  buffer,
  cast,
  ceilDiv,
  compares,
  compute,
  copyIn,
  copyOut,
  duplicate,
  exp,
  fit,
  float,
  ln,
  load,
  mask,
  min,
  muls,
  operator,
  range,
  reduceSum,
  rowMax,
  rowSum,
  selects,
  store,
  sub,
  subRows,
  tensor,
} from 'vitest-npu/dsl'

// The mean over rows of ln(sum of exponentials) - the row's own score, which a mask of column numbers finds.
export default operator({
  name: 'CrossEntropyLossCustom',
  inputs: { predictions: tensor('float32', ['N', 'D']), targets: tensor('int64', ['N']) },
  outputs: { y: tensor('float32', [1]) },
  host({ predictions }, { cores }) {
    const rows = predictions.shape(0)
    const D = predictions.shape(1)
    const share = ceilDiv(rows, cores)
    const tile = fit(min(share, 128))
    return { blockDim: ceilDiv(rows, share), rows, D, share, tile, scale: 1 / float(rows) }
  },
  kernel({ predictions, targets, y }, { rows, D, share, tile, scale }, core) {
    const scores = buffer('float32', [tile, D], { depth: 1 })
    const numbers = buffer('int64', tile)
    const wide = buffer('float32', [tile, D])
    const own = buffer('float32', tile)
    const bits = mask([tile, D])
    const columns = buffer('float32', D)
    const classes = buffer('float32', tile)
    const largest = buffer('float32', tile)
    const sums = buffer('float32', tile)
    const found = buffer('float32', 8)
    const total = buffer('float32', 8)
    const result = buffer('float32', 8)
    const end = min((core + 1) * share, rows)
    compute(() => {
      duplicate(total, 0, 8)
      arange(columns, 0, D)
    })
    for (const row of range(core * share, end, tile)) {
      const n = min(tile, end - row)
      copyIn(() => {
        load(scores, predictions, row * D, [n, D])
        load(numbers, targets, row, n)
      })
      compute(() => {
        rowMax(largest, scores, [n, D])
        subRows(wide, scores, largest, [n, D])
        exp(wide, wide, [n, D])
        rowSum(sums, wide, [n, D])
        ln(sums, sums, n)
        add(sums, sums, largest, n)
        cast(classes, numbers, n)
        duplicate(wide, 0, [n, D])
        addColumns(wide, wide, columns, [n, D])
        subRows(wide, wide, classes, [n, D])
        compares(bits, wide, 0, 'eq', [n, D])
        selects(wide, bits, scores, 0, [n, D])
        rowSum(own, wide, [n, D])
        sub(sums, sums, own, n)
        reduceSum(found, sums, n)
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
