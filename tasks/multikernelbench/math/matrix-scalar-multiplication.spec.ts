import * as fc from 'fast-check'
import { attr, float32Roundings, kernelSuite } from 'vitest-npu'
import { mapEach } from '../../../references/golden/elementwise.ts'
import { casesOf, matrices, matrix, note, publicRules, sameShape } from '../family.ts'

kernelSuite('MatrixScalarMultiplicationCustom', {
  category: 'Math',
  kernel: 'matrix_scalar_multiplication_custom',
  description: 'Every element of a matrix times a number: y = x * s.',
  inputs: matrix,
  outputs: sameShape,
  attrs: { s: attr.float(3.14) },
  golden: ({ x }, { s }) => ({ y: mapEach(x, (v) => v * Math.fround(s)) }),
  domain: { ...matrices, s: fc.constantFrom(3.14, 3.14, -0.5, 0) },
  // one product
  strict: float32Roundings(1),
  benchmark: { ...publicRules, note },
  cases: casesOf('x', [
    { revision: '2026-01', published: [65536, 16384], judged: [4096, 1024] },
    { revision: '2025-07', published: [16384, 4096], judged: [2048, 512] },
  ]),
})
