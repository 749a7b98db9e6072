import {
  bool,
  byDtype,
  dim,
  drawn,
  exact,
  kernelSuite,
  normal,
  randint,
  sizeOf,
  tensor,
  widened,
  withNonFinite,
} from 'vitest-npu'
import { maskedSelect } from '../../../references/golden/mask.ts'

const types = [
  'bool',
  'int8',
  'uint8',
  'float16',
  'bfloat16',
  'int16',
  'uint16',
  'float32',
  'int32',
  'uint32',
  'uint64',
  'int64',
  'float64',
] as const

// From none to all of the elements.
const share = drawn(({ data: { length } }, { random }) => {
  const limit = 2 ** 32 * [0, 0.01, 0.5, 0.5, 0.9, 1][random.below(6)]!
  return Array.from({ length }, () => (random.next() < limit ? 1 : 0))
})

const row = (x: readonly number[]) => ({ x, elements: sizeOf(x) })

kernelSuite('MaskedSelectV3', {
  category: 'Mask',
  kernel: 'masked_select_v3',
  description:
    'Packs the elements of x whose mask is 1 to the front of y, in their order. y has room for all elements of x; what follows the selected ones is not judged.',
  inputs: {
    x: tensor({
      dtype: types,
      shape: ['...shape'],
      draw: byDtype(withNonFinite(normal()), {
        bool: randint(0, 1),
        int8: randint(-128, 127),
        uint8: randint(0, 255),
        int16: randint(-(2 ** 15), 2 ** 15 - 1),
        uint16: randint(0, 2 ** 16 - 1),
        int32: randint(-(2 ** 31), 2 ** 31 - 1),
        uint32: randint(0, 2 ** 32 - 1),
        int64: randint(-(2 ** 53), 2 ** 53),
        uint64: randint(0, 2 ** 53),
      }),
    }),
    mask: tensor({ dtype: 'bool', shape: ['...shape'], draw: widened(bool(), share) }),
  },
  // As long as if every element were selected; nobody says what follows those that are. Their number the kernel writes to
  // an argument that the runtime appends, because the shape of y depends on what is computed.
  outputs: { y: tensor({ dtype: types, shape: ['elements'] }) },
  golden: ({ x, mask }) => ({ y: maskedSelect(x, mask) }),
  domain: dim.list({ min: 1, max: 8 }).map(row),
  strict: exact,
  benchmark: { note: 'float16 only, of 13 types; half of the mask is true' },
  cases: [
    { ...row([8, 2048]), dtype: 'float16' },
    { ...row([8, 16, 32]), dtype: 'float16' },
    { ...row([64, 128]), dtype: 'float16' },
    { ...row([1, 32, 64, 64]), dtype: 'float16' },
    { ...row([8, 1024]), dtype: 'float16' },
    { ...row([32, 512, 128]), dtype: 'float16' },
    { ...row([256, 512]), dtype: 'float16' },
  ],
})
