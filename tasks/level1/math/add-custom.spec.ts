import { dim, float32Roundings, kernelSuite, normal, tensor } from 'vitest-npu'
import { add } from '../../../references/golden/elementwise.ts'

kernelSuite('AddCustom', {
  category: 'Math',
  kernel: 'add_custom',
  description: 'Adds two tensors of one shape element by element: z = x + y.',
  inputs: {
    x: tensor({ dtype: 'float16', shape: ['...shape'], draw: normal() }),
    y: tensor.like('x'),
  },
  outputs: { z: tensor.like('x') },
  golden: ({ x, y }) => ({ z: add(x, y) }),
  domain: { shape: dim.list({ min: 1, max: 8 }) },
  // The reference rounds the exact sum once; a detour through float32 may move a tie.
  strict: float32Roundings(1),
  benchmark: { note: 'every public size is a multiple of 32 bytes, so tails are never tested' },
  cases: [{ x: [48, 128, 512] }, { x: [96, 64, 1024] }, { x: [32, 32, 768] }, { x: [48, 32, 4096] }, { x: [48, 8192] }],
})
