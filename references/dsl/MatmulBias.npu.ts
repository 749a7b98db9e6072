import { matmul, operator, tensor } from 'vitest-npu/dsl'

export default operator({
  name: 'MatmulBias',
  inputs: { a: tensor('float16', ['m', 'k']), b: tensor('float16', ['k', 'n']), bias: tensor('float16', ['n']) },
  outputs: { d: tensor('float16', ['m', 'n']) },
  host({ a, b }, { cores }) {
    return { blockDim: cores, m: a.shape(0), k: a.shape(1), n: b.shape(1) }
  },
  kernel({ a, b, bias, d }, { m, k, n }) {
    matmul(d, a, b, [m, k, n], bias)
  },
})
