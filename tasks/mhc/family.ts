import { absoluteAndRelative, dim, normal, tensor, within } from 'vitest-npu'

/** Streams beside a layer, and what is computed of them for each token: their gates and how they are mixed. */
export const streams = 4
export const mixes = streams * (streams + 2)

/** bfloat16 is what models have; float32 shows more of the arithmetic. */
export const types = ['bfloat16', 'float32'] as const

/** Of each token the streams, one after the other. */
export const residual = tensor({
  dtype: types,
  shape: ['T', streams, 'C'],
  draw: within(-64, 64, normal()),
})

/** Tokens and the width of the model. */
export const sizes = { T: dim({ max: 512 }), C: dim({ max: 4096, near: [128, 1280] }) }

/** Nobody publishes cases: widths of models, and as many tokens as have 2^20 elements. */
export const cases = [
  { residual: [64, streams, 4096], dtype: 0 },
  { residual: [128, streams, 1280], dtype: 1 },
  { residual: [7, streams, 100], dtype: 1 },
]

/** No benchmark has these tasks: a unit of bfloat16, and what a function of the library loses in float32. */
export const benchmark = { tolerance: absoluteAndRelative({ bfloat16: 2 ** -7, float32: 1e-4 }) }
