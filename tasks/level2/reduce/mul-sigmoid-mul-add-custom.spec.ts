import { dim, kernelSuite, normal, scalarTensor, tensor, widened, within } from 'vitest-npu'
import { mulSigmoidMulAdd, mulSigmoidMulAddInSteps } from '../../../references/golden/fused.ts'

const dtype = ['float16', 'float32', 'bfloat16'] as const
const scalar = scalarTensor({ dtype, draw: widened(normal(), within(-4, 4, normal())) })

kernelSuite('MulSigmoidMulAddCustom', {
  category: 'Reduce',
  kernel: 'mul_sigmoid_mul_add_custom',
  description:
    'Scaled sigmoid of every element: outputs = sigmoid(input * mulscalar1) * mulscalar2 + addscalar3, each scalar one number in device memory.',
  inputs: {
    input: tensor({ dtype, shape: ['...shape'], draw: within(-64, 64, normal()) }),
    mulscalar1: scalar,
    mulscalar2: scalar,
    addscalar3: scalar,
  },
  outputs: { outputs: tensor.like('input') },
  golden: ({ input, mulscalar1: a, mulscalar2: b, addscalar3: c }) => ({ outputs: mulSigmoidMulAdd(input, a, b, c) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  // float16 may round every step, e^-t overflowing included; the other types compute in float32.
  strict: ({ dtype: type }) =>
    type === 'float16'
      ? { absolute: 2 ** -14, relative: 2 ** -24, scaled: 2 ** -9 }
      : { absolute: 2 ** -120, relative: 2 ** -24, scaled: 2 ** -20 },
  benchmark: {
    reference: ({ input, mulscalar1: a, mulscalar2: b, addscalar3: c }) => ({
      outputs: mulSigmoidMulAddInSteps(input, a, b, c),
    }),
    note: 'no reduction, despite the category; float16 of at most 1024 elements only',
  },
  cases: [
    { input: [32, 32], dtype: 'float16' },
    { input: [16, 16], dtype: 'float16' },
    { input: [8, 8], dtype: 'float16' },
    { input: [32, 16], dtype: 'float16' },
    { input: [8, 16], dtype: 'float16' },
  ],
})
