import { dim, drawn, normal, tensor, toFloat64, within, type Draw } from 'vitest-npu'
import { elements, orFarFrom0, type PublishedShapes } from '../family.ts'

const pixels = within(-64, 64, normal(0.5, 1))

/**
 * Images by channel. Their mean is not 0, so that an operator that forgets it is seen; in generated cases it may be so large that a
 * mean of squares less the square of the mean has no digit of the variance left.
 */
export const images = {
  x: tensor({
    dtype: 'float32',
    shape: ['N', 'C', 'H', 'W'],
    draw: orFarFrom0(pixels),
  }),
}

/** Shapes of generated cases. */
export const imageSizes = { N: dim({ max: 16 }), C: dim({ max: 64 }), H: dim({ max: 128 }), W: dim({ max: 256 }) }

const earlier: PublishedShapes = { revision: '2025-07', published: [16, 64, 256, 256], judged: [8, 32, 128, 128] }

/** Public cases of most normalisations of images. */
export const imageShapes: readonly PublishedShapes[] = [
  { revision: '2026-01', published: [128, 64, 512, 512], judged: [32, 16, 88, 88] },
  earlier,
]

export const batchShapes: readonly PublishedShapes[] = [
  { revision: '2026-01', published: [64, 64, 512, 512], judged: [16, 16, 128, 128] },
  earlier,
]

export const layerShapes: readonly PublishedShapes[] = [
  { revision: '2026-01', published: [64, 64, 256, 256], judged: [24, 24, 84, 84] },
  earlier,
]

/** Public cases of norms of rows. */
export const rowShapes: readonly PublishedShapes[] = [
  { revision: '2026-01', published: [32768, 65535], judged: [1440, 2879] },
  { revision: '2025-07', published: [16, 16384], judged: [16, 16384] },
]

/** Elements of which the first one along the last axis is never so small that its square vanishes: no norm is 0. */
const withoutZeroNorm: Draw = {
  ...drawn((target, context) => {
    elements.write(target, context)
    const values = toFloat64(target)
    const width = target.shape.at(-1)!
    for (let row = 0; row < values.length; row += width) if (Math.abs(values[row]!) < 2 ** -10) values[row] = 1
    return values
  }),
  min: elements.min,
  max: elements.max,
}

/** Rows that can be divided by their norm. */
export const nonZeroRows = { x: tensor({ dtype: 'float32', shape: ['B', 'D'], draw: withoutZeroNorm }) }

/** Images that can be divided by their norm. */
export const nonZeroImages = { x: tensor({ dtype: 'float32', shape: ['N', 'C', 'H', 'W'], draw: withoutZeroNorm }) }
