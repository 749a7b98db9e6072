import {
  adds,
  alignUp,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  div,
  exp,
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
  name: 'FastGelu',
  inputs: { x: tensor(['float32', 'float16']) },
  outputs: { y: tensor.like('x') },
  host({ x }, { cores }) {
    const share = alignUp(ceilDiv(x.size, cores), 256)
    const tile = fit(ceilDiv(share, 2))
    return { blockDim: ceilDiv(x.size, share), size: x.size, share, tile }
  },
  kernel({ x, y }, { size, share, tile }, core) {
    const xIn = buffer(x.dtype, tile)
    const yOut = buffer(y.dtype, tile)
    const wide = buffer('float32', tile)
    const divisor = buffer('float32', tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(xIn, x, at, n)
      })
      compute(() => {
        cast(wide, xIn, n)
        muls(divisor, wide, -1.702, n)
        exp(divisor, divisor, n)
        adds(divisor, divisor, 1, n)
        div(wide, wide, divisor, n)
        cast(yOut, wide, n)
      })
      copyOut(() => {
        store(y, at, yOut, n)
      })
    }
  },
})
