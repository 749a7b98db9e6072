/* oxlint-disable unicorn/consistent-function-scoping -- each kernel stands beside the promise that needs it */
import { describe, expect, test, vi } from 'vitest'
import { judge } from '../plugin/compare/index.ts'
import { roundTo } from '../plugin/compare/round.ts'
import { encode, toFloat64 } from '../plugin/inputs/index.ts'
import { specsOf, tensorsOf } from '../plugin/task/index.ts'
import { casesOf } from './cases-of.ts'
import { half, partOf, single, verdictsOf, type Kernel } from './kernel-models.ts'
import { loadSpecs } from './load-specs.ts'
import { perfect, poison } from './trivial-candidates.ts'

vi.setConfig({ testTimeout: 60_000 })

const tasks = new Map((await loadSpecs()).map((task) => [task.interface.name, task]))
const verdicts = (name: string, output: string, kernel: Kernel, only?: (dtype: string) => boolean) =>
  verdictsOf(tasks.get(name)!, output, kernel, only)
const right = ['correct']
const wrong = expect.arrayContaining(['wrong-value'])
const is = (wanted: string) => (dtype: string) => dtype === wanted

// A kernel may round where the public reference does, as far as Atlas A2 has instructions of the dtype.
test.each([
  ['Addcdiv', ['float16', 'float32']],
  ['Addcmul', ['float16', 'float32']],
  ['Cross', ['float16', 'float32']],
  ['MulSigmoidMulAddCustom', ['float16', 'float32']],
  ['SelectReduceMaxDSubExpReduceSumDRealDiv', ['float16', 'float32']],
  ['AddSigmoidMulReduceSumD', ['float16']],
  ['MulMulReduceMeanDTwice', ['float16', 'float32']],
  // In float32 the reference's float64 attributes show: the device has float32 ones.
  ['ApplyAdamWV2', ['float16', 'bfloat16']],
])('%s accepts the steps of its public reference in %j', (name, dtypes) => {
  const task = tasks.get(name)!
  let count = 0
  for (const kernelCase of casesOf(task, 80, 2 ** 13)) {
    const [first] = specsOf(Object.values(kernelCase.outputs)[0])
    if (!dtypes.includes(first!.dtype)) continue
    const inputs = task.draw(kernelCase)
    const golden = task.golden(inputs, kernelCase)
    const steps = { ...golden, ...task.reference!(inputs, kernelCase) }
    const judgement = judge(task, kernelCase, golden, perfect(kernelCase, steps), poison)
    expect(judgement, JSON.stringify(kernelCase)).toMatchObject({ strict: { kind: 'correct' } })
    count++
  }
  expect(count).toBeGreaterThan(10)
})

// Generated cases are held to the steps of a vendor, which are steps of the terms where these cancel.
test.each<[string, (x: number, round: (value: number) => number) => number]>([
  ['ForeachExpm1', (x, round) => round(round(Math.exp(x)) - 1)],
  ['ForeachSinh', (x, round) => round(round(round(Math.exp(x)) - round(Math.exp(-x))) / 2)],
])('%s of generated cases may be computed in float16, and in nothing coarser', (name, formula) => {
  const task = tasks.get(name)!
  const answers = { half: new Set<string>(), coarser: new Set<string>() }
  for (const kernelCase of casesOf(task, 80, 2 ** 13).filter((one) => one.name === 'generated')) {
    const inputs = task.draw(kernelCase)
    const golden = task.golden(inputs, kernelCase)
    const actual = perfect(kernelCase, golden)
    const tensors = tensorsOf(actual['y'])
    if (tensors[0]?.dtype !== 'float16') continue
    for (const [step, round] of [
      ['half', half],
      ['coarser', (value: number) => roundTo('bfloat16', value)],
    ] as const) {
      for (const [index, tensor] of tensors.entries())
        encode(
          toFloat64(partOf(inputs['x']!, index)).map((x) => formula(x, round)),
          tensor,
        )
      answers[step].add(judge(task, kernelCase, golden, actual, poison).standard.kind)
    }
  }
  expect([...answers.half]).toEqual(['correct'])
  expect([...answers.coarser]).toContain('wrong-value')
})

