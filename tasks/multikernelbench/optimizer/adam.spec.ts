import * as fc from 'fast-check'
import { attr, kernelSuite, toFloat64 } from 'vitest-npu'
import { update } from '../../../references/golden/update.ts'
import { casesOf, publicRules, scaled } from '../family.ts'
import { gradient, momentum, parameter, sizes, squares, updated } from './steps.ts'

kernelSuite('AdamCustom', {
  category: 'Optimizer',
  kernel: 'adam_custom',
  description:
    'One step of Adam: s = beta1 * m + (1 - beta1) * grad, t = beta2 * v + (1 - beta2) * grad^2, y = param - lr * (s / (1 - beta1^step)) / (sqrt(t / (1 - beta2^step)) + eps).',
  inputs: { param: parameter, grad: gradient, m: momentum, v: squares },
  outputs: updated,
  attrs: {
    beta1: attr.float(0.9),
    beta2: attr.float(0.999),
    lr: attr.float(1e-3),
    eps: attr.float(1e-8),
    step: attr.int(1),
  },
  golden({ param, grad, m, v }, { beta1, beta2, lr, eps, step }) {
    const [grads, means, variances] = [toFloat64(grad), toFloat64(m), toFloat64(v)]
    const [first, second, rate] = [Math.fround(beta1), Math.fround(beta2), Math.fround(lr)]
    const [firstLeft, secondLeft] = [1 - first ** step, 1 - second ** step]
    return {
      y: update(param, (i) => {
        const [kept, added] = [first * means[i]!, (1 - first) * grads[i]!]
        const variance = (second * variances[i]! + (1 - second) * grads[i]! ** 2) / secondLeft
        const factor = rate / firstLeft / (Math.sqrt(variance) + Math.fround(eps))
        return { step: factor * (kept + added), size: factor * (Math.abs(kept) + Math.abs(added)) }
      }),
    }
  },
  domain: {
    ...sizes,
    step: fc.constantFrom(1, 1, 2, 10),
    lr: fc.constantFrom(1e-3, 0.5),
    beta1: fc.constantFrom(0.9, 0.5),
    beta2: fc.constantFrom(0.999, 0.9),
    eps: fc.constantFrom(1e-8, 0.5),
  },
  // products, sums, a root and divisions, all of float32
  strict: ({ case: { attrs } }) => {
    // powers of the second factor are taken from 1
    const left = 1 - Number(attrs['beta2']) ** Number(attrs['step'])
    return scaled(24 + (4 * Number(attrs['step'])) / left)
  },
  benchmark: {
    ...publicRules,
    note: 'states are 0, so that who ignores them passes; a step is hardly larger than the tolerance',
  },
  cases: casesOf('param', [{ revision: '2026-01', published: [512, 2048], judged: [512, 2048] }]),
})
