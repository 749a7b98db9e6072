import { absoluteAndRelative, dim, exact, kernelSuite, normal, tensor, withNonFinite } from 'vitest-npu'
import { negateSecondHalf } from '../../../references/golden/elementwise.ts'

kernelSuite('StridesliceNegConcatV2', {
  category: 'Math',
  kernel: 'strideslice_neg_concat_v2',
  description:
    'Splits the last axis of a [N, C, H, W] tensor at W / 2 (rounded down), negates the second part and joins both again: output[..., j] = input[..., j] for j < W / 2, else -input[..., j].',
  inputs: {
    input: tensor({
      dtype: ['float16', 'float32', 'bfloat16'],
      shape: ['N', 'C', 'H', 'W'],
      draw: withNonFinite(normal()),
    }),
  },
  outputs: { output: tensor.like('input') },
  golden: ({ input }) => ({ output: negateSecondHalf(input) }),
  domain: {
    N: dim({ max: 64 }),
    C: dim({ max: 512 }),
    H: dim({ max: 1024 }),
    W: dim({ max: 4096, near: [64, 128, 256, 512] }),
  },
  strict: exact,
  benchmark: {
    tolerance: absoluteAndRelative(0.01),
    note: 'its wrapper turns every row into float16 before the call; even W only',
  },
  // Rows 2 and 5 are called float32 and row 4 bfloat16, but the kernel gets float16.
  cases: [
    { input: [8, 16, 32, 64], dtype: 'float16' },
    { input: [1, 32, 256, 128], dtype: 'float16' },
    { input: [1, 128, 512, 512], dtype: 'float16' },
    { input: [1, 512, 1024, 1024], dtype: 'float16' },
    { input: [1, 64, 1024, 2048], dtype: 'float16' },
    { input: [8, 16, 256, 256], dtype: 'float16' },
  ],
})
