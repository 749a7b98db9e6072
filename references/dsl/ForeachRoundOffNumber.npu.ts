import {
  alignUp,
  axpy,
  buffer,
  cast,
  ceil,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  fit,
  floor,
  get,
  int,
  load,
  min,
  operator,
  range,
  round,
  sign,
  split,
  store,
  sub,
  tensor,
  tensorList,
  trunc,
} from 'vitest-npu/dsl'

// 1: to the nearest, halves to even; 2: down; 3: up; 4: halves away from zero; 5: towards zero; 7: what 5 takes away.
export default operator({
  name: 'ForeachRoundOffNumber',
  inputs: {
    x: tensorList(['float16', 'float32', 'bfloat16']),
    roundMode: tensor(['float16', 'float32', 'float32'], [1]),
  },
  outputs: { y: tensorList.like('x') },
  host({ x }, { cores }) {
    const share = alignUp(ceilDiv(x.size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    return { blockDim: ceilDiv(x.size, share), share, tile }
  },
  kernel({ x, roundMode, y }, { share, tile }, core) {
    const xIn = buffer(x.dtype, tile)
    const yOut = buffer(y.dtype, tile)
    const wide = buffer('float32', tile)
    const result = buffer('float32', tile)
    const mode = int(get(roundMode, 0))
    for (const { i, from, to } of split(x, core, share)) {
      for (const at of range(from, to, tile)) {
        const n = min(tile, to - at)
        copyIn(() => load(xIn, x[i], at, n))
        compute(() => {
          cast(wide, xIn, n)
          if (mode === 1) round(result, wide, n)
          else if (mode === 2) floor(result, wide, n)
          else if (mode === 3) ceil(result, wide, n)
          else if (mode === 4) {
            sign(result, wide, n)
            axpy(wide, result, 0.5, n)
            trunc(result, wide, n)
          } else {
            trunc(result, wide, n)
            if (mode === 7) sub(result, wide, result, n)
          }
          cast(yOut, result, n)
        })
        copyOut(() => store(y[i], at, yOut, n))
      }
    }
  },
})
