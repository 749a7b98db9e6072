import * as fc from 'fast-check'
import { attr, exact, kernelSuite } from 'vitest-npu'
import { mapEach } from '../../../references/golden/elementwise.ts'
import { activationShapes, casesOf, matrices, matrix, note, publicRules, sameShape } from '../family.ts'

kernelSuite('HardtanhCustom', {
  category: 'Activation',
  kernel: 'hardtanh_custom',
  description: 'Every element clamped: y = min(max(x, min_val), max_val).',
  inputs: matrix,
  outputs: sameShape,
  attrs: { min_val: attr.float(-1), max_val: attr.float(1) },
  golden: ({ x }, { min_val, max_val }) => ({
    y: mapEach(x, (v) => Math.min(Math.max(v, Math.fround(min_val)), Math.fround(max_val))),
  }),
  domain: { ...matrices, min_val: fc.constantFrom(-1, -1, -0.25), max_val: fc.constantFrom(1, 1, 6) },
  // nothing is rounded
  strict: exact,
  benchmark: { ...publicRules, note },
  cases: casesOf('x', activationShapes),
})
