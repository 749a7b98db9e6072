import {
  alignUp,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  fit,
  load,
  maxs,
  min,
  mins,
  operator,
  range,
  sign,
  split,
  store,
  tensorList,
} from 'vitest-npu/dsl'

export default operator({
  name: 'ForeachSign',
  inputs: { x: tensorList(['float16', 'float32', 'int8', 'int32', 'int64', 'bfloat16']) },
  outputs: { y: tensorList.like('x') },
  host({ x }, { cores }) {
    const share = alignUp(ceilDiv(x.size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    return { blockDim: ceilDiv(x.size, share), share, tile }
  },
  kernel({ x, y }, { share, tile }, core) {
    const xIn = buffer(x.dtype, tile)
    const yOut = buffer(y.dtype, tile)
    const wide = buffer('float32', tile)
    const result = buffer('float32', tile)
    const narrow = buffer('float16', tile)
    for (const { i, from, to } of split(x, core, share)) {
      for (const at of range(from, to, tile)) {
        const n = min(tile, to - at)
        copyIn(() => load(xIn, x[i], at, n))
        compute(() => {
          if (x.dtype === 'int32') {
            mins(yOut, xIn, 1, n)
            maxs(yOut, yOut, -1, n)
          } else if (x.dtype === 'int8') {
            cast(narrow, xIn, n)
            mins(narrow, narrow, 1, n)
            maxs(narrow, narrow, -1, n)
            cast(yOut, narrow, n)
          } else if (x.dtype === 'int64') {
            cast(wide, xIn, n, 'rint')
            sign(result, wide, n)
            cast(yOut, result, n, 'trunc')
          } else {
            cast(wide, xIn, n)
            sign(result, wide, n)
            cast(yOut, result, n)
          }
        })
        copyOut(() => store(y[i], at, yOut, n))
      }
    }
  },
})
