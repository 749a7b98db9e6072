import * as fc from 'fast-check'
import { dim, eitherSign, kernelSuite, scalarTensor, tensor, uniform, within } from 'vitest-npu'
import { addcdiv, addcdivInSteps } from '../../../references/golden/elementwise.ts'

const dtype = ['float16', 'float32', 'bfloat16'] as const
const factors = within(-64, 64, uniform(-2.5, 2.5))

kernelSuite('Addcdiv', {
  category: 'Math',
  kernel: 'addcdiv',
  description:
    'Adds a scaled quotient element by element: y = input_data + x1 / x2 * value, where value is one number in device memory.',
  inputs: {
    input_data: tensor({ dtype, shape: ['...shape'], draw: factors }),
    x1: tensor.like('input_data'),
    x2: tensor.like('input_data', { draw: eitherSign(within(0.1, 64, uniform(0.1, 5.1))) }),
    value: scalarTensor({ dtype }),
  },
  outputs: { y: tensor.like('input_data') },
  golden: ({ input_data: input, x1, x2, value }) => ({ y: addcdiv(input, x1, x2, value) }),
  domain: { shape: dim.list({ min: 1, max: 8 }), value: fc.constantFrom(0.5, 1, -2, 0.3, 3) },
  // float16 may round every step as the reference does, or only the last; bfloat16 and float32 compute in float32.
  strict: (context) =>
    context.dtype === 'float16'
      ? { absolute: 2 ** -22, relative: 2 ** -24, scaled: 2 ** -10 }
      : { absolute: 2 ** -145, relative: 2 ** -24, scaled: 5 * 2 ** -24 },
  benchmark: {
    reference: ({ input_data: input, x1, x2, value }) => ({ y: addcdivInSteps(input, x1, x2, value) }),
    note: 'value is always 0.5; float16 is rounded after every step, so one rounding at the end can be rejected',
  },
  cases: [
    { input_data: [48, 1024], dtype: 'float16', value: 0.5 },
    { input_data: [32, 64], dtype: 'float32', value: 0.5 },
    { input_data: [256, 512], dtype: 'float32', value: 0.5 },
    { input_data: [192, 128], dtype: 'float32', value: 0.5 },
    { input_data: [48, 160], dtype: 'float16', value: 0.5 },
    { input_data: [256, 256], dtype: 'float32', value: 0.5 },
    { input_data: [256, 256], dtype: 'bfloat16', value: 0.5 },
  ],
})
