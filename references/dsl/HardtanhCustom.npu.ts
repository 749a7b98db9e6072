import {
  attr,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  fit,
  load,
  maxs,
  min,
  mins,
  operator,
  range,
  store,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'HardtanhCustom',
  inputs: { x: tensor('float32', ['B', 'D']) },
  outputs: { y: tensor.like('x') },
  attrs: { min_val: attr.float(-1), max_val: attr.float(1) },
  host({ x, min_val, max_val }, { cores }) {
    const share = ceilDiv(ceilDiv(x.size, cores), 128) * 128
    const tile = fit(min(share, 8192))
    return { blockDim: ceilDiv(x.size, share), size: x.size, share, tile, min_val, max_val }
  },
  kernel({ x, y }, { size, share, tile, min_val, max_val }, core) {
    const xs = buffer('float32', tile)
    const ys = buffer('float32', tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => load(xs, x, at, n))
      compute(() => {
        maxs(ys, xs, min_val, n)
        mins(ys, ys, max_val, n)
      })
      copyOut(() => store(y, at, ys, n))
    }
  },
})
