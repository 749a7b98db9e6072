import * as fc from 'fast-check'
import {
  attr,
  byCase,
  byDtype,
  dim,
  drawn,
  exact,
  kernelSuite,
  normal,
  randint,
  tensor,
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

const size = (shape: readonly number[]) => shape.reduce((product, extent) => product * extent, 1)

// `count` elements chosen evenly among all: each is taken with the share that is still to be taken.
const choice = (count: number) =>
  drawn((target, { random }) => {
    const total = target.data.length
    let left = count
    return Array.from({ length: total }, (_, i) => {
      const taken = random.below(total - i) < left
      if (taken) left--
      return taken ? 1 : 0
    })
  })

const half = (shape: number[]) => ({ x: shape, count: size(shape) / 2, dtype: 'float16' })

kernelSuite('MaskedSelectV3', {
  category: 'Mask',
  kernel: 'masked_select_v3',
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
    mask: tensor({ dtype: 'bool', shape: ['...shape'], draw: byCase(({ content }) => choice(Number(content.count))) }),
  },
  // y is as long as the mask has true elements, which a row fixes; shapeout is (1, that number).
  outputs: {
    y: tensor({ dtype: types, shape: ['count'] }),
    shapeout: tensor({ dtype: 'uint64', shape: [2] }),
  },
  content: { count: attr.int() },
  golden: ({ x, mask }) => maskedSelect(x, mask),
  domain: fc
    .record({ x: dim.list({ min: 1, max: 8 }), share: fc.constantFrom(0, 0.01, 0.5, 0.5, 0.9, 1) })
    .map(({ x, share }) => ({ x, count: Math.max(1, Math.round(size(x) * share)) })),
  strict: exact,
  benchmark: { outputs: ['y'], note: 'float16 only, of 13 types; half of the mask is true' },
  cases: [
    half([8, 2048]),
    half([8, 16, 32]),
    half([64, 128]),
    half([1, 32, 64, 64]),
    half([8, 1024]),
    half([32, 512, 128]),
    half([256, 512]),
  ],
})
