import { exact, kernelSuite } from 'vitest-npu'
import { maxOverWindows } from '../../../references/golden/window.ts'
import { note, publicRules } from '../family.ts'
import { images, pooled, poolingAttributes, poolingCase, poolingDomain, windowOf } from './windows.ts'

kernelSuite('MaxPooling3dCustom', {
  category: 'Pooling',
  kernel: 'max_pooling3d_custom',
  description:
    'Largest element of each window of kernel_size elements along the last 3 axes, which moves by stride; padding elements on both sides are no elements. Positions along an axis: floor((extent + 2 padding - kernel_size) / stride) + 1.',
  inputs: images(3),
  outputs: pooled(3),
  attrs: poolingAttributes,
  golden: ({ x }, attrs) => ({ y: maxOverWindows(x, windowOf(attrs, 3)) }),
  domain: poolingDomain(3),
  // nothing is rounded
  strict: exact,
  benchmark: { ...publicRules, note },
  cases: [
    poolingCase(
      { revision: '2026-01', published: [16, 32, 128, 128, 128], judged: [5, 10, 42, 42, 42] },
      { kernel_size: 3, stride: 2, padding: 1 },
    ),
    poolingCase(
      { revision: '2025-07', published: [16, 32, 64, 64, 64], judged: [8, 16, 32, 32, 32] },
      { kernel_size: 3, stride: 2, padding: 1 },
    ),
  ],
})
