import { byDtype, exact, kernelSuite, normal, randint, within } from 'vitest-npu'
import { sign } from '../../../references/golden/elementary.ts'
import { odd, rows, unary } from './family.ts'

// Neither NaN, for which answers differ, nor whole numbers that float64 does not hold.
const signed = byDtype(normal(), {
  int8: randint(-128, 127),
  int32: randint(-(2 ** 31), 2 ** 31 - 1),
  int64: within(-(2 ** 53), 2 ** 53, randint(-100, 99)),
})

kernelSuite(
  'ForeachSign',
  unary({
    kernel: 'foreach_sign',
    description: 'Sign of every element of every tensor of a list: y[t] is 1 above zero, -1 below, else 0.',
    dtypes: ['float16', 'float32', 'int8', 'int32', 'int64', 'bfloat16'],
    draw: signed,
    golden: sign,
    strict: exact,
    benchmark: { note: 'float rows only' },
    cases: rows(odd),
  }),
)
