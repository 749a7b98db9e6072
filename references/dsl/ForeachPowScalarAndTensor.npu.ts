import {
  adds,
  alignUp,
  buffer,
  cast,
  ceilDiv,
  compares,
  compute,
  copyIn,
  copyOut,
  duplicate,
  exp,
  fit,
  get,
  ln,
  load,
  mask,
  maxs,
  min,
  mins,
  mul,
  muls,
  operator,
  range,
  select,
  split,
  store,
  tensor,
  tensorList,
} from 'vitest-npu/dsl'

// Of whole numbers each step multiplies where the exponent goes on; others go by the logarithm, and anything to the power
// of 0 is 1.
export default operator({
  name: 'ForeachPowScalarAndTensor',
  inputs: {
    scalar: tensor(['float32', 'float32', 'int64', 'float32'], [1]),
    x: tensorList(['float16', 'float32', 'int32', 'bfloat16']),
  },
  outputs: { y: tensorList.like('x') },
  host({ x }, { cores }) {
    const share = alignUp(ceilDiv(x.size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    return { blockDim: ceilDiv(x.size, share), share, tile }
  },
  kernel({ x, scalar, y }, { share, tile }, core) {
    const xIn = buffer(x.dtype, tile)
    const yOut = buffer(y.dtype, tile)
    const wide = buffer('float32', tile)
    const result = buffer('float32', tile)
    const factor = buffer('int32', tile)
    const isZero = mask(tile)
    for (const { i, from, to } of split(x, core, share)) {
      for (const at of range(from, to, tile)) {
        const n = min(tile, to - at)
        copyIn(() => load(xIn, x[i], at, n))
        compute(() => {
          if (x.dtype === 'int32') {
            const base = get(scalar, 0)
            duplicate(yOut, 1, n)
            for (const k of range(32)) {
              adds(factor, xIn, -k, n)
              maxs(factor, factor, 0, n)
              mins(factor, factor, 1, n)
              muls(factor, factor, base - 1, n)
              adds(factor, factor, 1, n)
              mul(yOut, yOut, factor, n)
            }
          } else {
            const base = get(scalar, 0)
            cast(wide, xIn, n)
            duplicate(result, base, n)
            ln(result, result, n)
            mul(result, result, wide, n)
            exp(result, result, n)
            compares(isZero, wide, 0, 'eq', n)
            duplicate(wide, 1, n)
            select(result, isZero, wide, result, n)
            cast(yOut, result, n)
          }
        })
        copyOut(() => store(y[i], at, yOut, n))
      }
    }
  },
})