describe('losses', () => {
  const square =
    (round: (value: number) => number): Kernel =>
    ({ predict, label }, { reduction }) => {
      const squares = [...predict!].map((value, i) => round(round(value - label![i]!) ** 2))
      if (reduction === 'none') return squares
      const sum = squares.reduce((total, value) => single(total + value), 0)
      return [reduction === 'mean' ? sum / squares.length : sum]
    }

  test('MseLoss: squares of the dtype, sums of float32', () => {
    expect(verdicts('MseLoss', 'y', square(single))).toEqual(right)
    expect(verdicts('MseLoss', 'y', square(half), is('float16'))).toEqual(right)
    expect(verdicts('MseLoss', 'y', square(half), is('float32'))).toEqual(wrong)
    const sums: Kernel = (inputs, attrs, ...rest) =>
      square(single)(inputs, { ...attrs, reduction: attrs.reduction === 'mean' ? 'sum' : attrs.reduction! }, ...rest)
    expect(verdicts('MseLoss', 'y', sums)).toEqual(expect.arrayContaining(['wrong-value']))
  })

  test('MseLossGradV2: float32 steps, the count in the mean', () => {
    const slope =
      (round: (value: number) => number, counts: boolean): Kernel =>
      ({ predict, label, dout }, { reduction }) => {
        const factor = single(reduction === 'mean' && counts ? 2 / predict!.length : 2)
        return [...predict!].map((value, i) => round(round(round(value - label![i]!) * factor) * dout![i]!))
      }
    expect(verdicts('MseLossGradV2', 'y', slope(single, true))).toEqual(right)
    expect(verdicts('MseLossGradV2', 'y', slope(half, true), is('float16'))).not.toEqual(right)
    expect(verdicts('MseLossGradV2', 'y', slope(single, false))).toEqual(wrong)
  })

  const rowsOf = (values: Float64Array, classes: number) =>
    Array.from({ length: values.length / classes }, (_, n) => values.subarray(n * classes, (n + 1) * classes))

  test('CrossEntropyLoss: float32 throughout; weights, ignored samples and smoothing count', () => {
    const logarithms = (x: Float64Array, classes: number) =>
      rowsOf(x, classes).map((row) => {
        const most = row.reduce((largest, value) => Math.max(largest, value), -Infinity)
        const sum = row.reduce((total, value) => single(total + single(Math.exp(single(value - most)))), 0)
        const logarithm = single(Math.log(sum))
        return Array.from(row, (value) => single(single(value - most) - logarithm))
      })
    const loss =
      (ignoring: boolean, smoothing: boolean): Kernel =>
      ({ input, target, weight }, attrs, shapes) => {
        const classes = shapes.input![1]!
        const table = logarithms(input!, classes)
        const weights = weight ?? new Float64Array(classes).fill(1)
        const share = smoothing ? single(Number(attrs.label_smoothing)) : 0
        const kept: number[] = Array.from(target!, (label) =>
          ignoring && Number(attrs.ignore_index) >= 0 && label === attrs.ignore_index ? 0 : 1,
        )
        const terms = table.map((row, n) => {
          const own = single(-row[target![n]!]! * weights[target![n]!]!) * kept[n]!
          const all = row.reduce((sum, value, c) => single(sum - single(value * weights[c]!)), 0) * kept[n]!
          return single(single((1 - share) * own) + single((share / classes) * all))
        })
        if (attrs.reduction === 'none') return terms
        const sum = terms.reduce((total, term) => single(total + term), 0)
        const total = kept.reduce((all, one, n) => single(all + one * weights[target![n]!]!), 0)
        return [attrs.reduction === 'mean' ? single(sum / single(total + 1e-12)) : sum]
      }
    expect(verdicts('CrossEntropyLoss', 'loss', loss(true, true))).toEqual(right)
    expect(verdicts('CrossEntropyLoss', 'loss', loss(false, true))).not.toEqual(right)
    expect(verdicts('CrossEntropyLoss', 'loss', loss(true, false))).not.toEqual(right)
    const table: Kernel = ({ input }, _, shapes) => logarithms(input!, shapes.input![1]!).flat()
    expect(verdicts('CrossEntropyLoss', 'log_prob', table)).toEqual(right)
    expect(verdicts('CrossEntropyLoss', 'log_prob', (...all) => table(...all).map(half), is('float32'))).toEqual(wrong)
  })

  test('CrossEntropyLossGrad: probabilities less one at the class, times the share of the sample', () => {
    const gradient =
      (weighted: boolean): Kernel =>
      ({ grad_loss: upstream, log_prob: table, target, weight }, attrs, shapes) => {
        const classes = shapes.log_prob![1]!
        const weights = weight ?? new Float64Array(classes).fill(1)
        const kept: number[] = Array.from(target!, (label) =>
          Number(attrs.ignore_index) >= 0 && label === attrs.ignore_index ? 0 : 1,
        )
        const total = kept.reduce((all, one, n) => single(all + one * weights[target![n]!]!), 0)
        const share = attrs.reduction === 'mean' ? single(1 / single(total + 1e-12)) : 1
        return rowsOf(table!, classes).flatMap((row, n) => {
          const outer = attrs.reduction === 'none' ? upstream![n]! : upstream![0]!
          const own = weighted ? weights[target![n]!]! : 1
          const factor = single(single(outer * share) * own) * kept[n]!
          return Array.from(row, (value, c) => {
            const product = single(single(Math.exp(value)) * factor)
            return c === target![n]! ? single(product - factor) : product
          })
        })
      }
    expect(verdicts('CrossEntropyLossGrad', 'x_grad', gradient(true))).toEqual(right)
    expect(verdicts('CrossEntropyLossGrad', 'x_grad', gradient(false))).not.toEqual(right)
  })
})

