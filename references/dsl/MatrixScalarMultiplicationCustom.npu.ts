import {
  attr,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  fit,
  load,
  min,
  muls,
  operator,
  range,
  store,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'MatrixScalarMultiplicationCustom',
  inputs: { x: tensor('float32', ['B', 'D']) },
  outputs: { y: tensor.like('x') },
  attrs: { s: attr.float(3.14) },
  host({ x, s }, { cores }) {
    const share = ceilDiv(ceilDiv(x.size, cores), 128) * 128
    const tile = fit(min(share, 8192))
    return { blockDim: ceilDiv(x.size, share), size: x.size, share, tile, s }
  },
  kernel({ x, y }, { size, share, tile, s }, core) {
    const xs = buffer('float32', tile)
    const ys = buffer('float32', tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => load(xs, x, at, n))
      compute(() => {
        muls(ys, xs, s, n)
      })
      copyOut(() => store(y, at, ys, n))
    }
  },
})
