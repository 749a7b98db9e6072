import { exact, kernelSuite, normal, withNonFinite } from 'vitest-npu'
import { neg } from '../../../references/golden/elementwise.ts'
import { odd, rows, unary } from './family.ts'

kernelSuite(
  'ForeachNeg',
  unary({
    kernel: 'foreach_neg',
    description: 'Changes the sign of every element of every tensor of a list: y[t] = -x[t].',
    draw: withNonFinite(normal()),
    golden: neg,
    strict: exact,
    benchmark: { note: 'its rows are float16 only' },
    cases: rows(odd, ['float16']),
  }),
)
