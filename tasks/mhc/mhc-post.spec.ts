import { kernelSuite, normal, tensor, uniform, within } from 'vitest-npu'
import { mhcPost } from '../../references/golden/hyper-connections.ts'
import { benchmark, cases, residual, sizes, streams, types } from './family.ts'

kernelSuite('MhcPost', {
  category: 'HyperConnection',
  kernel: 'mhc_post',
  description:
    'What a layer leaves in the 4 residual streams of manifold-constrained hyper-connections: y[t, m, c] = post[t, m] * x[t, c] + sum over k of comb[t, k, m] * residual[t, k, c].',
  inputs: {
    x: tensor({ dtype: types, shape: ['T', 'C'], draw: within(-64, 64, normal()) }),
    residual,
    post: tensor({ dtype: 'float32', shape: ['T', streams], draw: within(0, 2, uniform(0, 2)) }),
    comb: tensor({ dtype: 'float32', shape: ['T', streams, streams], draw: within(0, 1, uniform(0, 1)) }),
  },
  outputs: { y: tensor.like('residual') },
  golden: ({ x, residual: before, post, comb }) => ({ y: mhcPost(x, before, post, comb) }),
  domain: sizes,
  // five products and their sum in float32, one rounding at the end
  strict: () => ({ absolute: 2 ** -126, relative: 0, scaled: 10 * 2 ** -24 }),
  benchmark,
  cases,
})
