import { describe, expect, test, vi } from 'vitest'
import { judge } from '../../plugin/compare/index.ts'
import { roundTo } from '../../plugin/compare/round.ts'
import { encode, toFloat64 } from '../../plugin/inputs/index.ts'
import { sizeOf } from '../../plugin/model/index.ts'
import type { DType } from '../../plugin/model/index.ts'
import { npuKernelBench } from '../../plugin/suites/index.ts'
import { tensorsOf, type Attributes, type KernelTask } from '../../plugin/task/index.ts'
import { casesOf } from '../cases-of.ts'
import { loadSpecs } from '../load-specs.ts'
import { perfect, poison } from '../trivial-candidates.ts'
import { erf } from './erf.ts'
import { valuesOf } from './small-tensors.ts'

// Golden results of hundreds of cases, on machines that do other things as well.
vi.setConfig({ testTimeout: 60_000 })

const tasks = new Map((await loadSpecs()).map((task) => [task.interface.name, task]))

type Round = (value: number) => number

/** One input: its numbers and its shape. */
interface Operand {
  values: number[]
  shape: readonly number[]
  dtype: DType
}

/**
 * What an operator does, the way a kernel would write it: `r` rounds a step. Without rounding that is a second formula for
 * golden; with float32 rounding it is a right kernel. Results by output.
 */
type Formula = (r: Round, inputs: Record<string, Operand>, attrs: Attributes) => Record<string, number[]>

const sigmoid = (r: Round, x: number) => r(1 / r(1 + r(Math.exp(-x))))
const silu = (r: Round, x: number) => r(x / r(1 + r(Math.exp(-x))))
const geluErf = (r: Round, x: number) => r(r(x / 2) * r(1 + r(erf(r(x * r(Math.SQRT1_2))))))
const root = Math.sqrt(2 / Math.PI)
const cube = (r: Round, x: number) => r(r(root * r(x + r(r(0.044715) * r(x * r(x * x))))))
const geluTanh = (r: Round, x: number) => r(r(x / 2) * r(1 + r(Math.tanh(cube(r, x)))))
const slopeErf = (r: Round, x: number) =>
  r(r(r(1 + r(erf(r(x * Math.SQRT1_2)))) / 2) + r(x * r(r(Math.exp(r(r(-x * x) / 2))) * r(1 / Math.sqrt(2 * Math.PI)))))
const slopeTanh = (r: Round, x: number) => {
  const t = r(Math.tanh(cube(r, x)))
  const inner = r(root * r(1 + r(r(3 * 0.044715) * r(x * x))))
  return r(r(r(1 + t) / 2) + r(r(x / 2) * r(r(r(1 - t) * r(1 + t)) * inner)))
}

// The indices of a and b for every element of the result of halving a shape along an axis.
function* halves(shape: readonly number[], dim: number): Generator<{ a: number; b: number }> {
  const axis = dim < 0 ? dim + shape.length : dim
  const inner = sizeOf(shape.slice(axis + 1))
  const [outer, extent] = [sizeOf(shape.slice(0, axis)), shape[axis]!]
  for (let i = 0; i < outer; i++) {
    for (let j = 0; j < extent / 2; j++) {
      for (let k = 0; k < inner; k++) {
        const at = (i * extent + j) * inner + k
        yield { a: at, b: at + (extent / 2) * inner }
      }
    }
  }
}

const each = ({ values }: Operand, compute: (value: number, index: number) => number) => values.map(compute)

// Quantisation of rows: fixed, or so that the largest magnitude becomes 127.
function quantised(r: Round, rows: number[][], epsilon: number): { y: number[]; scales: number[] } {
  const scales: number[] = []
  const y = rows.flatMap((row) => {
    const factor = r(127 / r(Math.max(...row.map(Math.abs)) + epsilon))
    scales.push(r(1 / factor))
    return row.map((value) => r(value * factor))
  })
  return { y, scales }
}

