import { dim, float32Roundings, kernelSuite, normal, tensor } from 'vitest-npu'
import { add } from '../../../references/golden/elementwise.ts'

kernelSuite('UnalignAdd', {
  category: 'Math',
  kernel: 'unalign_add',
  description:
    'Adds two tensors of one shape element by element: z = x + y. Sizes are no multiples of 32 bytes in general.',
  inputs: {
    x: tensor({ dtype: 'float16', shape: ['...shape'], draw: normal(-1, 2) }),
    y: tensor.like('x'),
  },
  outputs: { z: tensor.like('x') },
  golden: ({ x, y }) => ({ z: add(x, y) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  // The reference rounds the exact sum once; a detour through float32 may move a tie.
  strict: float32Roundings(1),
  benchmark: { note: 'every public size is a multiple of 32 bytes, against the name' },
  cases: [
    { x: [128, 256] },
    { x: [64, 1024] },
    { x: [512, 1024] },
    { x: [512, 128] },
    { x: [1024, 128] },
    { x: [256, 512] },
  ],
})
