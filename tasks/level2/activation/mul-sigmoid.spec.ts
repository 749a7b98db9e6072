import * as fc from 'fast-check'
import {
  absoluteAndRelative,
  attr,
  dim,
  drawn,
  kernelSuite,
  normal,
  tensor,
  uniform,
  widened,
  within,
} from 'vitest-npu'
import { mulSigmoid } from '../../../references/golden/activation.ts'

// Results jump where the sigmoid crosses t2: what comes near goes to 0, whose sigmoid is 1/2. Exponentials of more than 10
// overflow float16.
const clear = drawn(({ data: { length } }, { random, attrs }) =>
  Array.from({ length }, () => {
    const x = 20 * (random.next() / 2 ** 32) - 10
    const gate = 1 / (1 + Math.exp(-x * Number(attrs.t1)))
    return Math.abs(gate - Number(attrs.t2)) < 0.02 ? 0 : x
  }),
)

kernelSuite('MulSigmoid', {
  category: 'Activation',
  kernel: 'mul_sigmoid',
  description:
    'Gate with a threshold: s = sigmoid(t1 * x1), g = s where s < t2, else 2 * s; out = g * x2 * t3. x1 is [R, C], x2 is [1, ...] with C elements and is shared by all rows; out has R rows of the shape of x2.',
  inputs: {
    x1: tensor({ dtype: 'float16', shape: ['R', 'C'], draw: widened(uniform(0, 1), clear) }),
    x2: tensor({
      dtype: 'float16',
      shape: [1, '...shape'],
      draw: widened(uniform(0, 1), within(-64, 64, normal())),
    }),
  },
  outputs: { out: tensor({ dtype: 'float16', shape: ['R', '...shape'] }) },
  attrs: { t1: attr.float(), t2: attr.float(), t3: attr.float() },
  golden: ({ x1, x2 }, { t1, t2, t3 }) => ({ out: mulSigmoid(x1, x2, [t1, t2, t3]) }),
  domain: fc
    .record({
      R: dim({ max: 64 }),
      shape: fc.tuple(dim({ max: 64 }), dim({ max: 512 })),
      t1: fc.constantFrom(0.5, 1, -0.75, 0.3),
      t2: fc.constantFrom(0.1, 0.25, 0.4, 0.7, 0.9),
      t3: fc.constantFrom(0.5, 1, -2, 0.85),
    })
    .map(({ R, shape, ...thresholds }) => ({ x1: [R, shape[0] * shape[1]], x2: [1, ...shape], ...thresholds })),
  // float16 may round every step, as the reference does: exponent, sigmoid and both products.
  strict: () => ({ absolute: 2 ** -16, relative: 0, scaled: 2 ** -11 }),
  benchmark: { tolerance: absoluteAndRelative(0.003), note: 'x1 is never negative, so every sigmoid is doubled' },
  cases: [
    { x1: [25, 32768], x2: [1, 256, 128], t1: 0.3, t2: 0.1, t3: 0.8 },
    { x1: [16, 8192], x2: [1, 64, 128], t1: 0.5, t2: 0.2, t3: 0.6 },
    { x1: [32, 16384], x2: [1, 128, 128], t1: 0.4, t2: 0.15, t3: 0.9 },
    { x1: [10, 256], x2: [1, 2, 128], t1: 0.2, t2: 0.05, t3: 0.7 },
    { x1: [40, 4096], x2: [1, 32, 128], t1: 0.6, t2: 0.25, t3: 0.5 },
    { x1: [20, 8192], x2: [1, 32, 256], t1: 0.35, t2: 0.12, t3: 0.85 },
  ],
})
