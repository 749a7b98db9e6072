import {
  alignUp,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  erfc,
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

// x * Phi(x), with Phi(x) = erfc(-x / sqrt(2)) / 2, which does not cancel where x is negative.
export default operator({
  name: 'Gelu',
  inputs: { x: tensor(['float16', 'float32', 'bfloat16']) },
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
    const scaled = buffer('float32', tile)
    const tail = buffer('float32', tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(xIn, x, at, n)
      })
      compute(() => {
        cast(wide, xIn, n)
        muls(scaled, wide, -0.7071067811865476, n)
        erfc(tail, scaled, n)
        mul(wide, wide, tail, n)
        muls(wide, wide, 0.5, n)
        cast(yOut, wide, n)
      })
      copyOut(() => {
        store(y, at, yOut, n)
      })
    }
  },
})
