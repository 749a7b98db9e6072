import { absoluteAndRelative, dim, kernelSuite, normal, scalarTensor, tensor, widened, within } from 'vitest-npu'
import { addSigmoidMulReduceSum, addSigmoidMulReduceSumInSteps } from '../../../references/golden/fused.ts'

const dtype = 'float16'
const draw = within(-4, 4, normal(-0.2, 0.4))

kernelSuite('AddSigmoidMulReduceSumD', {
  category: 'Reduce',
  kernel: 'add_sigmoid_mul_reduce_sum_d',
  description:
    'Sum over the middle axis: out[a, c] = sum over b of sigmoid((add_0_input0[a, b, c] + add_0_input1[c]) * mul_0_input1) * mult_1_input1[a, b] * mult_2_input1[a, b, c].',
  inputs: {
    add_0_input0: tensor({ dtype, shape: ['A', 'B', 'C'], draw }),
    add_0_input1: tensor({ dtype, shape: [1, 1, 'C'], draw }),
    mul_0_input1: scalarTensor({ dtype, draw: widened(normal(), within(-4, 4, normal())) }),
    mult_1_input1: tensor({ dtype, shape: ['A', 'B', 1], draw }),
    mult_2_input1: tensor({ dtype, shape: ['A', 'B', 'C'], draw }),
  },
  outputs: { out: tensor({ dtype, shape: ['A', 'C'] }) },
  golden: ({
    add_0_input0: x,
    add_0_input1: bias,
    mul_0_input1: factor,
    mult_1_input1: weight,
    mult_2_input1: other,
  }) => ({
    out: addSigmoidMulReduceSum([x, bias, factor, weight, other]),
  }),
  domain: {
    A: dim({ max: 128 }),
    B: dim({ max: 512 }),
    C: dim({ max: 1024, near: [16, 32, 128] }),
  },
  // Every step may round to float16, five of them for a term; the sum is float32.
  strict: () => ({ absolute: 2 ** -20, relative: 2 ** -20, scaled: 5 * 2 ** -11 }),
  benchmark: {
    tolerance: absoluteAndRelative(0.01),
    reference: ({
      add_0_input0: x,
      add_0_input1: bias,
      mul_0_input1: factor,
      mult_1_input1: weight,
      mult_2_input1: other,
    }) => ({ out: addSigmoidMulReduceSumInSteps([x, bias, factor, weight, other]) }),
  },
  cases: [
    { A: 40, B: 64, C: 32 },
    { A: 32, B: 64, C: 128 },
    { A: 64, B: 64, C: 32 },
    { A: 16, B: 128, C: 128 },
    { A: 64, B: 32, C: 16 },
    { A: 8, B: 32, C: 64 },
  ],
})
