import {
  adds,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  erf,
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
  name: 'GeluCustom',
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
    const inner = buffer('float32', tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => load(xs, x, at, n))
      compute(() => {
        muls(inner, xs, 0.7071067811865475, n)
        erf(ys, inner, n)
        adds(ys, ys, 1, n)
        muls(inner, xs, 0.5, n)
        mul(ys, ys, inner, n)
      })
      copyOut(() => store(y, at, ys, n))
    }
  },
})
