import {
  abs,
  alignUp,
  buffer,
  cast,
  ceilDiv,
  compares,
  compute,
  copyIn,
  copyOut,
  fit,
  fromMask,
  load,
  mask,
  min,
  operator,
  range,
  store,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'IsFinite',
  inputs: { x: tensor(['float16', 'float32', 'bfloat16']) },
  outputs: { y: tensor('bool') },
  host({ x }, { cores }) {
    const share = alignUp(ceilDiv(x.size, cores), 256)
    const tile = fit(ceilDiv(share, 2))
    return { blockDim: ceilDiv(x.size, share), size: x.size, share, tile }
  },
  kernel({ x, y }, { size, share, tile }, core) {
    const xIn = buffer(x.dtype, tile)
    const yOut = buffer(y.dtype, tile)
    const wide = buffer('float32', tile)
    const bits = mask(tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(xIn, x, at, n)
      })
      compute(() => {
        cast(wide, xIn, n)
        abs(wide, wide, n)
        compares(bits, wide, Infinity, 'lt', n)
        fromMask(yOut, bits, n)
      })
      copyOut(() => {
        store(y, at, yOut, n)
      })
    }
  },
})
