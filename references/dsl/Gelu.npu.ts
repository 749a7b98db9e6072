import {
  abs,
  add,
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
  mins,
  mul,
  muls,
  operator,
  range,
  reciprocal,
  store,
  sub,
  tensor,
} from 'vitest-npu/dsl'

// x * Phi(x). With a = |x|, Phi(-a) = exp(-a * a / 2) * t * R(t) where t = 1 / (1 + p * a) and R is a polynomial, a minimax fit
// over 0 <= a <= 14. Then y = max(x, 0) - a * Phi(-a) holds for both signs, without cancellation where x is negative.
export default operator({
  name: 'Gelu',
  inputs: { x: tensor(['float16', 'float32', 'bfloat16']) },
  outputs: { y: tensor.like('x') },
  host({ x }, { cores }) {
    const share = alignUp(ceilDiv(x.size, cores), 256)
    const tile = fit(ceilDiv(share, 2))
    return { blockDim: ceilDiv(x.size, share), size: x.size, share, tile }
  },
  kernel({ x, y }, { size, share, tile }, core) {
    const xIn = buffer(x.dtype, tile)
    const yOut = buffer(y.dtype, tile)
    const wide = buffer('float32', tile)
    const a = buffer('float32', tile)
    const tail = buffer('float32', tile)
    const r = buffer('float32', tile)
    const t = buffer('float32', tile)
    const high = buffer('float16', tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(xIn, x, at, n)
      })
      compute(() => {
        cast(wide, xIn, n)
        // max(x, 0) as x / 2 + |x| / 2: exact, keeps NaN, does not overflow
        abs(a, wide, n)
        muls(wide, wide, 0.5, n)
        muls(r, a, 0.5, n)
        add(wide, wide, r, n)
        mins(a, a, 14.0, n)
        if (x.dtype === 'float32') {
          // a = h + l with h * h exact, so that the rounding error of the square is not magnified by the exponential
          cast(high, a, n)
          cast(tail, high, n)
          sub(r, a, tail, n)
          add(t, a, tail, n)
          mul(tail, tail, tail, n)
          mul(r, r, t, n)
          muls(tail, tail, -0.5, n)
          muls(r, r, -0.5, n)
          exp(tail, tail, n)
          exp(r, r, n)
          mul(tail, tail, r, n)
        } else {
          mul(tail, a, a, n)
          muls(tail, tail, -0.5, n)
          exp(tail, tail, n)
        }
        mul(tail, tail, a, n)
        if (x.dtype === 'float32') {
          muls(a, a, 0.345, n)
          adds(a, a, 1.0, n)
          reciprocal(t, a, n)
          muls(r, t, -0.028387918, n)
          adds(r, r, 0.14530696, n)
          mul(r, r, t, n)
          adds(r, r, -0.2712172, n)
          mul(r, r, t, n)
          adds(r, r, 0.18723932, n)
          mul(r, r, t, n)
          adds(r, r, -0.037626285, n)
          mul(r, r, t, n)
          adds(r, r, 0.11180825, n)
          mul(r, r, t, n)
          adds(r, r, 0.11723647, n)
          mul(r, r, t, n)
          adds(r, r, 0.1380211, n)
          mul(r, r, t, n)
          adds(r, r, 0.13761929, n)
          mul(r, r, t, n)
        } else {
          muls(a, a, 0.305, n)
          adds(a, a, 1.0, n)
          reciprocal(t, a, n)
          muls(r, t, 0.036701276, n)
          adds(r, r, -0.15299733, n)
          mul(r, r, t, n)
          adds(r, r, 0.18573307, n)
          mul(r, r, t, n)
          adds(r, r, -0.03799235, n)
          mul(r, r, t, n)
          adds(r, r, 0.12103026, n)
          mul(r, r, t, n)
          adds(r, r, 0.10341815, n)
          mul(r, r, t, n)
          adds(r, r, 0.1224672, n)
          mul(r, r, t, n)
          adds(r, r, 0.12163971, n)
          mul(r, r, t, n)
        }
        mul(tail, tail, r, n)
        sub(wide, wide, tail, n)
        cast(yOut, wide, n)
      })
      copyOut(() => {
        store(y, at, yOut, n)
      })
    }
  },
})
