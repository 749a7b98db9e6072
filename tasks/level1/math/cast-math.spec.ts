import * as fc from 'fast-check'
import {
  attr,
  byCase,
  byDtype,
  dim,
  type Draw,
  type DType,
  exact,
  float32Roundings,
  kernelSuite,
  normal,
  oneOf,
  randint,
  tensor,
  widened,
  within,
  withNonFinite,
} from 'vitest-npu'
import { cast } from '../../../references/golden/cast.ts'

const pairs: readonly [DType, readonly DType[]][] = [
  ['float16', ['float32', 'int8', 'int32', 'int16', 'uint8', 'bool', 'bfloat16']],
  ['float32', ['float16', 'bfloat16', 'int32', 'int64', 'bool', 'int8', 'uint8', 'int16']],
  ['int32', ['float32', 'float16', 'bfloat16', 'int8', 'uint8', 'int16', 'int64', 'bool']],
  ['int8', ['float16', 'float32', 'int32', 'uint8', 'bool', 'bfloat16', 'int16', 'int64']],
  ['uint8', ['float16', 'float32', 'int32', 'int8', 'int16', 'bfloat16', 'int64']],
  ['bool', ['float16', 'float32', 'int32', 'int8', 'uint8', 'bfloat16', 'int64']],
  ['int64', ['float16', 'float32', 'int8', 'int32', 'uint8', 'bool', 'int16', 'bfloat16']],
  ['bfloat16', ['float16', 'float32', 'int8', 'int32', 'uint8', 'bool']],
  ['int16', ['float16', 'float32', 'int8', 'int32', 'uint8', 'int64']],
]
const columns = pairs.flatMap(([from, targets]) => targets.map((to) => ({ from, to })))
const codes: Partial<Record<DType, number>> = {
  float32: 0,
  float16: 1,
  int8: 2,
  int32: 3,
  uint8: 4,
  int16: 6,
  int64: 9,
  bool: 12,
  bfloat16: 27,
}

const conversion = (x: number[], from: DType, to: DType) => ({
  x,
  dtype: columns.findIndex((column) => column.from === from && column.to === to),
  dst_type: codes[to]!,
})

// Beyond the range of the target, and for NaN, the result is undefined. Limits are numbers of every float type.
const inRange = (low: number, high: number): Draw =>
  widened(within(low, high, normal()), within(low, high, normal(0, 40)))
const floats: Partial<Record<DType, Draw>> = {
  int8: inRange(-128, 127),
  uint8: inRange(0, 255),
  int16: inRange(-(2 ** 15), 2 ** 15 - 2 ** 4),
  int32: inRange(-(2 ** 31), 2 ** 31 - 2 ** 23),
  int64: inRange(-(2 ** 40), 2 ** 40),
}
const small = randint(-100, 99)

kernelSuite('CastMath', {
  category: 'Math',
  kernel: 'cast_math',
  description:
    'Converts every element of x to the dtype of y, which dst_type names by code (0 float32, 1 float16, 2 int8, 3 int32, 4 uint8, 6 int16, 9 int64, 12 bool, 27 bfloat16). Float to float rounds to nearest, ties to even; float to integer truncates towards zero; a wider integer keeps its low bits; to bool, anything but 0 is 1.',
  inputs: {
    x: tensor({
      dtype: columns.map(({ from }) => from),
      shape: ['...shape'],
      draw: byCase(({ attrs }) =>
        byDtype(floats[targetOf(attrs.dst_type)] ?? withNonFinite(normal()), {
          int8: widened(randint(-128, 126), randint(-128, 127)),
          uint8: widened(randint(0, 254), randint(0, 255)),
          int16: widened(small, randint(-(2 ** 15), 2 ** 15 - 1)),
          int32: widened(small, randint(-(2 ** 31), 2 ** 31 - 1)),
          int64: widened(small, oneOf(randint(-(2 ** 52), 2 ** 52), randint(-70000, 70000))),
          bool: randint(0, 1),
        }),
      ),
    }),
  },
  outputs: { y: tensor({ dtype: columns.map(({ to }) => to), shape: ['...shape'] }) },
  attrs: { dst_type: attr.int() },
  golden: ({ x }, { dst_type: code }) => ({ y: cast(x, targetOf(code)) }),
  domain: fc
    .record({ x: dim.list({ min: 1, max: 8 }), column: fc.constantFrom(...columns) })
    .map(({ x, column: { from, to } }) => conversion(x, from, to)),
  // Integers reach bfloat16 by way of float32, in the reference too.
  strict: (context) => (context.dtype === 'bfloat16' ? float32Roundings(1)(context) : exact(context)),
  benchmark: { note: 'six of 65 pairs, on vectors of at most 1536 elements' },
  cases: [
    conversion([1536], 'float16', 'float32'),
    conversion([16], 'float32', 'int32'),
    conversion([32], 'int32', 'int8'),
    conversion([128], 'int8', 'bool'),
    conversion([256], 'bool', 'int8'),
    conversion([512], 'bfloat16', 'float32'),
  ],
})

function targetOf(code: unknown): DType {
  const column = columns.find(({ to }) => codes[to] === code)
  if (!column) throw new TypeError(`dst_type ${String(code)} names no dtype`)
  return column.to
}
