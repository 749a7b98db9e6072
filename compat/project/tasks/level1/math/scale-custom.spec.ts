import { attr, dim, float32Roundings, kernelSuite, normal, tensor, toFloat64 } from 'vitest-npu'

kernelSuite('ScaleCustom', {
  category: 'Math',
  kernel: 'scale_custom',
  inputs: { x: tensor({ dtype: 'float32', shape: ['...shape'], draw: normal() }) },
  outputs: { y: tensor.like('x') },
  attrs: { factor: attr.float(2) },
  golden: ({ x }, { factor }) => ({ y: { values: toFloat64(x).map((value) => value * Math.fround(factor)) } }),
  domain: { shape: dim.list({ min: 1, max: 4 }) },
  strict: float32Roundings(1),
  cases: [{ x: [64, 128] }, { x: [1000], factor: 0.5 }, { x: [3, 5, 7] }],
})
