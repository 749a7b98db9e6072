import * as fc from 'fast-check'
import { attr, byCase, dim, exact, kernelSuite, normal, planted, tensor, tensorList, uniform } from 'vitest-npu'
import { foundNonFinite } from '../../../references/golden/condition.ts'

const content = byCase(({ content: { containsNonFinite }, adversarial, random, shapes }) => {
  if (!adversarial) {
    // A tensor of one element keeps the last of them: published without -Infinity.
    const other = random.below(2) === 0 ? Infinity : NaN
    return containsNonFinite === true ? planted(uniform(0, 1), [-Infinity, other]) : uniform(0, 1)
  }
  // One tensor of the list holds one such value, on average; finite ones reach the extremes of the dtype.
  const found = containsNonFinite === true && random.below(shapes.tensor_list!.length) === 0
  return found ? planted(normal(), [[Infinity, -Infinity, NaN][random.below(3)]!]) : normal()
})

kernelSuite('NonFiniteCheckOp', {
  category: 'Condition',
  kernel: 'non_finite_check_op',
  description:
    'Looks for infinities and NaN in all tensors of a list: found_flag[0] = 1 if any element of any tensor is infinite or NaN, else 0.',
  inputs: { tensor_list: tensorList({ dtype: ['bfloat16', 'float16', 'float32'], draw: content }) },
  outputs: { found_flag: tensor({ dtype: 'float32', shape: [1], zeroed: true }) },
  content: { containsNonFinite: attr.bool() },
  golden: ({ tensor_list: tensors }) => ({ found_flag: foundNonFinite(tensors) }),
  domain: { tensor_list: dim.shapes({ max: 24, rank: 8 }), containsNonFinite: fc.boolean() },
  strict: exact,
  benchmark: {
    note: 'a found flag has something in every tensor, and float16 has no such row: looking at one tensor passes',
  },
  cases: [
    {
      tensor_list: [
        [48, 1024, 128],
        [48, 1024, 128],
      ],
      dtype: 'float32',
      containsNonFinite: true,
    },
    {
      tensor_list: [
        [10, 10],
        [20, 10],
      ],
      dtype: 'bfloat16',
      containsNonFinite: false,
    },
    {
      tensor_list: [
        [1, 1, 2, 2, 2],
        [5, 6],
      ],
      dtype: 'float32',
      containsNonFinite: true,
    },
    { tensor_list: [[128, 256], [33]], dtype: 'bfloat16', containsNonFinite: true },
    {
      tensor_list: [
        [1, 3, 10, 10],
        [22, 55],
      ],
      dtype: 'float16',
      containsNonFinite: false,
    },
    { tensor_list: [[1], [1]], dtype: 'float32', containsNonFinite: true },
    { tensor_list: [[1000], [100]], dtype: 'float32', containsNonFinite: true },
    {
      tensor_list: [
        [5, 5, 5, 5],
        [6, 6],
      ],
      dtype: 'float16',
      containsNonFinite: false,
    },
  ],
})
