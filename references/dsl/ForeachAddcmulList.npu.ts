import {
  add,
  alignUp,
  axpy,
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
  mul,
  muls,
  operator,
  range,
  split,
  store,
  tensor,
  tensorList,
} from 'vitest-npu/dsl'

export default operator({
  name: 'ForeachAddcmulList',
  inputs: {
    x1: tensorList(['float16', 'float32', 'int32', 'bfloat16']),
    x2: tensorList.like('x1'),
    x3: tensorList.like('x1'),
    scalars: tensor(['float16', 'float32', 'int32', 'bfloat16'], ['count']),
  },
  outputs: { y: tensorList.like('x1') },
  host({ x1 }, { cores }) {
    const share = alignUp(ceilDiv(x1.size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    return { blockDim: ceilDiv(x1.size, share), share, tile }
  },
  kernel({ x1, x2, x3, scalars, y }, { share, tile }, core) {
    const x1In = buffer(x1.dtype, tile)
    const x2In = buffer(x2.dtype, tile)
    const x3In = buffer(x3.dtype, tile)
    const yOut = buffer(y.dtype, tile)
    const wide1 = buffer('float32', tile)
    const wide2 = buffer('float32', tile)
    const wide3 = buffer('float32', tile)
    for (const { i, from, to } of split(x1, core, share)) {
      for (const at of range(from, to, tile)) {
        const n = min(tile, to - at)
        copyIn(() => {
          load(x1In, x1[i], at, n)
          load(x2In, x2[i], at, n)
          load(x3In, x3[i], at, n)
        })
        compute(() => {
          if (x1.dtype === 'int32') {
            const factor = get(scalars, i)
            mul(yOut, x2In, x3In, n)
            muls(yOut, yOut, factor, n)
            add(yOut, x1In, yOut, n)
          } else {
            cast(wide1, x1In, n)
            cast(wide2, x2In, n)
            cast(wide3, x3In, n)
            const factor = get(scalars, i)
            mul(wide2, wide2, wide3, n)
            axpy(wide1, wide2, factor, n)
            cast(yOut, wide1, n)
          }
        })
        copyOut(() => store(y[i], at, yOut, n))
      }
    }
  },
})
