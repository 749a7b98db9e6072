import {
  adds,
  alignUp,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  exp,
  fit,
  load,
  min,
  mins,
  mul,
  muls,
  operator,
  range,
  reciprocal,
  store,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'FastGeluGrad',
  inputs: { dy: tensor(['float32', 'float16']), x: tensor.like('dy') },
  outputs: { z: tensor.like('dy') },
  host({ dy }, { cores }) {
    const share = alignUp(ceilDiv(dy.size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    return { blockDim: ceilDiv(dy.size, share), size: dy.size, share, tile }
  },
  kernel({ dy, x, z }, { size, share, tile }, core) {
    const dyIn = buffer(dy.dtype, tile)
    const xIn = buffer(x.dtype, tile)
    const zOut = buffer(z.dtype, tile)
    const at1 = buffer('float32', tile)
    const slope = buffer('float32', tile)
    const p = buffer('float32', tile)
    const gate = buffer('float32', tile)
    const s = buffer('float32', tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(dyIn, dy, at, n)
        load(xIn, x, at, n)
      })
      compute(() => {
        cast(at1, xIn, n)
        cast(slope, dyIn, n)
        muls(at1, at1, 1.702, n)
        // p = e^-t; the slope is s + t * p * s^2 with s = 1 / (1 + p), and p does not overflow
        muls(p, at1, -1, n)
        mins(p, p, 87, n)
        exp(p, p, n)
        adds(gate, p, 1, n)
        reciprocal(s, gate, n)
        mul(p, p, s, n)
        mul(p, p, at1, n)
        adds(p, p, 1, n)
        mul(p, p, s, n)
        mul(slope, slope, p, n)
        cast(zOut, slope, n)
      })
      copyOut(() => store(z, at, zOut, n))
    }
  },
})
