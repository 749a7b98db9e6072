import {
  alignUp,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  fit,
  get,
  load,
  min,
  muls,
  operator,
  range,
  split,
  store,
  tensor,
  tensorList,
} from 'vitest-npu/dsl'

export default operator({
  name: 'ForeachMulScalarList',
  inputs: {
    x: tensorList(['float16', 'float32', 'int32', 'bfloat16']),
    scalars: tensor(['float32', 'float32', 'int64', 'float32'], ['count']),
  },
  outputs: { y: tensorList.like('x') },
  host({ x }, { cores }) {
    const share = alignUp(ceilDiv(x.size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    return { blockDim: ceilDiv(x.size, share), share, tile }
  },
  kernel({ x, scalars, y }, { share, tile }, core) {
    const xIn = buffer(x.dtype, tile)
    const yOut = buffer(y.dtype, tile)
    const wide = buffer('float32', tile)
    for (const { i, from, to } of split(x, core, share)) {
      for (const at of range(from, to, tile)) {
        const n = min(tile, to - at)
        copyIn(() => load(xIn, x[i], at, n))
        compute(() => {
          if (x.dtype === 'int32') {
            const value = get(scalars, i)
            muls(yOut, xIn, value, n)
          } else {
            const value = get(scalars, i)
            cast(wide, xIn, n)
            muls(wide, wide, value, n)
            cast(yOut, wide, n)
          }
        })
        copyOut(() => store(y[i], at, yOut, n))
      }
    }
  },
})
