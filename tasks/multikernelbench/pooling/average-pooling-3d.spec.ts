import { kernelSuite } from 'vitest-npu'
import { meanOverWindows } from '../../../references/golden/window.ts'
import { note, publicRules, scaled } from '../family.ts'
import { images, pooled, poolingAttributes, poolingCase, poolingDomain, windowOf, windowSize } from './windows.ts'

kernelSuite('AveragePooling3dCustom', {
  category: 'Pooling',
  kernel: 'average_pooling3d_custom',
  description:
    'Mean of each window of kernel_size elements along the last 3 axes, which moves by stride; padding elements on both sides count as zeros and as elements. Positions along an axis: floor((extent + 2 padding - kernel_size) / stride) + 1.',
  inputs: images(3),
  outputs: pooled(3),
  attrs: poolingAttributes,
  golden: ({ x }, attrs) => ({ y: meanOverWindows(x, windowOf(attrs, 3)) }),
  domain: poolingDomain(3),
  // a sum of a window in float32, a division
  strict: ({ case: { attrs } }) => scaled(windowSize(attrs, 3) + 4),
  benchmark: { ...publicRules, note },
  cases: [
    poolingCase(
      { revision: '2026-01', published: [16, 32, 128, 128, 256], judged: [4, 10, 36, 36, 72] },
      { kernel_size: 3, stride: 2, padding: 1 },
    ),
    poolingCase(
      { revision: '2025-07', published: [16, 32, 64, 64, 64], judged: [8, 16, 32, 32, 32] },
      { kernel_size: 3, stride: 2, padding: 1 },
    ),
  ],
})
