import {
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  fit,
  load,
  min,
  operator,
  range,
  sqrt,
  store,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'Sqrt',
  inputs: { x: tensor(['float16', 'float32', 'bfloat16'], ['...shape']) },
  outputs: { y: tensor.like('x') },
  host({ x }, { cores }) {
    const share = ceilDiv(ceilDiv(x.size, cores), 256) * 256
    const tile = fit(share)
    return { blockDim: ceilDiv(x.size, share), size: x.size, share, tile }
  },
  kernel({ x, y }, { size, share, tile }, core) {
    const xs = buffer(x.dtype, tile)
    const ys = buffer(y.dtype, tile)
    const wide = buffer('float32', tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => load(xs, x, at, n))
      compute(() => {
        cast(wide, xs, n)
        sqrt(wide, wide, n)
        cast(ys, wide, n)
      })
      copyOut(() => store(y, at, ys, n))
    }
  },
})
