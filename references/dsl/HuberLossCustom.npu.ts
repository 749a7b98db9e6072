import {
  abs,
  add,
  allReduceSum,
  axpy,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  duplicate,
  fit,
  float,
  load,
  min,
  mins,
  mul,
  muls,
  operator,
  range,
  reduceSum,
  store,
  sub,
  tensor,
} from 'vitest-npu/dsl'

// The mean of m * (d - m / 2), where d is a distance and m the smaller of it and 1. Each core adds up its share, then all cores theirs.
export default operator({
  name: 'HuberLossCustom',
  inputs: { predictions: tensor('float32', ['N', 'D']), targets: tensor('float32', ['N', 'D']) },
  outputs: { y: tensor('float32', [1]) },
  host({ predictions }, { cores }) {
    const size = predictions.size
    const share = ceilDiv(size, cores)
    const tile = fit(min(share, 8192))
    return { blockDim: ceilDiv(size, share), size, share, tile, scale: 1 / float(size) }
  },
  kernel({ predictions, targets, y }, { size, share, tile, scale }, core) {
    const values = buffer('float32', tile)
    const wanted = buffer('float32', tile)
    const terms = buffer('float32', tile)
    const near = buffer('float32', tile)
    const found = buffer('float32', 8)
    const total = buffer('float32', 8)
    const result = buffer('float32', 8)
    const end = min((core + 1) * share, size)
    compute(() => duplicate(total, 0, 8))
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(values, predictions, at, n)
        load(wanted, targets, at, n)
      })
      compute(() => {
        sub(terms, values, wanted, n)
        abs(terms, terms, n)
        mins(near, terms, 1, n)
        axpy(terms, near, -0.5, n)
        mul(terms, terms, near, n)
        reduceSum(found, terms, n)
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
