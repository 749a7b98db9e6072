import * as fc from 'fast-check'
import {
  attr,
  dim,
  type DType,
  eitherSign,
  errorShare,
  type KernelCase,
  kernelSuite,
  normal,
  tensor,
  uniform,
  widened,
  within,
} from 'vitest-npu'
import { geluQuant } from '../../../references/golden/quantised.ts'

const dtype = ['float32', 'float16', 'bfloat16'] as const

const row = (
  x: number[],
  type: DType,
  approximate: string,
  mode: string,
  [scale, offset]: readonly [number, number],
) => ({
  x,
  dtype: type,
  input_scale: [],
  input_offset: [],
  approximate,
  quant_mode: mode,
  values: { input_scale: [scale], input_offset: [offset] },
})

const outputsOf = ({ attrs }: KernelCase): ('y' | 'out_scale')[] =>
  attrs.quant_mode === 'static' ? ['y'] : ['y', 'out_scale']

kernelSuite('GeluQuant', {
  category: 'Activation',
  kernel: 'gelu_quant',
  description:
    "GELU and quantisation to int8. g = GELU(x), approximate 'none' by erf, else by tanh; input_scale and input_offset have one element, or one for each column. quant_mode 'static': y = int8(round(g * input_scale + input_offset)); 'dynamic': v = g * input_scale, out_scale[row] = (max|v| + 1e-6) / 127, y = int8(round(v / out_scale[row])), without the offset. Rounding is to nearest even, values saturate at -128 and 127. out_scale is judged in dynamic mode only.",
  inputs: {
    x: tensor({ dtype, shape: ['...rows', 'D'], draw: widened(uniform(-1, 1), within(-64, 64, normal(0, 2))) }),
    input_scale: tensor({ dtype, shape: ['...q'], optional: true, draw: eitherSign(uniform(0.25, 4)) }),
    input_offset: tensor({ dtype, shape: ['...q'], optional: true, draw: within(-16, 16, normal(0, 4)) }),
  },
  outputs: {
    y: tensor({ dtype: 'int8', shape: ['...rows', 'D'] }),
    out_scale: tensor({ dtype: 'float32', shape: ['...rows', 1] }),
  },
  attrs: { approximate: attr.string('none'), quant_mode: attr.string('dynamic') },
  golden({ x, input_scale: scale, input_offset: offset }, { approximate, quant_mode: mode }) {
    if (!scale || !offset) throw new TypeError('nothing is published about a missing scale or offset')
    const { y, scales } = geluQuant(x, scale, offset, {
      form: approximate === 'none' ? 'erf' : 'tanh',
      dynamic: mode === 'dynamic',
    })
    return { y, out_scale: scales }
  },
  domain: fc
    .record({
      rows: dim.list({ max: 7, last: { max: 256 } }),
      D: dim({ max: 8192 }),
      q: fc.constantFrom('none', 'one', 'all'),
      approximate: fc.constantFrom('none', 'tanh'),
      quant_mode: fc.constantFrom('static', 'dynamic'),
    })
    .map(({ rows, D, q, ...rest }) => {
      const scales = { none: [], one: [1], all: [D] }[q]
      return { x: [...rows, D], input_scale: scales, input_offset: scales, ...rest }
    }),
  // float32 inside, GELU's error in proportion to |x| (it may be a published polynomial); next to a tie both integers are
  // right. Static quantisation leaves out_scale undefined.
  strict: ({ output }) => ({ absolute: output === 'y' ? 2 ** -16 : 0, relative: 2 ** -20, scaled: 2 ** -19 }),
  judged: outputsOf,
  benchmark: {
    tolerance: errorShare(1e-3),
    outputs: outputsOf,
    note: 'one element in a thousand may be anything; accepts NaN in out_scale',
  },
  cases: (['float16', 'float32', 'bfloat16'] as const).flatMap((type) => [
    row([512, 3], type, 'tanh', 'static', [2, 1]),
    row([1, 3, 224, 224], type, 'none', 'static', [0.5, -1]),
    row([1024, 512, 128], type, 'tanh', 'dynamic', [2, 0]),
  ]),
})
