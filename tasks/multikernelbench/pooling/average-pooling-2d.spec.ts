import { kernelSuite } from 'vitest-npu'
import { meanOverWindows } from '../../../references/golden/window.ts'
import { note, publicRules, scaled } from '../family.ts'
import { images, pooled, poolingAttributes, poolingCase, poolingDomain, windowOf, windowSize } from './windows.ts'

kernelSuite('AveragePooling2dCustom', {
  category: 'Pooling',
  kernel: 'average_pooling2d_custom',
  description:
    'Mean of each window of kernel_size elements along the last 2 axes, which moves by stride; padding elements on both sides count as zeros and as elements. Positions along an axis: floor((extent + 2 padding - kernel_size) / stride) + 1.',
  inputs: images(2),
  outputs: pooled(2),
  attrs: poolingAttributes,
  golden: ({ x }, attrs) => ({ y: meanOverWindows(x, windowOf(attrs, 2)) }),
  domain: poolingDomain(2),
  // a sum of a window in float32, a division
  strict: ({ case: { attrs } }) => scaled(windowSize(attrs, 2) + 4),
  benchmark: { ...publicRules, note },
  cases: [
    poolingCase(
      { revision: '2026-01', published: [16, 64, 512, 512], judged: [6, 22, 176, 176] },
      { kernel_size: 11, stride: 11, padding: 0 },
    ),
    poolingCase(
      { revision: '2025-07', published: [16, 64, 256, 256], judged: [8, 32, 128, 128] },
      { kernel_size: 3, stride: 3, padding: 0 },
    ),
  ],
})
