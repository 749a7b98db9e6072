import * as fc from 'fast-check'
import { attr, kernelSuite, normal, tensor, within } from 'vitest-npu'
import { mhcPre } from '../../references/golden/hyper-connections.ts'
import { benchmark, mixes, residual, sizes, streams, cases } from './family.ts'

kernelSuite('MhcPre', {
  category: 'HyperConnection',
  kernel: 'mhc_pre',
  description:
    'What a layer is given of the 4 residual streams of manifold-constrained hyper-connections, and how they are mixed. For each token t: z[j] = (sum over m and c of fn[j, m, c] * residual[t, m, c]) / sqrt(mean of residual[t]^2 + rms_eps), times scale[0] for j < 4, scale[1] for j < 8, else scale[2], plus base[j]. pre[m] = sigmoid(z[m]) + pre_eps, post[t, m] = post_mult * sigmoid(z[4 + m]), y[t, c] = sum over m of pre[m] * residual[t, m, c]. comb[t] is the 4 x 4 matrix z[8 + 4 * i + k] after Sinkhorn: softmax of each row, plus sinkhorn_eps; each column divided by its sum + sinkhorn_eps; then repeats - 1 times each row by its sum + sinkhorn_eps and each column by its sum + sinkhorn_eps.',
  inputs: {
    residual,
    fn: tensor({ dtype: 'float32', shape: [mixes, streams, 'C'], draw: within(-1, 1, normal(0, 0.02)) }),
    scale: tensor({ dtype: 'float32', shape: [3], draw: within(-2, 2, normal()) }),
    base: tensor({ dtype: 'float32', shape: [mixes], draw: within(-4, 4, normal()) }),
  },
  outputs: {
    post: tensor({ dtype: 'float32', shape: ['T', streams] }),
    comb: tensor({ dtype: 'float32', shape: ['T', streams, streams] }),
    y: tensor({ dtype: ['bfloat16', 'float32'], shape: ['T', 'C'] }),
  },
  attrs: {
    rms_eps: attr.float(1e-6),
    pre_eps: attr.float(1e-6),
    sinkhorn_eps: attr.float(1e-6),
    post_mult: attr.float(2),
    repeats: attr.int(20),
  },
  golden: ({ residual: before, fn, scale, base }, attrs) => mhcPre(before, fn, scale, base, attrs),
  domain: {
    ...sizes,
    rms_eps: fc.constantFrom(1e-6, 0.5),
    pre_eps: fc.constantFrom(1e-6, 0.25),
    sinkhorn_eps: fc.constantFrom(1e-6, 0.01),
    post_mult: fc.constantFrom(2, 2, 1),
    repeats: fc.constantFrom(20, 20, 1, 3),
  },
  // sums of 4 C products of either sign in any order, a root, a sigmoid or an exponential of them; 40 divisions that bring sums to 1
  strict: ({ output }) => ({ absolute: 2 ** -126, relative: 0, scaled: (output === 'comb' ? 160 : 80) * 2 ** -24 }),
  benchmark,
  cases,
})
