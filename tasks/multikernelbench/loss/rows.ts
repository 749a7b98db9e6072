import { dim, tensor } from 'vitest-npu'
import { elements, type PublishedShapes } from '../family.ts'

/** Scores by sample. */
export const scores = tensor({ dtype: 'float32', shape: ['N', 'D'], draw: elements })

/** The mean over all samples, as one element. */
export const loss = { y: tensor({ dtype: 'float32', shape: [1] }) }

/** Shapes of generated cases. */
export const sampleSizes = { N: dim({ max: 512 }), D: dim({ max: 8192 }) }

/** Public cases of losses of vectors. */
export const vectorShapes: readonly PublishedShapes[] = [
  { revision: '2026-01', published: [32768, 32768], judged: [2048, 2048] },
  { revision: '2025-07', published: [128, 4096], judged: [128, 4096] },
]
