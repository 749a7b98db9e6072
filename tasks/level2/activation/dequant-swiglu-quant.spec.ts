import * as fc from 'fast-check'
import { attr, byDtype, dim, drawn, kernelSuite, normal, randint, tensor, uniform, widened, within } from 'vitest-npu'
import { dequantSwigluQuant } from '../../../references/golden/quantised.ts'

// int32 rows are published as rounded-down fractions, that is zeros; whole numbers stand for what was meant.
const content = byDtype(widened(uniform(0, 1), within(-64, 64, normal(0, 2))), {
  int32: widened(randint(-100, 99), within(-(2 ** 20), 2 ** 20, randint(-1000, 1000))),
})
// With whole numbers of thousands these bring results back to where silu bends.
const scale = widened(uniform(0, 1), uniform(2 ** -10, 2 ** -7))
const quanta = widened(uniform(0, 1), uniform(0.0625, 2))

// How many rows belong to each group: differences of sorted random ends, the last one at the end.
const counts = drawn(({ shape }, { random, shapes, adversarial }) => {
  const all = shapes.x![0]![0]!
  const rows = adversarial && random.below(2) === 0 ? random.below(all + 1) : all
  const ends = [...Array.from({ length: shape[0]! - 1 }, () => random.below(rows + 1)), rows].toSorted((a, b) => a - b)
  return ends.map((end, i) => end - (ends[i - 1] ?? 0))
})

const [bfloat16, float16, int32] = [0, 1, 5]
const nothing = { weight_scale: null, activation_scale: null, bias: null, group_index: null }

// A public row: what is absent is null; G is 1 without groups.
const row = (
  x: [number, number],
  dtype: number,
  left: boolean,
  mode: 'static' | 'dynamic',
  absent: object = nothing,
) => ({
  x,
  K: x[1] / 2,
  G: 1,
  dtype,
  activate_left: left,
  quant_mode: mode,
  ...(mode === 'dynamic' && { quant_offset: null }),
  ...absent,
})
const grouped = (G: number) => ({ G, bias: null })
const unbiased = { bias: null, group_index: null }
const ungrouped = { group_index: null }
const unactivated = { activation_scale: null, group_index: null }

const halves = [bfloat16, float16]
  .toReversed()
  .flatMap((dtype) => [
    row([128, 512], dtype, false, 'static'),
    row([64, 1024], dtype, true, 'static'),
    row([32, 768], dtype, false, 'dynamic'),
    row([1, 4096], dtype, true, 'dynamic'),
    row([256, 384], dtype, false, 'static'),
  ])

