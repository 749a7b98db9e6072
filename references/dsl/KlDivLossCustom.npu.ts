import {
  add,
  allReduceSum,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  duplicate,
  fit,
  float,
  ln,
  load,
  maxs,
  min,
  mul,
  muls,
  operator,
  range,
  reduceSum,
  store,
  sub,
  tensor,
} from 'vitest-npu/dsl'

// The sum of targets * ln(targets / predictions), by samples; where a target is 0 its logarithm is that of a tiny number. Each core adds up its share, then all cores theirs.
export default operator({
  name: 'KlDivLossCustom',
  inputs: { predictions: tensor('float32', ['N', 'D']), targets: tensor('float32', ['N', 'D']) },
  outputs: { y: tensor('float32', [1]) },
  host({ predictions }, { cores }) {
    const size = predictions.size
    const share = ceilDiv(size, cores)
    const tile = fit(min(share, 8192))
    return { blockDim: ceilDiv(size, share), size, share, tile, scale: 1 / float(predictions.shape(0)) }
  },
  kernel({ predictions, targets, y }, { size, share, tile, scale }, core) {
    const values = buffer('float32', tile)
    const wanted = buffer('float32', tile)
    const terms = buffer('float32', tile)
    const other = buffer('float32', tile)
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
        maxs(terms, wanted, 1.17549435e-38, n)
        ln(terms, terms, n)
        ln(other, values, n)
        sub(terms, terms, other, n)
        mul(terms, terms, wanted, n)
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
