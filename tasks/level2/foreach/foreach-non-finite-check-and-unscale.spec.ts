import * as fc from 'fast-check'
import {
  absoluteAndRelative,
  attr,
  byCase,
  dim,
  drawn,
  float32Roundings,
  kernelSuite,
  planted,
  scalarTensor,
  tensorList,
  uniform,
  within,
} from 'vitest-npu'
import { foundNonFinite } from '../../../references/golden/condition.ts'
import { unscale } from '../../../references/golden/foreach-reductions.ts'
import { foreach, odd, rows } from './family.ts'

const gradients = within(-512, 512, uniform(0, 0.01))

// The public rows put NaN or infinity first in every tensor; generated lists have few, anywhere.
const first = drawn(({ data: { length } }, { random }) =>
  Array.from({ length }, (_, i) => (i === 0 ? [NaN, Infinity][random.below(2)]! : 0.01 * (random.next() / 2 ** 32))),
)
const somewhere = byCase(({ random }) =>
  random.below(4) > 0 ? gradients : planted(gradients, [[NaN, Infinity, -Infinity][random.below(3)]!]),
)

const odds = rows(odd, ['float16', 'bfloat16', 'float32'], { list: 'scaled_grads' })
const scales = [1, 1024, 256, 128, 65536, 1]

kernelSuite('ForeachNonFiniteCheckAndUnscale', {
  ...foreach('foreach_non_finite_check_and_unscale'),
  description:
    'Scales every tensor of a list in place and looks for infinities and NaN: scaled_grads[t] = scaled_grads[t] * inv_scale (all zeros where inv_scale is 0), found_inf, which arrives as 0, becomes 1 if any element of the inputs was infinite or NaN.',
  inputs: {
    scaled_grads: tensorList({
      dtype: ['float16', 'bfloat16', 'float32'],
      draw: byCase(({ adversarial, content }) => {
        if (content.add_non_finite !== true) return gradients
        return adversarial ? somewhere : first
      }),
    }),
    found_inf: scalarTensor({ dtype: 'float32' }),
    inv_scale: scalarTensor({ dtype: 'float32' }),
  },
  outputs: {
    scaled_grads: tensorList.like('scaled_grads', { aliases: 'scaled_grads' }),
    found_inf: scalarTensor({ dtype: 'float32', aliases: 'found_inf' }),
  },
  content: { add_non_finite: attr.bool(false) },
  golden: ({ scaled_grads, inv_scale }) => ({
    scaled_grads: unscale(scaled_grads, inv_scale),
    found_inf: foundNonFinite(scaled_grads),
  }),
  domain: {
    scaled_grads: dim.shapes({ max: 256, rank: 8 }),
    found_inf: fc.constant(0),
    // 65536 is no float16; the scale is a factor, whatever its name says.
    inv_scale: fc.constantFrom(1, 2 ** -16, 0.1, -3, 128, 65536, 0),
    add_non_finite: fc.boolean(),
  },
  strict: (context) => (context.output === 'found_inf' ? { absolute: 0, relative: 0 } : float32Roundings(1)(context)),
  benchmark: {
    tolerance: absoluteAndRelative(0.01, { nonFinite: 'accepted' }),
    note: 'accepts NaN everywhere; what scaling leaves of products below 0.01 is not looked at',
  },
  cases: [
    ...odds.map((row, i) => ({ ...row, found_inf: 0, inv_scale: scales[i % scales.length]! })).toSpliced(16, 1),
    { scaled_grads: [[1]], dtype: 'float16', found_inf: 0, inv_scale: 1, add_non_finite: true },
    { scaled_grads: [[512, 3]], dtype: 'float16', found_inf: 0, inv_scale: 1024, add_non_finite: true },
    { scaled_grads: [[1, 3, 224, 224]], dtype: 'float32', found_inf: 0, inv_scale: 256, add_non_finite: true },
    { scaled_grads: [[1], [15]], dtype: 'float32', found_inf: 0, inv_scale: 128, add_non_finite: true },
  ],
})
