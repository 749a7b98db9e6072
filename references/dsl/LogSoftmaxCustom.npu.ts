import {
  adds,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  exp,
  fit,
  get,
  ln,
  load,
  max,
  min,
  operator,
  range,
  reduceMax,
  reduceSum,
  set,
  store,
  tensor,
} from 'vitest-npu/dsl'

// Three passes over the stretches of a row: its maximum, the sum of the exponentials, the differences.
export default operator({
  name: 'LogSoftmaxCustom',
  inputs: { x: tensor('float32', ['B', 'D']) },
  outputs: { y: tensor.like('x') },
  host({ x }, { cores }) {
    const rows = x.shape(0)
    const D = x.shape(1)
    const share = ceilDiv(rows, cores)
    const tile = fit(min(D, 16384))
    return { blockDim: ceilDiv(rows, share), rows, share, D, tile }
  },
  kernel({ x, y }, { rows, share, D, tile }, core) {
    const xs = buffer('float32', tile)
    const ys = buffer('float32', tile)
    const wide = buffer('float32', tile)
    const found = buffer('float32', 8)
    const end = min((core + 1) * share, rows)
    for (const row of range(core * share, end, 1)) {
      let largest = -Infinity
      for (const at of range(0, D, tile)) {
        const n = min(tile, D - at)
        copyIn(() => load(xs, x, row * D + at, n))
        compute(() => {
          reduceMax(found, xs, n)
          largest = max(largest, get(found, 0))
        })
      }
      let sum = 0.0
      for (const at of range(0, D, tile)) {
        const n = min(tile, D - at)
        copyIn(() => load(xs, x, row * D + at, n))
        compute(() => {
          adds(wide, xs, -largest, n)
          exp(wide, wide, n)
          reduceSum(found, wide, n)
          sum = sum + get(found, 0)
        })
      }
      compute(() => {
        set(found, 0, sum)
        ln(found, found, 8)
      })
      const rest = largest + get(found, 0)
      for (const at of range(0, D, tile)) {
        const n = min(tile, D - at)
        copyIn(() => load(xs, x, row * D + at, n))
        compute(() => {
          adds(ys, xs, -rest, n)
        })
        copyOut(() => store(y, row * D + at, ys, n))
      }
    }
  },
})
