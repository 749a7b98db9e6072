import { dim, tensor } from 'vitest-npu'
import { distant, type PublishedShapes } from '../family.ts'

/** A tensor whose middle axis is gathered. */
export const blocks = { x: tensor({ dtype: 'float32', shape: ['B', 'M', 'N'], draw: distant }) }

/** Shapes of generated cases. */
export const blockSizes = { B: dim({ max: 64 }), M: dim({ max: 4096 }), N: dim({ max: 4096 }) }

/** Public cases of all reductions. */
export const blockShapes: readonly PublishedShapes[] = [
  { revision: '2026-01', published: [128, 4096, 4096], judged: [16, 512, 512] },
  { revision: '2025-07', published: [16, 256, 256], judged: [16, 256, 256] },
]
