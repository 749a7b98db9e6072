import * as fc from 'fast-check'
import { attr, kernelSuite, toFloat64 } from 'vitest-npu'
import { update } from '../../../references/golden/update.ts'
import { casesOf, publicRules, scaled } from '../family.ts'
import { gradient, parameter, sizes, squares, updated } from './steps.ts'

kernelSuite('AdagradCustom', {
  category: 'Optimizer',
  kernel: 'adagrad_custom',
  description: 'One step of Adagrad: s = accum + grad^2, y = param - lr * grad / (sqrt(s) + eps).',
  inputs: { param: parameter, grad: gradient, accum: squares },
  outputs: updated,
  attrs: { lr: attr.float(1e-2), eps: attr.float(1e-10) },
  golden({ param, grad, accum }, { lr, eps }) {
    const [grads, sums] = [toFloat64(grad), toFloat64(accum)]
    return {
      y: update(param, (i) => {
        const step = (Math.fround(lr) * grads[i]!) / (Math.sqrt(sums[i]! + grads[i]! ** 2) + Math.fround(eps))
        return { step, size: Math.abs(step) }
      }),
    }
  },
  domain: { ...sizes, lr: fc.constantFrom(1e-2, 0.5), eps: fc.constantFrom(1e-10, 0.5) },
  // a square, a sum, a root, a division and a difference, all of float32
  strict: () => scaled(12),
  benchmark: {
    ...publicRules,
    note: 'states are 0, so that who ignores them passes; a step is hardly larger than the tolerance',
  },
  cases: casesOf('param', [{ revision: '2026-01', published: [1024, 4096], judged: [1024, 4096] }]),
})
