import { bool, dim, kernelSuite, normal, oneOf, shapeOf, shifted, tensor, widened, within } from 'vitest-npu'
import { selectSoftmax, selectSoftmaxInSteps } from '../../../references/golden/fused.ts'

const dtype = ['float16', 'float32', 'bfloat16'] as const

const near = within(-100, 100, normal())
const low = widened(near, oneOf(near, shifted(-4096, near)))
kernelSuite('SelectReduceMaxDSubExpReduceSumDRealDiv', {
  category: 'Reduce',
  kernel: 'select_reduce_max_d_sub_exp_reduce_sum_d_real_div',
  description:
    'Softmax of a selection over the last axis: t = input1 where sel is 1, else input2; ouput = exp(t - max(t)) / sum(exp(t - max(t))).',
  inputs: {
    sel: tensor({ dtype: 'bool', shape: ['...rows', 'D'], draw: bool() }),
    input1: tensor({ dtype, shape: ['...rows', 'D'], draw: low }),
    input2: tensor({ dtype, shape: ['...rows', 'D'], draw: low }),
  },
  outputs: { ouput: tensor({ dtype, shape: ['...rows', 'D'] }) },
  golden: ({ sel, input1, input2 }) => ({ ouput: selectSoftmax(sel, input1, input2) }),
  domain: { rows: dim.list({ max: 7, last: { max: 256 } }), D: dim({ max: 4096, near: [60, 64] }) },
  // float16 may round every step but the sum; the other types compute in float32.
  strict: ({ case: kernelCase, dtype: type }) => {
    const sum = (shapeOf(kernelCase, 'sel').at(-1)! / 32) * 2 ** -24
    if (type === 'float16') return { absolute: 2 ** -23, relative: sum, scaled: 3 * 2 ** -11 }
    return { absolute: 2 ** -120, relative: sum, scaled: 12 * 2 ** -24 }
  },
  benchmark: {
    reference: ({ sel, input1, input2 }) => ({ ouput: selectSoftmaxInSteps(sel, input1, input2) }),
    note: 'two rows, of 60 columns; most results are below the absolute limit',
  },
  cases: [
    { sel: [60, 1, 60], dtype: 0 },
    { sel: [64, 1, 60], dtype: 0 },
  ],
})
