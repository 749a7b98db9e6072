import {
  alignUp,
  attr,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
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
  name: 'Sscal',
  inputs: { x: tensor('float32') },
  outputs: { x: tensor.like('x') },
  attrs: { alpha: attr.float(1), n: attr.int(0), incx: attr.int(1) },
  host({ x, alpha }, { cores }) {
    const share = alignUp(ceilDiv(x.size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    return { blockDim: ceilDiv(x.size, share), size: x.size, share, tile, alpha }
  },
  kernel({ x }, { size, share, tile, alpha }, core) {
    const xIn = buffer(x.dtype, tile)
    const xOut = buffer(x.dtype, tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => load(xIn, x, at, n))
      compute(() => {
        muls(xOut, xIn, alpha, n)
      })
      copyOut(() => store(x, at, xOut, n))
    }
  },
})