const rowsOf = (values: number[], width: number) =>
  Array.from({ length: values.length / width }, (_, row) => values.slice(row * width, (row + 1) * width))

const formulas: Record<string, Formula> = {
  Gelu: (r, { x }) => ({ y: each(x!, (value) => geluErf(r, value)) }),
  Swish: (r, { x }, { scale }) => ({
    y: each(x!, (value) => r(value * sigmoid(r, r(Math.fround(Number(scale)) * value)))),
  }),
  FastGelu: (r, { x }) => ({
    y: each(x!, (value) => {
      const size = Math.abs(value)
      const top = r(value * r(Math.exp(r(r(0.851) * r(value - size)))))
      return r(top / r(1 + r(Math.exp(r(r(-1.702) * size)))))
    }),
  }),
  FastGeluGrad: (r, { dy, x }) => ({
    z: each(x!, (value, i) => {
      const e = r(Math.exp(r(r(-1.702) * Math.abs(value))))
      const p = r(Math.exp(r(r(1.702) * r(value - Math.abs(value)))))
      const below = r(r(1 + e) * r(1 + e))
      return r(dy!.values[i]! * r(r(r(e + r(r(r(1.702) * value) * e)) + p) / below))
    }),
  }),
  GeluGrad: (r, { dy, x }) => ({
    z: each(x!, (value, i) => {
      const square = r(value * value)
      const p = r(Math.exp(r(value * r(r(r(-0.07135481627260025) * square) + r(-2 * root)))))
      const t = r(1 / r(1 + p))
      const product = r(value * r(r(r(0.2140644488178007) * square) + r(2 * root)))
      const slope = r(r(r(p * product) * r(t * t)) + t)
      return r(dy!.values[i]! * (Number.isNaN(slope) ? 0 : slope))
    }),
  }),
  GeGluV2(r, { x }, { dim, approximate, activate_left: left }) {
    const gelu: number[] = []
    const y: number[] = []
    for (const { a, b } of halves(x!.shape, Number(dim))) {
      const [gate, other] = [x!.values[left ? a : b]!, x!.values[left ? b : a]!]
      gelu.push((approximate === 0 ? geluErf : geluTanh)(r, gate))
      y.push(r(gelu.at(-1)! * other))
    }
    return { y, gelu }
  },
  GeGluGradV2(r, { dy, x }, { dim, approximate }) {
    const dx = Array.from(x!.values, () => 0)
    const [gelu, slope] = approximate === 1 ? [geluTanh, slopeTanh] : [geluErf, slopeErf]
    for (const [i, { a, b }] of [...halves(x!.shape, Number(dim))].entries()) {
      dx[a] = r(r(dy!.values[i]! * x!.values[b]!) * slope(r, x!.values[a]!))
      dx[b] = r(dy!.values[i]! * gelu(r, x!.values[a]!))
    }
    return { dx }
  },
  SwiGlu: (r, { x }, { dim }) => ({
    y: [...halves(x!.shape, Number(dim))].map(({ a, b }) => r(silu(r, x!.values[a]!) * x!.values[b]!)),
  }),
  SwiGluGrad(r, { y_grad: dy, x }, { dim }) {
    const dx = Array.from(x!.values, () => 0)
    for (const [i, { a, b }] of [...halves(x!.shape, Number(dim))].entries()) {
      const [value, other] = [x!.values[a]!, x!.values[b]!]
      const s = sigmoid(r, value)
      dx[a] = r(r(dy!.values[i]! * other) * r(s * r(1 + r(value * r(1 - s)))))
      dx[b] = r(r(dy!.values[i]! * value) * s)
    }
    return { x_grad: dx }
  },
  MulSigmoid: (r, { x1, x2 }, { t1, t2, t3 }) => ({
    out: each(x1!, (value, i) => {
      const s = sigmoid(r, r(value * r(Number(t1))))
      return r(r((s < Number(t2) ? s : 2 * s) * x2!.values[i % x2!.values.length]!) * r(Number(t3)))
    }),
  }),
  InplaceAttnSoftmax: (r, { x }) => ({
    x: rowsOf(x!.values, x!.shape.at(-1)!).flatMap((row) => {
      const largest = Math.max(...row)
      const powers = row.map((value) => r(Math.exp(r(value - largest))))
      const sum = powers.reduce((total, power) => r(total + power), 0)
      return powers.map((power) => r(power / sum))
    }),
  }),
  InplaceFusedMatmulSoftmaxGrad(r, { softmaxOutput: s, gradOutput, values }) {
    const [m = 1, n = 1] = s!.shape.slice(-2)
    const d = gradOutput!.shape.at(-1)!
    const out = rowsOf(s!.values, n).flatMap((row, line) => {
      const batch = Math.floor(line / m)
      const g = row.map((_, j) => {
        let sum = 0
        for (let k = 0; k < d; k++) {
          sum = r(sum + r(gradOutput!.values[line * d + k]! * values!.values[(batch * n + j) * d + k]!))
        }
        return sum
      })
      const total = row.reduce((sum, share, j) => r(sum + r(share * g[j]!)), 0)
      return row.map((share, j) => r(share * r(g[j]! - total)))
    })
    return { softmaxOutput: out }
  },
  GeluQuant(r, { x, input_scale: scale, input_offset: offset }, { approximate, quant_mode: mode }) {
    const width = x!.shape.at(-1)!
    const at = ({ values }: Operand, i: number) => values[values.length === 1 ? 0 : i % width]!
    const gelu = approximate === 'none' ? geluErf : geluTanh
    const scaled = each(x!, (value, i) => r(gelu(r, value) * at(scale!, i)))
    if (mode === 'static') return { y: scaled.map((value, i) => r(value + at(offset!, i))) }
    const { y, scales } = quantised(r, rowsOf(scaled, width), 1e-6)
    return { y, out_scale: scales }
  },
  DequantSwigluQuant(r, inputs, { activate_left: left, quant_mode: mode }) {
    const { x, weight_scale: weights, activation_scale: activations, bias, group_index: counts } = inputs
    const [rows = 1, width = 1] = x!.shape
    const groups = counts ? counts.values.flatMap((count, group) => Array.from({ length: count }, () => group)) : []
    const results = rowsOf(x!.values, width).map((row, i) => {
      const group = counts ? groups[i] : 0
      // behind the last group
      if (group === undefined) return Array.from({ length: width / 2 }, () => 0)
      const line = row.map((value, j) => {
        if (x!.dtype !== 'int32') return value
        const weighted = r(r(value + (bias?.values[j] ?? 0)) * (weights?.values[group * width + j] ?? 1))
        return activations ? r(weighted * activations.values[i]!) : weighted
      })
      const half = width / 2
      return Array.from({ length: half }, (_, j) => {
        const [gate, other] = left ? [line[j]!, line[half + j]!] : [line[half + j]!, line[j]!]
        const product = r(silu(r, gate) * other)
        const factor = inputs.quant_scale!.values[group * half + j]!
        if (mode === 'dynamic') return r(product * factor)
        return r(r(product / factor) + (inputs.quant_offset?.values[group * half + j] ?? 0))
      })
    })
    expect(results).toHaveLength(rows)
    if (mode === 'static') return { y: results.flat() }
    const { y, scales } = quantised(r, results, 0)
    return { y: y.map((value) => (Number.isNaN(value) ? 0 : value)), scale: scales }
  },
}

