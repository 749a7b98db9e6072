import { exact, kernelSuite } from 'vitest-npu'
import { maxOverWindows } from '../../../references/golden/window.ts'
import { note, publicRules } from '../family.ts'
import { images, pooled, poolingAttributes, poolingCase, poolingDomain, windowOf } from './windows.ts'

kernelSuite('MaxPooling1dCustom', {
  category: 'Pooling',
  kernel: 'max_pooling1d_custom',
  description:
    'Largest element of each window of kernel_size elements along the last axis, which moves by stride; padding elements on both sides are no elements. Positions along an axis: floor((extent + 2 padding - kernel_size) / stride) + 1.',
  inputs: images(1),
  outputs: pooled(1),
  attrs: poolingAttributes,
  golden: ({ x }, attrs) => ({ y: maxOverWindows(x, windowOf(attrs, 1)) }),
  domain: poolingDomain(1),
  // nothing is rounded
  strict: exact,
  benchmark: { ...publicRules, note },
  cases: [
    poolingCase(
      { revision: '2026-01', published: [64, 192, 2048], judged: [36, 104, 1120] },
      { kernel_size: 8, stride: 1, padding: 4 },
    ),
    poolingCase(
      { revision: '2025-07', published: [16, 64, 128], judged: [16, 64, 128] },
      { kernel_size: 4, stride: 2, padding: 2 },
    ),
  ],
})
