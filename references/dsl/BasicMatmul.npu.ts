import { matmul, operator, tensor } from 'vitest-npu/dsl'

export default operator({
  name: 'BasicMatmul',
  inputs: { a: tensor('float16', ['m', 'k']), b: tensor('float16', ['k', 'n']) },
  outputs: { c: tensor('float16', ['m', 'n']) },
  host({ a, b }, { cores }) {
    return { blockDim: cores, m: a.shape(0), k: a.shape(1), n: b.shape(1) }
  },
  kernel({ a, b, c }, { m, k, n }) {
    matmul(c, a, b, [m, k, n])
  },
})
