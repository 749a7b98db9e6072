import * as fc from 'fast-check'
import { absoluteAndRelative, dim, kernelSuite, scalarTensor, shapeOf, tensor, uniform, within } from 'vitest-npu'
import { mulMulNormalise, mulMulNormaliseInSteps } from '../../../references/golden/fused.ts'

const dtype = ['float16', 'float32', 'bfloat16'] as const
const draw = within(-4, 4, uniform(0, 1))

kernelSuite('MulMulReduceMeanDTwice', {
  category: 'Reduce',
  kernel: 'mul_mul_reduce_mean_d_twice',
  description:
    'Normalisation of a product by rows: p = mul0_input0 * mul0_input1 * mul1_input0, output = (p - mean(p)) / sqrt(mean((p - mean(p))^2) + add_y) * gamma + beta; mul1_input0 and add_y are one number each.',
  inputs: {
    mul0_input0: tensor({ dtype, shape: ['R', 'C'], draw }),
    mul0_input1: tensor({ dtype, shape: ['R', 'C'], draw }),
    mul1_input0: scalarTensor({ dtype }),
    // Acts as epsilon.
    add_y: scalarTensor({ dtype }),
    gamma: tensor({ dtype, shape: [1, 'C'], draw }),
    beta: tensor({ dtype, shape: [1, 'C'], draw }),
  },
  outputs: { output: tensor({ dtype, shape: ['R', 'C'] }) },
  golden: ({ mul0_input0: x, mul0_input1: y, mul1_input0: factor, add_y: epsilon, gamma, beta }) => ({
    output: mulMulNormalise([x, y, factor, epsilon, gamma, beta]),
  }),
  domain: {
    R: dim({ max: 512 }),
    C: dim({ max: 4096, near: [512, 1024] }),
    mul1_input0: fc.constantFrom(1, 0.5, -2),
    add_y: fc.constantFrom(1, 0.5, 2),
  },
  // float16 may round every step but the means; the other types compute in float32.
  strict: ({ case: kernelCase, dtype: type }) => {
    const sums = (16 + shapeOf(kernelCase, 'output')[1]! / 32) * 2 ** -23
    if (type === 'float16') return { absolute: 2 ** -21, relative: 2 ** -24, scaled: sums + 5 * 2 ** -11 }
    return { absolute: 2 ** -120, relative: 2 ** -24, scaled: sums }
  },
  benchmark: {
    tolerance: absoluteAndRelative({ float16: 0.005, bfloat16: 0.005, float32: 0.002 }),
    reference: ({ mul0_input0: x, mul0_input1: y, mul1_input0: factor, add_y: epsilon, gamma, beta }) => ({
      output: mulMulNormaliseInSteps([x, y, factor, epsilon, gamma, beta]),
    }),
    note: 'both scalars are always 1, float16 only',
  },
  cases: [
    { R: 90, C: 1024, dtype: 'float16', mul1_input0: 1, add_y: 1 },
    { R: 32, C: 512, dtype: 'float16', mul1_input0: 1, add_y: 1 },
    { R: 128, C: 1024, dtype: 'float16', mul1_input0: 1, add_y: 1 },
    { R: 512, C: 2048, dtype: 'float16', mul1_input0: 1, add_y: 1 },
    { R: 1024, C: 1024, dtype: 'float16', mul1_input0: 1, add_y: 1 },
    { R: 2048, C: 1024, dtype: 'float16', mul1_input0: 1, add_y: 1 },
  ],
})
