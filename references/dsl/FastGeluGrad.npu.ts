import {
  abs,
  add,
  adds,
  alignUp,
  buffer,
  cast,
  ceilDiv,
  compares,
  compute,
  copyIn,
  copyOut,
  exp,
  fit,
  load,
  mask,
  min,
  mul,
  muls,
  operator,
  range,
  reciprocal,
  select,
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
    const wide = buffer('float32', tile)
    const q = buffer('float32', tile)
    const gate = buffer('float32', tile)
    const s = buffer('float32', tile)
    const isPositive = mask(tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(dyIn, dy, at, n)
        load(xIn, x, at, n)
      })
      compute(() => {
        cast(wide, xIn, n)
        muls(wide, wide, 1.702, n)
        // with q = e^-|t| and s = 1 / (1 + q) the sigmoid is s, or q * s where t is negative, and its slope q * s^2
        abs(q, wide, n)
        muls(q, q, -1, n)
        exp(q, q, n)
        adds(gate, q, 1, n)
        reciprocal(s, gate, n)
        mul(q, q, s, n)
        compares(isPositive, wide, 0, 'ge', n)
        select(gate, isPositive, s, q, n)
        mul(q, q, s, n)
        mul(q, q, wide, n)
        add(gate, gate, q, n)
        cast(wide, dyIn, n)
        mul(gate, gate, wide, n)
        cast(zOut, gate, n)
      })
      copyOut(() => store(z, at, zOut, n))
    }
  },
})
