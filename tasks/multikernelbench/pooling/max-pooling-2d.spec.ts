import { exact, kernelSuite } from 'vitest-npu'
import { maxOverWindows } from '../../../references/golden/window.ts'
import { note, publicRules } from '../family.ts'
import { images, pooled, poolingAttributes, poolingCase, poolingDomain, windowOf } from './windows.ts'

kernelSuite('MaxPooling2dCustom', {
  category: 'Pooling',
  kernel: 'max_pooling2d_custom',
  description:
    'Largest element of each window of kernel_size elements along the last 2 axes, which moves by stride; padding elements on both sides are no elements. Positions along an axis: floor((extent + 2 padding - kernel_size) / stride) + 1.',
  inputs: images(2),
  outputs: pooled(2),
  attrs: poolingAttributes,
  golden: ({ x }, attrs) => ({ y: maxOverWindows(x, windowOf(attrs, 2)) }),
  domain: poolingDomain(2),
  // nothing is rounded
  strict: exact,
  benchmark: { ...publicRules, note },
  cases: [
    poolingCase(
      { revision: '2026-01', published: [32, 64, 512, 512], judged: [10, 18, 150, 150] },
      { kernel_size: 4, stride: 1, padding: 1 },
    ),
    poolingCase(
      { revision: '2025-07', published: [16, 32, 128, 128], judged: [8, 32, 128, 128] },
      { kernel_size: 2, stride: 2, padding: 1 },
    ),
  ],
})
