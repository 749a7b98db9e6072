import { bool, byDtype, exact, kernelSuite, randint, uniform, within, withNonFinite } from 'vitest-npu'
import { aligned, rows, unary } from './family.ts'

// The public rows draw floats of 1 … 11; a copy keeps NaN and every other value.
const anything = byDtype(withNonFinite(within(-Infinity, Infinity, uniform(1, 11))), {
  int8: randint(-128, 127),
  uint8: randint(0, 255),
  int16: randint(-(2 ** 15), 2 ** 15 - 1),
  uint16: randint(0, 2 ** 16 - 1),
  int32: randint(-(2 ** 31), 2 ** 31 - 1),
  uint32: randint(0, 2 ** 32 - 1),
  int64: randint(-(2 ** 53), 2 ** 53),
  bool: bool(),
})

kernelSuite(
  'ForeachCopy',
  unary({
    kernel: 'foreach_copy',
    description: 'Copies every tensor of a list bit for bit: y[t] = x[t].',
    dtypes: [
      ...([
        'float16',
        'float32',
        'int32',
        'bfloat16',
        'int8',
        'uint8',
        'int16',
        'uint16',
        'uint32',
        'float64',
      ] as const),
      ...(['bool', 'int64'] as const),
    ],
    draw: anything,
    golden: (x) => x,
    strict: exact,
    benchmark: { note: 'three of the twelve dtypes; every tensor is a multiple of 256 bytes' },
    cases: rows(aligned),
  }),
)
