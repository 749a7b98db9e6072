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
  muls,
  operator,
  range,
  reciprocal,
  split,
  store,
  tensorList,
} from 'vitest-npu/dsl'

export default operator({
  name: 'ForeachSigmoid',
  inputs: { x: tensorList(['float16', 'float32', 'bfloat16']) },
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
    for (const { i, from, to } of split(x, core, share)) {
      for (const at of range(from, to, tile)) {
        const n = min(tile, to - at)
        copyIn(() => load(xIn, x[i], at, n))
        compute(() => {
          cast(wide, xIn, n)
          muls(wide, wide, -1, n)
          exp(wide, wide, n)
          adds(wide, wide, 1, n)
          reciprocal(result, wide, n)
          cast(yOut, result, n)
        })
        copyOut(() => store(y[i], at, yOut, n))
      }
    }
  },
})
