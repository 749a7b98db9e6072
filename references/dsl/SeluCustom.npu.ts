import {
  adds,
  buffer,
  ceilDiv,
  compares,
  compute,
  copyIn,
  copyOut,
  exp,
  fit,
  load,
  mask,
  min,
  mins,
  muls,
  operator,
  range,
  select,
  store,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'SeluCustom',
  inputs: { x: tensor('float32', ['B', 'D']) },
  outputs: { y: tensor.like('x') },
  host({ x }, { cores }) {
    const share = ceilDiv(ceilDiv(x.size, cores), 128) * 128
    const tile = fit(min(share, 8192))
    return { blockDim: ceilDiv(x.size, share), size: x.size, share, tile }
  },
  kernel({ x, y }, { size, share, tile }, core) {
    const xs = buffer('float32', tile)
    const ys = buffer('float32', tile)
    const below = buffer('float32', tile)
    const bits = mask(tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => load(xs, x, at, n))
      compute(() => {
        // the exponential of what is not above 0, so that none overflows
        mins(below, xs, 0, n)
        exp(below, below, n)
        muls(below, below, 1.7580993408473766, n)
        // what float32 leaves out of the factor, and then the factor: its difference is rounded once
        adds(below, below, -2.3296717444054593e-8, n)
        adds(below, below, -1.7580993408473766, n)
        muls(ys, xs, 1.0507009873554805, n)
        compares(bits, xs, 0, 'gt', n)
        select(ys, bits, ys, below, n)
      })
      copyOut(() => store(y, at, ys, n))
    }
  },
})
