import * as fc from 'fast-check'
import { attr, dim, float32Roundings, kernelSuite, normal, tensor } from 'vitest-npu'
import { scal } from '../../../references/golden/blas.ts'

kernelSuite('Sscal', {
  category: 'Math',
  kernel: 'sscal',
  description: 'Scales a vector in place: x = alpha * x, all elements of x.',
  // Published as ones everywhere, so that every row takes a kernel that writes alpha: drawn otherwise on purpose.
  inputs: { x: tensor({ dtype: 'float32', shape: ['n'], draw: normal() }) },
  outputs: { x: tensor.like('x', { aliases: 'x' }) },
  attrs: { alpha: attr.float(1), n: attr.int(0), incx: attr.int(1) },
  golden: ({ x }, { alpha }) => ({ x: scal(x, alpha) }),
  // All of x: the public reference ignores n and incx.
  domain: { n: dim({ max: 65536 }), alpha: fc.constantFrom(2, 10, 0.5, 2.5, -1.7, 0, 1) },
  strict: float32Roundings(1),
  benchmark: { note: 'x holds ones, so writing alpha passes' },
  cases: [
    { n: 2048, alpha: 2 },
    { n: 128, alpha: 10 },
    { n: 16, alpha: 0.5 },
    { n: 1024, alpha: 2.5 },
  ],
})
