import {
  alignUp,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  duplicate,
  exp,
  fit,
  float,
  get,
  int,
  ln,
  load,
  max,
  min,
  mul,
  muls,
  operator,
  range,
  reciprocal,
  split,
  store,
  tensor,
  tensorList,
} from 'vitest-npu/dsl'

// Small whole exponents are products, others go by the logarithm.
export default operator({
  name: 'ForeachPowScalar',
  inputs: {
    x: tensorList(['float16', 'float32', 'int32', 'bfloat16']),
    scalar: tensor(['float16', 'float32', 'int32', 'float32'], [1]),
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
    for (const { i, from, to } of split(x, core, share)) {
      for (const at of range(from, to, tile)) {
        const n = min(tile, to - at)
        copyIn(() => load(xIn, x[i], at, n))
        compute(() => {
          if (x.dtype === 'int32') {
            const exponent = get(scalar, 0)
            duplicate(yOut, 1, n)
            for (const k of range(exponent)) mul(yOut, yOut, xIn, n)
          } else {
            const exponent = get(scalar, 0)
            const whole = int(exponent)
            cast(wide, xIn, n)
            if (exponent === float(whole) && max(whole, -whole) <= 16) {
              duplicate(result, 1, n)
              for (const k of range(max(whole, -whole))) mul(result, result, wide, n)
              if (whole < 0) {
                cast(wide, result, n)
                reciprocal(result, wide, n)
              }
            } else {
              ln(wide, wide, n)
              muls(wide, wide, exponent, n)
              exp(result, wide, n)
            }
            cast(yOut, result, n)
          }
        })
        copyOut(() => store(y[i], at, yOut, n))
      }
    }
  },
})