describe('fused operators', () => {
  test('both scalars of MulMulReduceMeanDTwice count, and the mean is taken off', () => {
    const normalise =
      (scaled: boolean, centred: boolean): Kernel =>
      ({ mul0_input0: x, mul0_input1: y, mul1_input0: factor, add_y: epsilon, gamma, beta }, _, shapes) => {
        const columns = shapes.mul0_input0![1]!
        const products = [...x!].map((value, i) => single(single(value * y![i]!) * (scaled ? factor![0]! : 1)))
        const mean = (row: number) => {
          const values = products.slice(row * columns, (row + 1) * columns)
          const average = values.reduce((sum, value) => single(sum + value), 0) / columns
          const square = values.reduce((sum, value) => single(sum + single(value - average) ** 2), 0) / columns
          return { average, deviation: single(Math.sqrt(single(square + epsilon![0]!))) }
        }
        const rows = Array.from({ length: products.length / columns }, (_, row) => mean(row))
        return products.map((value, i) => {
          const { average, deviation } = rows[Math.floor(i / columns)]!
          const share = single(gamma![i % columns]! / deviation)
          return single(single(beta![i % columns]! - (centred ? single(share * average) : 0)) + single(share * value))
        })
      }
    expect(verdicts('MulMulReduceMeanDTwice', 'output', normalise(true, true))).toEqual(right)
    expect(verdicts('MulMulReduceMeanDTwice', 'output', normalise(false, true))).toEqual(wrong)
    expect(verdicts('MulMulReduceMeanDTwice', 'output', normalise(true, false))).toEqual(wrong)
  })

  test('a softmax without the maximum overflows', () => {
    const naive: Kernel = ({ sel, input1, input2 }, _, shapes) => {
      const columns = shapes.sel!.at(-1)!
      const powers = [...sel!].map((choice, i) => half(Math.exp(choice === 0 ? input2![i]! : input1![i]!)))
      return powers.map((power, i) => {
        const start = i - (i % columns)
        return power / powers.slice(start, start + columns).reduce((sum, value) => sum + value, 0)
      })
    }
    const name = 'SelectReduceMaxDSubExpReduceSumDRealDiv'
    expect(verdicts(name, 'ouput', naive)).toContain('wrong-nonfinite')
  })
})

describe('optimisers', () => {
  const adam =
    (forget: 'nothing' | 'average' | 'correction' | 'mode'): Kernel =>
    ({ grad, var: variable, m, v, s, step }, attrs) => {
      const of = (name: string) => single(Number(attrs[name]))
      const [lr, beta1, beta2, eps, weight] = ['lr', 'beta1', 'beta2', 'eps', 'weight_decay'].map(of)
      const correct = attrs.bias_correction === true && forget !== 'correction'
      const c1 = correct ? single(1 - single(beta1! ** step![0]!)) : 1
      const c2 = correct ? single(1 - single(beta2! ** step![0]!)) : 1
      const decoupled = attrs.mode === 1 || forget === 'mode'
      return [...grad!].map((value, i) => {
        const decay = single(weight! * variable![i]!)
        const gradient = decoupled ? value : single(value + decay)
        const nextM = single(single(beta1! * m![i]!) + single(single(1 - beta1!) * gradient))
        const nextV = single(single(beta2! * v![i]!) + single(single(1 - beta2!) * single(gradient * gradient)))
        const root = single(single(Math.sqrt(single(nextV / c2))) + eps!)
        const change = single(single(single(nextM / c1) / root) + (decoupled ? decay : 0))
        const next = single(variable![i]! - single(lr! * change))
        const kept = single(of('ema_decay') * s![i]!)
        return single((forget === 'average' ? 0 : kept) + single(single(1 - of('ema_decay')) * next))
      })
    }

  test('ApplyFusedEmaAdam: float32 steps; the old average, both modes and the correction count', () => {
    expect(verdicts('ApplyFusedEmaAdam', 's', adam('nothing'))).toEqual(right)
    for (const forgotten of ['average', 'mode', 'correction'] as const) {
      expect(verdicts('ApplyFusedEmaAdam', 's', adam(forgotten))).not.toEqual(right)
    }
  })
})
