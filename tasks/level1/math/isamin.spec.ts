import { attr, exact, kernelSuite, tensor } from 'vitest-npu'
import { extremeMagnitude } from '../../../references/golden/blas.ts'
import { vectors, withSmallest } from './vector.ts'

kernelSuite('Isamin', {
  category: 'Math',
  kernel: 'isamin',
  description:
    'Position, counted from 1 among the strided elements, of the first of x[0], x[incx], ... (n of them) whose magnitude |x| is the smallest.',
  inputs: { x: tensor({ dtype: 'float32', shape: ['length'], draw: withSmallest(1e30) }) },
  outputs: { result: tensor({ dtype: 'int32', shape: [] }) },
  attrs: { n: attr.int(0), incx: attr.int(1) },
  // Counts strided elements from 1; the first of several smallest magnitudes.
  golden: ({ x }, { n, incx }) => ({ result: extremeMagnitude(x, n, incx, -1) }),
  domain: vectors(1, 1, 1, 2, 3),
  strict: exact,
  benchmark: { note: 'takes any index within 0.1 %, so one counted from 0 passes above 1000; incx is always 1' },
  cases: [
    { x: [2046], n: 2046, incx: 1 },
    { x: [10], n: 10, incx: 1 },
    { x: [1024], n: 1024, incx: 1 },
    { x: [100], n: 100, incx: 1 },
    { x: [50], n: 25, incx: 1 },
  ],
})
