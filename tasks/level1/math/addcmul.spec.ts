import * as fc from 'fast-check'
import { byDtype, dim, kernelSuite, randint, scalarTensor, tensor, uniform, within } from 'vitest-npu'
import { addcmul, addcmulInSteps } from '../../../references/golden/elementwise.ts'

const dtype = ['float16', 'float32', 'int32', 'bfloat16'] as const
const factors = byDtype(within(-64, 64, uniform(-2.5, 2.5)), { int32: randint(-(2 ** 31), 2 ** 31 - 1) })

kernelSuite('Addcmul', {
  category: 'Math',
  kernel: 'addcmul',
  description:
    'Adds a scaled product element by element: y = input_data + x1 * x2 * value, where value is one number in device memory. int32 wraps around.',
  inputs: {
    input_data: tensor({ dtype, shape: ['...shape'], draw: factors }),
    x1: tensor.like('input_data'),
    x2: tensor.like('input_data'),
    value: scalarTensor({ dtype }),
  },
  outputs: { y: tensor.like('input_data') },
  golden: ({ input_data: input, x1, x2, value }) => ({ y: addcmul(input, x1, x2, value) }),
  domain: { shape: dim.list({ min: 1, max: 8 }), value: fc.constantFrom(2, 1, -3, 0.5, 0.3) },
  // float16 may round every step as the reference does, or only the last; bfloat16 and float32 compute in float32.
  strict: (context) =>
    context.dtype === 'float16'
      ? { absolute: 2 ** -22, relative: 2 ** -24, scaled: 2 ** -10 }
      : { absolute: 2 ** -145, relative: 2 ** -24, scaled: 2 ** -22 },
  benchmark: {
    reference: ({ input_data: input, x1, x2, value }) => ({ y: addcmulInSteps(input, x1, x2, value) }),
    note: 'value is always 0.5; no int32 row; float16 is rounded after every step',
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
