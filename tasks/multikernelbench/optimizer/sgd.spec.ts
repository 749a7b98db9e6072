import * as fc from 'fast-check'
import { attr, kernelSuite, toFloat64 } from 'vitest-npu'
import { update } from '../../../references/golden/update.ts'
import { casesOf, publicRules, scaled } from '../family.ts'
import { gradient, momentum, parameter, sizes, updated } from './steps.ts'

kernelSuite('SgdCustom', {
  category: 'Optimizer',
  kernel: 'sgd_custom',
  description: 'One step of gradient descent with momentum: s = momentum * velocity + grad, y = param - lr * s.',
  inputs: { param: parameter, grad: gradient, velocity: momentum },
  outputs: updated,
  attrs: { momentum: attr.float(0.9), lr: attr.float(1e-2) },
  golden({ param, grad, velocity }, { momentum: kept, lr }) {
    const [grads, velocities] = [toFloat64(grad), toFloat64(velocity)]
    const [share, rate] = [Math.fround(kept), Math.fround(lr)]
    return {
      y: update(param, (i) => {
        const moved = share * velocities[i]!
        return { step: rate * (moved + grads[i]!), size: rate * (Math.abs(moved) + Math.abs(grads[i]!)) }
      }),
    }
  },
  domain: { ...sizes, momentum: fc.constantFrom(0.9, 0.5), lr: fc.constantFrom(1e-2, 0.5) },
  // two products, a sum and a difference, all of float32
  strict: () => scaled(6),
  benchmark: {
    ...publicRules,
    note: 'states are 0, so that who ignores them passes; a step is hardly larger than the tolerance',
  },
  cases: casesOf('param', [{ revision: '2026-01', published: [1024, 4096], judged: [1024, 4096] }]),
})
