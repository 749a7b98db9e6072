import { absolute, dim, normal, tensor, within } from 'vitest-npu'

/** Parameters and gradients. */
export const parameter = tensor({ dtype: 'float32', shape: ['M', 'N'], draw: within(-64, 64, normal()) })
export const gradient = tensor.like('param')

/** A mean or sum of gradients so far. */
export const momentum = tensor({ dtype: 'float32', shape: ['M', 'N'], draw: within(-64, 64, normal()) })

/** A mean or sum of squares so far: no less than 0, and not 0 as at the first step, at which much may be left out. */
export const squares = tensor({ dtype: 'float32', shape: ['M', 'N'], draw: within(2 ** -16, 4096, absolute(normal())) })

/** The new parameters. */
export const updated = { y: tensor.like('param') }

/** Shapes of generated cases. */
export const sizes = { M: dim({ max: 512 }), N: dim({ max: 4096 }) }
