import * as fc from 'fast-check'
import { attr, kernelSuite, toFloat64 } from 'vitest-npu'
import { euclideanNorm, update } from '../../../references/golden/update.ts'
import { casesOf, publicRules, scaled, summed } from '../family.ts'
import { momentum, parameter, sizes, squares, updated } from './steps.ts'

kernelSuite('LambCustom', {
  category: 'Optimizer',
  kernel: 'lamb_custom',
  description:
    'One step of LAMB from given moments: r = m / (sqrt(v) + eps), y = param - lr * (norm(param) / (norm(r) + eps)) * r, norms Euclidean and of the whole tensor.',
  inputs: { param: parameter, m: momentum, v: squares },
  outputs: updated,
  attrs: { lr: attr.float(1e-3), eps: attr.float(1e-6) },
  golden({ param, m, v }, { lr, eps }) {
    const [moments, variances] = [toFloat64(m), toFloat64(v)]
    const ratios = moments.map((moment, i) => moment / (Math.sqrt(variances[i]!) + Math.fround(eps)))
    const length = euclideanNorm(toFloat64(param))
    const trust = length / (euclideanNorm(ratios) + Math.fround(eps))
    // both norms are sums of all elements, and float32 has no squares below 2 ** -126
    const count = ratios.length
    const error = summed(count) + (length > 0 ? Math.min(1, (count * 2 ** -126) / length ** 2) : 0)
    return {
      y: update(param, (i) => {
        const step = Math.fround(lr) * trust * ratios[i]!
        // a subnormal ratio has few bits left, and trust may make it large
        const lost = Math.abs(ratios[i]!) < 2 ** -126 ? 1 : error
        return { step, size: (Math.abs(step) * lost) / summed(0) }
      }),
    }
  },
  domain: { ...sizes, lr: fc.constantFrom(1e-3, 0.5), eps: fc.constantFrom(1e-6, 0.5) },
  // two sums of all squares in float32, roots and divisions
  strict: () => ({ ...scaled(0), scaled: summed(0) }),
  benchmark: {
    ...publicRules,
    note: 'states are 0, so that who ignores them passes; a step is hardly larger than the tolerance',
  },
  cases: casesOf('param', [{ revision: '2026-01', published: [512, 4096], judged: [512, 4096] }]),
})
