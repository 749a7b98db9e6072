import { exact, kernelSuite, normal, withNonFinite } from 'vitest-npu'
import { abs } from '../../../references/golden/elementwise.ts'
import { odd, rows, unary } from './family.ts'

kernelSuite(
  'ForeachAbs',
  unary({
    kernel: 'foreach_abs',
    description: 'Magnitude of every element of every tensor of a list: y[t] = |x[t]|.',
    draw: withNonFinite(normal()),
    golden: abs,
    strict: exact,
    cases: rows(odd),
  }),
)
