import * as fc from 'fast-check'
import { attr, kernelSuite, normal, tensor, uniform, widened, within } from 'vitest-npu'
import { geGlu, geGluGrad, geGluGradInSteps } from '../../../references/golden/gated.ts'
import { computed, halvable, withRoundings } from './family.ts'

const dtype = ['float16', 'bfloat16', 'float32'] as const
const formOf = (approximate: number) => (approximate === 1 ? 'tanh' : 'erf')

// The public rows give dy; x is twice as long along dim.
const row = (dy: number[], type: (typeof dtype)[number], dim: number, approximate: number) => ({
  dy,
  x: dy.with(dim, 2 * dy.at(dim)!),
  dtype: type,
  dim,
  approximate,
  activate_left: true,
})

kernelSuite('GeGluGradV2', {
  category: 'Activation',
  kernel: 'ge_glu_grad_v2',
  description:
    "Gradient of GeGLU. x is cut into halves a and b along dim (activate_left is true: gelu applies to a; `gelu` holds gelu(a)). dx has the shape of x: its first half is dy * b * gelu'(a), its second dy * gelu(a). approximate 1: tanh form, gelu(t) = 0.5 t (1 + tanh(sqrt(2 / pi) (t + 0.044715 t^3))); else gelu(t) = 0.5 t (1 + erf(t / sqrt(2))).",
  inputs: {
    dy: tensor({ dtype, shape: ['...half'], draw: widened(uniform(0, 1), within(-64, 64, normal())) }),
    x: tensor({ dtype, shape: ['...shape'], draw: widened(uniform(0, 1), within(-128, 128, normal(0, 2))) }),
    // gelu of the first half, as the forward operator left it: rounded to the dtype.
    gelu: tensor({
      dtype,
      shape: ['...half'],
      draw: computed((x, attrs) => {
        const form = formOf(Number(attrs.approximate))
        return geGlu(x, { dim: Number(attrs.dim), form, left: true }).gelu
      }),
    }),
  },
  outputs: { dx: tensor({ dtype, shape: ['...shape'] }) },
  attrs: { dim: attr.int(-1), approximate: attr.int(1), activate_left: attr.bool(false) },
  golden: ({ dy, x }, { dim, approximate }) => ({ dx: geGluGrad(dy, x, dim, formOf(approximate)) }),
  // Only activate_left = true: what is published ignores the attribute, and the two readings agree here.
  domain: fc
    .record({ parts: halvable, approximate: fc.constantFrom(0, 1), activate_left: fc.constant(true) })
    .map(({ parts: { shape, half, axis }, ...rest }) => ({ x: shape, dy: half, dim: axis, ...rest })),
  // float32 inside; 16-bit types may use the rounded gelu and round each factor, as the reference does.
  strict: (context) =>
    withRoundings(context.dtype, 2, {
      absolute: context.dtype === 'float16' ? 2 ** -18 : 2 ** -110,
      relative: 2 ** -22,
      scaled: 2 ** -20,
    }),
  benchmark: {
    reference: ({ dy, x }, { dim, approximate }) => ({ dx: geGluGradInSteps(dy, x, dim, formOf(approximate)) }),
    note: 'no bfloat16 row; no input is ever negative; activate_left is ignored',
  },
  cases: [
    row([128, 512], 'float16', -1, 0),
    row([64, 1024], 'float16', 1, 0),
    row([32, 768], 'float32', -1, 1),
    row([1, 4096], 'float16', 0, 0),
    row([256, 384], 'float32', -1, 1),
  ],
})
