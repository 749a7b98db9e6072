import {
  adds,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  div,
  exp,
  fit,
  load,
  min,
  mul,
  muls,
  operator,
  range,
  store,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'MinGptNewGeluCustom',
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
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => load(xs, x, at, n))
      compute(() => {
        // x / (1 + exp(-2 sqrt(2 / pi) (x + 0.044715 x^3)))
        mul(ys, xs, xs, n)
        muls(ys, ys, 0.044715, n)
        adds(ys, ys, 1, n)
        mul(ys, ys, xs, n)
        muls(ys, ys, -1.5957691216057308, n)
        exp(ys, ys, n)
        adds(ys, ys, 1, n)
        div(ys, xs, ys, n)
      })
      copyOut(() => store(y, at, ys, n))
    }
  },
})