const clamp = (value: number) => Math.min(127, Math.max(-128, value))

test('every activation has a second formula', () => {
  const all = [...tasks.values()].filter(
    ({ interface: { suite, category } }) => suite === npuKernelBench.name && category === 'Activation',
  )
  expect(all.map((task) => task.interface.name).toSorted()).toEqual(Object.keys(formulas).toSorted())
})

function operandsOf(task: KernelTask, inputs: ReturnType<KernelTask['draw']>): Record<string, Operand> {
  const present = task.interface.inputs.flatMap(({ name }) =>
    tensorsOf(inputs[name]).map((tensor) => ({ name, tensor })),
  )
  return Object.fromEntries(
    present.map(({ name, tensor: { dtype, shape, ...rest } }): [string, Operand] => [
      name,
      { values: [...toFloat64({ dtype, shape, ...rest })], shape, dtype },
    ]),
  )
}

describe.each(Object.entries(formulas).map(([name, formula]) => ({ name, formula })))('$name', ({ name, formula }) => {
  const task = tasks.get(name)!
  const cases = casesOf(task, 40, 2 ** 12)

  test('golden agrees with the formula', () => {
    for (const kernelCase of cases) {
      const inputs = task.draw(kernelCase)
      const golden = task.golden(inputs, kernelCase)
      const results = formula((value) => value, operandsOf(task, inputs), kernelCase.attrs)
      for (const [output, expected] of Object.entries(results)) {
        const whole = task.interface.outputs.find((one) => one.name === output)!.dtypes[0] === 'int8'
        const values = valuesOf([golden[output]!].flat()[0]!)
        expect(values).toHaveLength(expected.length)
        for (const [i, value] of values.entries()) {
          const wanted = whole ? clamp(expected[i]!) : expected[i]!
          // Quanta of a row of which GELU left next to nothing are uncertain in the formula.
          const limit = (whole ? 1e-6 : 1e-9) * Math.max(1, Math.abs(wanted))
          expect(Math.abs(value - wanted), `${output} ${i}: ${value} for ${wanted}`).toBeLessThan(limit)
        }
      }
    }
  })

  test('a kernel that computes the formula in float32 is right', () => {
    for (const kernelCase of cases) {
      const inputs = task.draw(kernelCase)
      const golden = task.golden(inputs, kernelCase)
      const actual = perfect(kernelCase, golden)
      const results = formula(Math.fround, operandsOf(task, inputs), kernelCase.attrs)
      for (const [output, values] of Object.entries(results)) {
        const target = tensorsOf(actual[output])[0]!
        encode(Float64Array.from(target.dtype === 'int8' ? values.map(clamp) : values), target)
      }
      expect(judge(task, kernelCase, golden, actual, poison).strict.kind, JSON.stringify(kernelCase)).toBe('correct')
    }
  })

  test('a kernel one part in 32 off is wrong', () => {
    const kinds = new Set<string>()
    for (const kernelCase of cases) {
      const golden = task.golden(task.draw(kernelCase), kernelCase)
      const actual = perfect(kernelCase, golden)
      const target = tensorsOf(actual[task.interface.outputs[0]!.name])[0]!
      const off = (value: number) =>
        target.dtype === 'int8' ? clamp(value + 2) - Number(value >= 126) * 4 : value * 1.03125
      encode(toFloat64(target).map(off), target)
      kinds.add(judge(task, kernelCase, golden, actual, poison).strict.kind)
    }
    expect(kinds).toContain('wrong-value')
  })
})

test.each(['Swish', 'FastGelu', 'FastGeluGrad', 'MulSigmoid'])('%s may be computed in float16 steps', (name) => {
  const task = tasks.get(name)!
  for (const kernelCase of casesOf(task, 60, 2 ** 12)) {
    const inputs = task.draw(kernelCase)
    if (tensorsOf(Object.values(inputs)[0])[0]!.dtype !== 'float16') continue
    const golden = task.golden(inputs, kernelCase)
    const actual = perfect(kernelCase, golden)
    const results = formulas[name]!((value) => roundTo('float16', value), operandsOf(task, inputs), kernelCase.attrs)
    for (const [output, values] of Object.entries(results)) {
      encode(Float64Array.from(values), tensorsOf(actual[output])[0]!)
    }
    expect(judge(task, kernelCase, golden, actual, poison).strict.kind, JSON.stringify(kernelCase)).toBe('correct')
  }
})
