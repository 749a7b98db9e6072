import { decode, type GoldenBlocks, type Tensor } from 'vitest-npu'
import { map } from './elementwise.ts'
import { erf, erfc } from './erf.ts'

// Functions of one element, in float64 from the exact value of the input. Each has its own loop: an element costs no call.

/** 1 / x; infinite at zero. */
export const reciprocal = (x: Tensor): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = 1 / values[i]!
  })

/** e^x. */
export const exp = (x: Tensor): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.exp(values[i]!)
  })

/** e^x - 1. The scale is e^x, whose rounding is what is left near zero. */
export const expm1 = (x: Tensor): GoldenBlocks => ({
  ...map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.expm1(values[i]!)
  }),
  scaleBlock: exp(x).block,
})

/** The natural logarithm. */
export const log = (x: Tensor): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.log(values[i]!)
  })

/** The logarithm to base 2. */
export const log2 = (x: Tensor): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.log2(values[i]!)
  })

/** The logarithm to base 10. */
export const log10 = (x: Tensor): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.log10(values[i]!)
  })

/** ln(1 + x). */
export const log1p = (x: Tensor): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.log1p(values[i]!)
  })

/** (e^x - e^-x) / 2. The scale is (e^x + e^-x) / 2, the size of its terms. */
export const sinh = (x: Tensor): GoldenBlocks => ({
  ...map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.sinh(values[i]!)
  }),
  scaleBlock: cosh(x).block,
})

/** (e^x + e^-x) / 2. */
export const cosh = (x: Tensor): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.cosh(values[i]!)
  })

/** 1 / (1 + e^-x). */
export const sigmoid = (x: Tensor): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = 1 / (1 + Math.exp(-values[i]!))
  })

/** The arc tangent. */
export const atan = (x: Tensor): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.atan(values[i]!)
  })

/** erf(x). */
export const erfOf = (x: Tensor): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = erf(values[i]!)
  })

/** 1 - erf(x). */
export const erfcOf = (x: Tensor): GoldenBlocks =>
  map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = erfc(values[i]!)
  })

/** The arc cosine. The scale is what half a unit in the last place of the input's float32 form comes to. */
export const acos = (x: Tensor): GoldenBlocks => ({
  ...map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.acos(values[i]!)
  }),
  scaleBlock: (start, scale) => slopeOfAsin(x, start, scale),
})

/** The arc sine, with the same scale. */
export const asin = (x: Tensor): GoldenBlocks => ({
  ...map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.asin(values[i]!)
  }),
  scaleBlock: (start, scale) => slopeOfAsin(x, start, scale),
})

// 1 / sqrt(1 - x^2), capped where a float32 cannot come closer to 1: what an error of 1 - x^2 costs.
function slopeOfAsin(x: Tensor, start: number, scale: Float64Array): void {
  decode(x, start, scale)
  for (let i = 0; i < scale.length; i++) scale[i] = 1 / Math.sqrt(Math.max(1 - scale[i]! * scale[i]!, 2 ** -24))
}

/** The tangent. The scale is (1 + |x|) (1 + tan^2 x): near a pole, errors of sine, cosine and reduction grow with the slope. */
export const tan = (x: Tensor): GoldenBlocks => ({
  ...map(x, (values) => {
    for (let i = 0; i < values.length; i++) values[i] = Math.tan(values[i]!)
  }),
  scaleBlock(start, scale) {
    decode(x, start, scale)
    for (let i = 0; i < scale.length; i++) {
      const tangent = Math.tan(scale[i]!)
      scale[i] = (1 + Math.abs(scale[i]!)) * (1 + tangent * tangent)
    }
  },
})

/** -1, 0 or 1; NaN stays NaN. Exact in every dtype. */
export function sign(x: Tensor): GoldenBlocks | Tensor {
  if (x.dtype === 'float16' || x.dtype === 'bfloat16' || x.dtype === 'float32') {
    return map(x, (values) => {
      for (let i = 0; i < values.length; i++) values[i] = Math.sign(values[i]!)
    })
  }
  const data = x.data.slice()
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
    for (let i = 0; i < data.length; i++) data[i] = data[i]! > 0n ? 1n : data[i]! < 0n ? -1n : 0n
  } else {
    for (let i = 0; i < data.length; i++) data[i] = Math.sign(data[i]!)
  }
  return { ...x, data }
}

/** A tensor of zeros like another, in every dtype: all-zero bits are +0 where the storage holds bit patterns. */
export function zeros(x: Tensor): Tensor {
  const data = x.data.slice()
  new Uint8Array(data.buffer).fill(0)
  return { ...x, data }
}
