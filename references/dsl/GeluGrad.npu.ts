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
  name: 'GeluGrad',
  inputs: { dy: tensor(['float32', 'float16', 'bfloat16']), x: tensor.like('dy'), y: tensor.like('dy') },
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
    const square = buffer('float32', tile)
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
        // p = e^-2u with 2u = x * (1.596 + 0.0714 * x^2)
        mul(square, at1, at1, n)
        muls(p, square, -0.07135481627260025, n)
        adds(p, p, -1.5957691216057308, n)
        mul(p, p, at1, n)
        mins(p, p, 87, n)
        exp(p, p, n)
        adds(gate, p, 1, n)
        reciprocal(s, gate, n)
        // s + x * (2u)' * p * s^2
        mul(p, p, s, n)
        muls(square, square, 0.21406444881780073, n)
        adds(square, square, 1.5957691216057308, n)
        mul(square, square, at1, n)
        mul(p, p, square, n)
        adds(p, p, 1, n)
        mul(p, p, s, n)
        cast(at1, dyIn, n)
        mul(p, p, at1, n)
        cast(zOut, p, n)
      })
      copyOut(() => store(z, at, zOut, n))
    }
  },
})
