import {
  adds,
  alignUp,
  axpy,
  buffer,
  cast,
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
  relu,
  store,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'Neg',
  inputs: { x: tensor(['float32', 'float16', 'bfloat16', 'int32', 'int8']) },
  outputs: { y: tensor.like('x') },
  host({ x }, { cores }) {
    const share = alignUp(ceilDiv(x.size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    return { blockDim: ceilDiv(x.size, share), size: x.size, share, tile }
  },
  kernel({ x, y }, { size, share, tile }, core) {
    const xIn = buffer(x.dtype, tile)
    const yOut = buffer(y.dtype, tile)
    const wide = buffer('float32', tile)
    const narrow = buffer('float16', tile)
    const above = buffer('float16', tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => load(xIn, x, at, n))
      compute(() => {
        if (x.dtype === 'int8') {
          // 128 has no place in 8 bits, and becomes -128
          cast(narrow, xIn, n)
          muls(narrow, narrow, -1, n)
          adds(above, narrow, -127, n)
          relu(above, above, n)
          axpy(narrow, above, -256, n)
          cast(yOut, narrow, n)
        } else if (x.dtype === 'bfloat16') {
          cast(wide, xIn, n)
          muls(wide, wide, -1, n)
          cast(yOut, wide, n)
        } else {
          muls(yOut, xIn, -1, n)
        }
      })
      copyOut(() => store(y, at, yOut, n))
    }
  },
})
