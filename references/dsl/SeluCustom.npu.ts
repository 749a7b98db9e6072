import {
  add,
  adds,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  exp,
  fit,
  load,
  min,
  mins,
  muls,
  operator,
  range,
  relu,
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
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => load(xs, x, at, n))
      compute(() => {
        // the exponential of what is not above 0, so that none overflows
        mins(below, xs, 0, n)
        exp(below, below, n)
        adds(below, below, -1, n)
        muls(below, below, 1.7580993408473766, n)
        relu(ys, xs, n)
        muls(ys, ys, 1.0507009873554805, n)
        add(ys, ys, below, n)
      })
      copyOut(() => store(y, at, ys, n))
    }
  },
})
