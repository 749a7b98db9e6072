import { attr, exact, kernelSuite, tensor } from 'vitest-npu'
import { extremeMagnitude } from '../../../references/golden/blas.ts'
import { vectors, withSmallest } from './vector.ts'

kernelSuite('Icamin', {
  category: 'Math',
  kernel: 'icamin',
  description:
    'Position, counted from 1, of the first of n complex numbers x[0], x[incx], ... whose magnitude |re| + |im| is the smallest.',
  inputs: { x: tensor({ dtype: 'complex64', shape: ['length'], draw: withSmallest(1, 2) }) },
  outputs: { result: tensor({ dtype: 'int32', shape: [] }) },
  attrs: { n: attr.int(0), incx: attr.int(1) },
  // Counts from 1; the magnitude is |re| + |im| in float32, the first of several smallest ones wins.
  golden: ({ x }, { n, incx }) => ({ result: extremeMagnitude(x, n, incx, -1) }),
  // With a stride the public reference gives the position in x, the BLAS that of the strided sequence: left out.
  domain: vectors(1),
  strict: exact,
  benchmark: { note: 'takes any index within 0.1 %, so one counted from 0 passes above 1000; incx is always 1' },
  cases: [
    { x: [2046], n: 2046, incx: 1 },
    { x: [100], n: 100, incx: 1 },
    { x: [50], n: 25, incx: 1 },
    { x: [10], n: 10, incx: 1 },
    { x: [1024], n: 1024, incx: 1 },
    { x: [10], n: 5, incx: 1 },
  ],
})
