import {
  adds,
  alignUp,
  attr,
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
  max,
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
  name: 'MulSigmoid',
  inputs: { x1: tensor('float16', ['R', 'C']), x2: tensor('float16', [1, '...shape']) },
  outputs: { out: tensor('float16', ['R', '...shape']) },
  attrs: { t1: attr.float(), t2: attr.float(), t3: attr.float() },
  host({ x1, t1, t2, t3 }, { cores }) {
    const C = x1.shape(-1)
    const R = x1.size / C
    const tile = fit(min(C, max(alignUp(ceilDiv(R * C, 2 * cores), 256), 1024)))
    const parts = ceilDiv(C, tile)
    const share = ceilDiv(R * parts, cores)
    return { blockDim: ceilDiv(R * parts, share), R, C, tile, parts, share, t1, t2, t3 }
  },
  kernel({ x1, x2, out }, { R, C, tile, parts, share, t1, t2, t3 }, core) {
    const gates = buffer(x1.dtype, tile)
    const factors = buffer(x2.dtype, tile)
    const result = buffer(out.dtype, tile)
    const wide = buffer('float32', tile)
    const sigmoid = buffer('float32', tile)
    const isBelow = mask(tile)
    const end = min((core + 1) * share, R * parts)
    for (const job of range(core * share, end)) {
      // rows of one part follow each other
      const at = (job / R) * tile
      const row = job % R
      const n = min(tile, C - at)
      copyIn(() => {
        load(gates, x1, row * C + at, n)
        load(factors, x2, at, n)
      })
      compute(() => {
        cast(wide, gates, n)
        muls(wide, wide, -t1, n)
        exp(wide, wide, n)
        adds(wide, wide, 1, n)
        reciprocal(sigmoid, wide, n)
        compares(isBelow, sigmoid, t2, 'lt', n)
        muls(wide, sigmoid, 2, n)
        select(sigmoid, isBelow, sigmoid, wide, n)
        cast(wide, factors, n)
        mul(sigmoid, sigmoid, wide, n)
        muls(sigmoid, sigmoid, t3, n)
        cast(result, sigmoid, n)
      })
      copyOut(() => store(out, row * C + at, result, n))
    }
  },
})
