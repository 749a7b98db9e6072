import * as fc from 'fast-check'
import { attr, kernelSuite, toFloat64 } from 'vitest-npu'
import { update } from '../../../references/golden/update.ts'
import { casesOf, publicRules, scaled } from '../family.ts'
import { gradient, parameter, sizes, squares, updated } from './steps.ts'

kernelSuite('RmspropCustom', {
  category: 'Optimizer',
  kernel: 'rmsprop_custom',
  description: 'One step of RMSprop: s = alpha * v + (1 - alpha) * grad^2, y = param - lr * grad / (sqrt(s) + eps).',
  inputs: { param: parameter, grad: gradient, v: squares },
  outputs: updated,
  attrs: { lr: attr.float(1e-3), alpha: attr.float(0.99), eps: attr.float(1e-8) },
  golden({ param, grad, v }, { lr, alpha, eps }) {
    const [grads, means] = [toFloat64(grad), toFloat64(v)]
    const share = Math.fround(alpha)
    return {
      y: update(param, (i) => {
        const mean = share * means[i]! + (1 - share) * grads[i]! ** 2
        const step = (Math.fround(lr) * grads[i]!) / (Math.sqrt(mean) + Math.fround(eps))
        return { step, size: Math.abs(step) }
      }),
    }
  },
  domain: {
    ...sizes,
    lr: fc.constantFrom(1e-3, 0.5),
    alpha: fc.constantFrom(0.99, 0.5),
    eps: fc.constantFrom(1e-8, 0.5),
  },
  // two products, a sum, a root, a division and a difference, all of float32
  strict: () => scaled(16),
  benchmark: {
    ...publicRules,
    note: 'states are 0, so that who ignores them passes; a step is hardly larger than the tolerance',
  },
  cases: casesOf('param', [{ revision: '2026-01', published: [2048, 2048], judged: [2048, 2048] }]),
})
