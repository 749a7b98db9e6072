import {
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  div,
  duplicate,
  fit,
  get,
  load,
  min,
  mul,
  operator,
  range,
  reduceSum,
  sqrt,
  store,
  tensor,
} from 'vitest-npu/dsl'

// Two passes over the stretches of a row: the sum of its squares, the quotients.
export default operator({
  name: 'L2NormCustom',
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
      let sum = 0.0
      for (const at of range(0, D, tile)) {
        const n = min(tile, D - at)
        copyIn(() => load(xs, x, row * D + at, n))
        compute(() => {
          mul(wide, xs, xs, n)
          reduceSum(found, wide, n)
          sum = sum + get(found, 0)
        })
      }
      compute(() => {
        duplicate(found, sum, 8)
        sqrt(found, found, 8)
      })
      const norm = get(found, 0)
      for (const at of range(0, D, tile)) {
        const n = min(tile, D - at)
        copyIn(() => load(xs, x, row * D + at, n))
        compute(() => {
          duplicate(wide, norm, n)
          div(ys, xs, wide, n)
        })
        copyOut(() => store(y, row * D + at, ys, n))
      }
    }
  },
})
