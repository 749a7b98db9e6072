import { kernelSuite } from 'vitest-npu'
import { meanOverWindows } from '../../../references/golden/window.ts'
import { note, publicRules, scaled } from '../family.ts'
import { images, pooled, poolingAttributes, poolingCase, poolingDomain, windowOf, windowSize } from './windows.ts'

kernelSuite('AveragePooling1dCustom', {
  category: 'Pooling',
  kernel: 'average_pooling1d_custom',
  description:
    'Mean of each window of kernel_size elements along the last axis, which moves by stride; padding elements on both sides count as zeros and as elements. Positions along an axis: floor((extent + 2 padding - kernel_size) / stride) + 1.',
  inputs: images(1),
  outputs: pooled(1),
  attrs: poolingAttributes,
  golden: ({ x }, attrs) => ({ y: meanOverWindows(x, windowOf(attrs, 1)) }),
  domain: poolingDomain(1),
  // a sum of a window in float32, a division
  strict: ({ case: { attrs } }) => scaled(windowSize(attrs, 1) + 4),
  benchmark: { ...publicRules, note },
  cases: [
    poolingCase(
      { revision: '2026-01', published: [64, 128, 65536], judged: [12, 26, 13312] },
      { kernel_size: 8, stride: 1, padding: 4 },
    ),
    poolingCase(
      { revision: '2025-07', published: [16, 32, 128], judged: [16, 32, 128] },
      { kernel_size: 4, stride: 2, padding: 1 },
    ),
  ],
})
