import * as fc from 'fast-check'
import {
  absoluteAndRelative,
  attr,
  dim,
  exact,
  kernelSuite,
  normal,
  tensor,
  uniform,
  widened,
  withNonFinite,
} from 'vitest-npu'
import { ccopy } from '../../../references/golden/blas.ts'

// Any n and incx that x has room for.
const rows = fc
  .record({
    x: dim.list({ min: 1, max: 4, last: { max: 8192 } }),
    incx: fc.constantFrom(1, 1, 1, 2, 3),
    share: fc.constantFrom(1, 1, 0.7, 0.1),
  })
  .map(({ x, incx, share }) => {
    const size = x.reduce((product, extent) => product * extent, 1)
    return { x, incx, n: Math.max(1, Math.floor((Math.floor((size - 1) / incx) + 1) * share)) }
  })

kernelSuite('Ccopy', {
  category: 'Math',
  kernel: 'ccopy',
  description:
    'Copies n complex numbers with a stride: y[i] = x[i * incx] for i = 0 ... n - 1, of x read as one flat vector. incy is 1.',
  inputs: {
    x: tensor({ dtype: 'complex64', shape: ['...shape'], draw: widened(uniform(0, 1), withNonFinite(normal())) }),
  },
  outputs: { y: tensor({ dtype: 'complex64', shape: ['n'] }) },
  // incy other than 1 leaves gaps of which nobody says what they hold: left out.
  attrs: { n: attr.int(0), incx: attr.int(1), incy: attr.int(1) },
  golden: ({ x }, { n, incx }) => ({ y: ccopy(x, n, incx) }),
  domain: rows,
  strict: exact,
  benchmark: { tolerance: absoluteAndRelative(1e-5), note: 'n is always the whole of x and incx 1' },
  cases: [
    { x: [1536], n: 1536 },
    { x: [16, 2048], n: 32768 },
    { x: [1024, 256], n: 262144 },
    { x: [32, 16, 256], n: 131072 },
    { x: [4096], n: 4096 },
  ],
})