kernelSuite('DequantSwigluQuant', {
  category: 'Activation',
  kernel: 'dequant_swiglu_quant',
  description:
    "SwiGLU on rows that are dequantised before and quantised to int8 after. For int32 x: d = (x + bias) * weight_scale[group] * activation_scale[row], absent factors being 1 and an absent bias 0; for float x: d = x. d is cut into halves a (first K columns) and b. With activate_left u = silu(a) * b, else u = silu(b) * a, where silu(t) = t / (1 + exp(-t)). quant_mode 'static': y = int8(round(u / quant_scale + quant_offset)) and scale is not judged; 'dynamic': v = u * quant_scale, scale[row] = max|v| / 127, y = int8(round(v / scale[row])). Values saturate at -128 and 127, rounding is to nearest even. group_index says how many consecutive rows belong to each group; rows beyond the last group give 0; without it there is one group.",
  inputs: {
    x: tensor({
      dtype: ['bfloat16', 'float16', 'int32', 'int32', 'int32', 'int32', 'int32'],
      shape: ['N', 'H'],
      draw: content,
    }),
    weight_scale: tensor({ dtype: 'float32', shape: ['G', 'H'], optional: true, draw: scale }),
    activation_scale: tensor({
      dtype: 'float32',
      shape: ['N', 1],
      optional: true,
      draw: widened(uniform(0, 1), uniform(0.25, 1)),
    }),
    bias: tensor({
      dtype: ['float32', 'float32', 'float16', 'bfloat16', 'float32', 'int32', 'float32'],
      shape: ['H'],
      optional: true,
      draw: byDtype(widened(uniform(0, 1), within(-1000, 1000, normal(0, 100))), { int32: randint(-100, 99) }),
    }),
    quant_scale: tensor({
      dtype: ['float32', 'float32', 'float32', 'float32', 'float32', 'float32', 'float16'],
      shape: ['G', 'K'],
      optional: true,
      draw: quanta,
    }),
    quant_offset: tensor({
      dtype: 'float32',
      shape: ['G', 'K'],
      optional: true,
      draw: widened(uniform(0, 1), within(-128, 127, normal(0, 40))),
    }),
    group_index: tensor({
      dtype: ['int32', 'int32', 'int32', 'int32', 'int32', 'int32', 'int64'],
      shape: ['G'],
      optional: true,
      draw: counts,
    }),
  },
  outputs: {
    y: tensor({ dtype: 'int8', shape: ['N', 'K'] }),
    scale: tensor({ dtype: 'float32', shape: ['N'] }),
  },
  attrs: { activate_left: attr.bool(false), quant_mode: attr.string('static') },
  golden(inputs, { activate_left: left, quant_mode: mode }) {
    const { x, weight_scale: weightScale, activation_scale: activationScale, bias, group_index: groups } = inputs
    const { quant_scale: quantScale, quant_offset: quantOffset } = inputs
    if (!quantScale) throw new TypeError('nothing is published about a missing quant_scale')
    const { y, scales } = dequantSwigluQuant(
      { x, weightScale, activationScale, bias, quantScale, quantOffset, groups },
      { left, dynamic: mode === 'dynamic' },
    )
    return { y, scale: scales }
  },
  domain: fc
    .record({
      N: dim({ max: 256 }),
      K: dim({ max: 2048, near: [192, 256, 512] }),
      G: dim({ max: 32 }),
      dtype: fc.nat({ max: 6 }),
      present: fc.record({
        activation: fc.boolean(),
        bias: fc.boolean(),
        groups: fc.boolean(),
        offset: fc.boolean(),
      }),
      activate_left: fc.boolean(),
      quant_mode: fc.constantFrom('static', 'dynamic'),
    })
    .map(({ N, K, G, present, ...rest }) => ({
      x: [N, 2 * K],
      K,
      G: present.groups ? G : 1,
      ...rest,
      ...(rest.dtype < int32 - 3 && { weight_scale: null }),
      ...((rest.dtype < int32 - 3 || !present.activation) && { activation_scale: null }),
      ...(!present.bias && { bias: null }),
      ...((rest.quant_mode === 'dynamic' || !present.offset) && { quant_offset: null }),
      ...(!present.groups && { group_index: null }),
    })),
  // float32 throughout; next to a tie both integers are right. Static quantisation leaves scale undefined.
  strict: ({ output }) => ({ absolute: output === 'y' ? 2 ** -16 : 2 ** -126, relative: 2 ** -21, scaled: 2 ** -21 }),
  judged: ({ attrs }) => (attrs.quant_mode === 'static' ? ['y'] : ['y', 'scale']),
  benchmark: {
    outputs: ['y'],
    note: 'never looks at scale; its int32 rows are all zeros; one unit is an error even where evaluation decides a tie',
  },
  cases: [
    ...halves,
    row([128, 512], int32, false, 'static', unactivated),
    row([64, 1024], int32, true, 'static', ungrouped),
    row([32, 768], int32, false, 'dynamic', unactivated),
    row([1, 4096], int32, true, 'dynamic', ungrouped),
    row([256, 384], int32, false, 'static', unbiased),
    row([128, 512], int32, false, 'dynamic', grouped(3)),
    row([64, 1024], int32, true, 'dynamic', grouped(41)),
    row([32, 768], int32, false, 'dynamic', grouped(26)),
    row([256, 384], int32, false, 'dynamic', grouped(229)),
  ],
})
