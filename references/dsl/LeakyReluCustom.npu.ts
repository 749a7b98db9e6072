import {
  attr,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  fit,
  leakyRelu,
  load,
  min,
  operator,
  range,
  store,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'LeakyReluCustom',
  inputs: { x: tensor('float32', ['B', 'D']) },
  outputs: { y: tensor.like('x') },
  attrs: { negative_slope: attr.float(0.01) },
  host({ x, negative_slope }, { cores }) {
    const share = ceilDiv(ceilDiv(x.size, cores), 128) * 128
    const tile = fit(min(share, 8192))
    return { blockDim: ceilDiv(x.size, share), size: x.size, share, tile, negative_slope }
  },
  kernel({ x, y }, { size, share, tile, negative_slope }, core) {
    const xs = buffer('float32', tile)
    const ys = buffer('float32', tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => load(xs, x, at, n))
      compute(() => {
        leakyRelu(ys, xs, negative_slope, n)
      })
      copyOut(() => store(y, at, ys, n))
    }
  },
})
