/* oxlint-disable unicorn/consistent-function-scoping -- each kernel stands beside the promise that needs it */
import { describe, expect, test, vi } from 'vitest'
import { judge } from '../plugin/compare/index.ts'
import { roundTo } from '../plugin/compare/round.ts'
import { encode } from '../plugin/inputs/index.ts'
import { dtypeOf, type GoldenTensor } from '../plugin/task/index.ts'
import { casesOf } from './cases-of.ts'
import { scaleOf, valuesOf } from './golden/small-tensors.ts'
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
const bfloat = (value: number) => roundTo('bfloat16', value)

type Inputs = Parameters<Kernel>[0]
type Round = (value: number) => number
const sizeOf = (shape: readonly number[]) => shape.reduce((size, extent) => size * extent, 1)
const total = (terms: readonly number[], round: Round = single) => terms.reduce((sum, term) => round(sum + term), 0)
const root = (value: number) => single(1 / single(Math.sqrt(value)))
const indices = (count: number) => Array.from({ length: count }, (_, i) => i)

/** Mean and variance in steps, the terms of a sum one after the other. */
interface Steps {
  round?: Round
  /** sum of squares less the square of the sum */
  onePass?: boolean
  /** divided by the count less one */
  sample?: boolean
}

function momentsOf(values: readonly number[], { round = single, onePass = false, sample = false }: Steps = {}) {
  const count = values.length
  const mean = round(total(values, round) / count)
  const squares = values.map((value) => round((onePass ? value : round(value - mean)) ** 2))
  const variance = round(total(squares, round) / (sample ? Math.max(1, count - 1) : count))
  return { mean, variance: onePass ? single(variance - single(mean * mean)) : variance }
}

describe('layer normalisations', () => {
  // What is added up before each of them is normalised.
  const sums: Record<string, (inputs: Inputs, alpha: number) => number[]> = {
    AddLayerNorm: withBias,
    InplaceAddLayerNorm: withBias,
    LayerNormV4: ({ x }) => [...x!],
    PreLayerNorm: ({ x, y }) => [...x!].map((value, i) => single(value + y![i]!)),
    DeepNorm: ({ x, gx }, alpha) => [...x!].map((value, i) => single(single(single(alpha) * value) + gx![i]!)),
  }
  function withBias({ x1, x2, bias }: Inputs) {
    const offset = (i: number) => (bias ? bias[i % bias.length]! : 0)
    return [...x1!].map((value, i) => single(single(value + x2![i]!) + offset(i)))
  }

  interface Wrongs extends Steps {
    epsilonOf?: (epsilon: number) => number
    sumOf?: (value: number) => number
    result?: 'y' | 'mean' | 'rstd'
  }
  const kernel =
    (
      name: string,
      { epsilonOf = (value) => value, sumOf = (value) => value, result = 'y', ...steps }: Wrongs = {},
    ): Kernel =>
    (inputs, attrs) => {
      const { gamma, beta, normalized_shape: normalised } = inputs
      const width = normalised ? sizeOf([...normalised]) : gamma!.length
      const x = sums[name]!(inputs, Number(attrs.alpha)).map(sumOf)
      return indices(x.length / width).flatMap((row) => {
        const values = x.slice(row * width, (row + 1) * width)
        const { mean, variance } = momentsOf(values, steps)
        const rstd = root(single(variance + single(epsilonOf(Number(attrs.epsilon)))))
        if (result !== 'y') return [result === 'mean' ? mean : rstd]
        return values.map((value, i) => {
          const scaled = single(single(single(value - mean) * rstd) * (gamma?.[i] ?? 1))
          return single(scaled + (beta?.[i] ?? 0))
        })
      })
    }

  const outputs = [
    ['AddLayerNorm', 'y'],
    ['InplaceAddLayerNorm', 'x1'],
    ['LayerNormV4', 'y'],
    ['PreLayerNorm', 'res_out'],
    ['DeepNorm', 'y'],
  ] as const

  test.each(outputs)('%s accepts float32, one term after the other', (name, output) => {
    expect(verdicts(name, output, kernel(name))).toEqual(right)
    if (name === 'PreLayerNorm') return
    for (const result of ['mean', 'rstd'] as const) {
      expect(verdicts(name, result, kernel(name, { result }))).toEqual(right)
    }
  })

  test.each(outputs)('%s rejects a forgotten epsilon and the variance of the sample', (name, output) => {
    const forgotten = verdicts(name, output, kernel(name, { epsilonOf: () => 0 }))
    expect(forgotten.filter((kind) => kind.startsWith('wrong'))).not.toEqual([])
    expect(verdicts(name, output, kernel(name, { sample: true }))).toEqual(wrong)
  })

  test.each(['AddLayerNorm', 'InplaceAddLayerNorm', 'LayerNormV4', 'DeepNorm'])(
    '%s rejects sums of 16 bits',
    (name) => {
      for (const result of ['mean', 'rstd'] as const) {
        expect(verdicts(name, result, kernel(name, { result, round: half }), is('float16'))).toEqual(wrong)
      }
    },
  )

  test('a mean of squares less the square of the mean loses too much where the mean is large', () => {
    // few cases have one: a sample of its own
    const task = { ...tasks.get('LayerNormV4')! }
    const onePass = kernel('LayerNormV4', { onePass: true, result: 'rstd' })
    const kinds = verdictsOf(task, 'rstd', onePass, undefined, { cases: 400, elements: 2 ** 9 })
    expect(kinds.filter((kind) => kind.startsWith('wrong'))).not.toEqual([])
  })

  test('AddLayerNorm normalises the sum before it is rounded', () => {
    expect(verdicts('AddLayerNorm', 'y', kernel('AddLayerNorm', { sumOf: half }), is('float16'))).toEqual(wrong)
  })
})

describe('root-mean-square normalisations of a sum', () => {
  interface Roundings {
    sum?: Round
    square?: Round
    product?: Round
    /** of the sum that goes into rstd, and of rstd itself */
    measured?: Round
    statistic?: Round
    epsilonOf?: (epsilon: number) => number
    result?: 'y' | 'rstd'
  }
  const kernel =
    ({
      sum = single,
      square = single,
      product = single,
      measured = sum,
      statistic = single,
      epsilonOf = (value) => value,
      result = 'y',
    }: Roundings = {}): Kernel =>
    ({ x1, x2, gamma }, { epsilon }) => {
      const x = [...x1!].map((value, i) => value + x2![i]!)
      const width = gamma!.length
      return indices(x.length / width).flatMap((row) => {
        const values = x.slice(row * width, (row + 1) * width)
        const squares = total(
          values.map((value) => square(measured(value) ** 2)),
          square,
        )
        const rstd = statistic(root(single(single(squares / width) + single(epsilonOf(Number(epsilon))))))
        if (result === 'rstd') return [rstd]
        return values.map((value, i) => single(product(sum(value) * rstd) * gamma![i]!))
      })
    }

  test.each([
    ['AddRmsNorm', 'y'],
    ['InplaceAddRmsNorm', 'x1'],
    ['AddRmsNormCast', 'y1'],
    ['AddRmsNormCast', 'y2'],
  ])('%s accepts %s of float32 steps; rejects sums of 16 bits and a forgotten epsilon', (name, output) => {
    expect(verdicts(name, output, kernel())).toEqual(right)
    expect(verdicts(name, output, kernel({ square: half }), is('float16'))).toEqual(wrong)
    const forgotten = verdicts(name, output, kernel({ epsilonOf: () => 0 }))
    expect(forgotten.filter((kind) => kind.startsWith('wrong'))).not.toEqual([])
  })

  test.each([
    ['AddRmsNorm', 'y'],
    ['InplaceAddRmsNorm', 'x1'],
  ])('%s accepts the rounded sum, in float16 also a rounded product; not one percent less', (name, output) => {
    expect(verdicts(name, output, kernel({ sum: half, product: half }), is('float16'))).toEqual(right)
    expect(verdicts(name, output, kernel({ sum: bfloat }), is('bfloat16'))).toEqual(right)
    const truncated = (value: number) => bfloat(value * (1 - 2 ** -6))
    expect(verdicts(name, output, kernel({ sum: bfloat, product: truncated }), is('bfloat16'))).toEqual(wrong)
  })

  test.each([
    ['AddRmsNorm', 'y'],
    ['InplaceAddRmsNorm', 'x1'],
  ])('%s accepts the rounded sum for rstd or for the elements alone; no other rounding of 16 bits', (name, output) => {
    const [float16, bfloat16] = [is('float16'), is('bfloat16')]
    for (const result of ['y', 'rstd'] as const) {
      const of = result === 'y' ? output : 'rstd'
      for (const [round, only] of [
        [half, float16],
        [bfloat, bfloat16],
      ] as const) {
        expect(verdicts(name, of, kernel({ sum: round, result }), only)).toEqual(right)
        expect(verdicts(name, of, kernel({ measured: round, result }), only)).toEqual(right)
        expect(verdicts(name, of, kernel({ sum: round, measured: single, result }), only)).toEqual(right)
        // rounded once more, or one unit away
        expect(verdicts(name, of, kernel({ sum: round, product: round, statistic: round, result }), only)).toEqual(
          wrong,
        )
        const away = (value: number) => round(value) * (1 + (round === half ? 2 ** -10 : 2 ** -7))
        expect(verdicts(name, of, kernel({ measured: away, result }), only)).toEqual(wrong)
        if (result === 'y') expect(verdicts(name, of, kernel({ sum: away, measured: single }), only)).toEqual(wrong)
      }
    }
    expect(verdicts(name, output, kernel({ product: bfloat }), bfloat16)).toEqual(wrong)
  })

  test('AddRmsNormCast: the float32 result does not come from the rounded one', () => {
    const rounded: Kernel = (...given) => kernel()(...given).map(half)
    expect(verdicts('AddRmsNormCast', 'y1', rounded, is('float16'))).toEqual(wrong)
  })

  const quantised =
    (divide: (value: number, scale: number) => number, toInteger: Round, zeroFirst = true): Kernel =>
    (...given) => {
      const { scales1: scale, zero_points1: zero } = given[0]
      const columns = scale!.length
      return kernel()(...given).map((value, i) => {
        const [quotient, offset] = [divide(value, scale![i % columns]!), zero![i % columns]!]
        const integer = zeroFirst ? toInteger(single(quotient + offset)) : toInteger(quotient) + offset
        return Math.min(127, Math.max(-128, integer))
      })
    }
  const even = (value: number) => {
    const rounded = Math.round(value)
    return rounded - value === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded
  }
  const quotient = (value: number, scale: number) => single(value / scale)
  const reciprocal = (value: number, scale: number) => single(value * single(1 / scale))

  test('AddRmsNormQuant: to the nearest, by division or by the reciprocal, the zero point before', () => {
    expect(verdicts('AddRmsNormQuant', 'y1', quantised(quotient, even))).toEqual(right)
    expect(verdicts('AddRmsNormQuant', 'y1', quantised(reciprocal, even))).toEqual(right)
    expect(verdicts('AddRmsNormQuant', 'y1', quantised(quotient, Math.trunc))).toEqual(wrong)
    expect(verdicts('AddRmsNormQuant', 'y1', quantised(quotient, Math.floor))).toEqual(wrong)
    expect(verdicts('AddRmsNormQuant', 'y1', quantised(quotient, even, false))).toEqual(wrong)
    const multiplied = (value: number, scale: number) => single(value * scale)
    expect(verdicts('AddRmsNormQuant', 'y1', quantised(multiplied, even))).toEqual(wrong)
  })
})

describe('gradients', () => {
  type Term = 'corrected' | 'plain' | 'forgotten'
  // c is the difference from the mean; dx of float32 steps, and the sums over rows.
  const parts = (inputs: Inputs, x: readonly number[]) => {
    const { dy, gamma, mean, rstd } = inputs
    const width = gamma!.length
    const row = (i: number) => Math.floor(i / width)
    const c = x.map((value, i) => single(value - (mean?.[row(i)] ?? 0)))
    const g = [...dy!].map((value, i) => single(value * gamma![i % width]!))
    return { dy: dy!, c, g, rstd: rstd!, width, row }
  }
  const inputGradient = (inputs: Inputs, x: readonly number[], term: Term) => {
    const { c, g, rstd, width } = parts(inputs, x)
    return indices(rstd.length).flatMap((row) => {
      const [cs, gs, scale] = [
        c.slice(row * width, (row + 1) * width),
        g.slice(row * width, (row + 1) * width),
        rstd[row]!,
      ]
      const cube = single(single(scale * scale) * scale)
      const variance = total(gs.map((value, i) => single(single(single(-0.5 * value) * cs[i]!) * cube)))
      const share = single(2 / width)
      const plain = total(gs.map((value) => single(-value * scale)))
      const correction = term === 'corrected' ? single(single(variance * share) * total(cs)) : 0
      const mean = term === 'forgotten' ? 0 : single(single(plain - correction) / width)
      return gs.map((value, i) =>
        single(single(single(value * scale) + single(single(variance * share) * cs[i]!)) + mean),
      )
    })
  }
  const columns =
    (sumOf: (inputs: Inputs, alpha: number) => number[], output: 'dgamma' | 'dbeta', round: Round = single): Kernel =>
    (inputs, attrs) => {
      const { dy, c, rstd, width, row } = parts(inputs, sumOf(inputs, Number(attrs.alpha)))
      return indices(width).map((column) => {
        const places = indices(dy.length / width).map((step) => step * width + column)
        const terms = places.map((i) => (output === 'dbeta' ? dy[i]! : single(single(dy[i]! * c[i]!) * rstd[row(i)]!)))
        return total(terms, round)
      })
    }

  const added = ({ x1, x2 }: Inputs) => [...x1!].map((value, i) => single(value + x2![i]!))
  const deep = ({ x, gx }: Inputs, alpha: number) =>
    [...x!].map((value, i) => single(single(single(alpha) * value) + gx![i]!))
  const dx =
    (sumOf: (inputs: Inputs, alpha: number) => number[], term: Term): Kernel =>
    (inputs, attrs) => {
      const values = inputGradient(inputs, sumOf(inputs, Number(attrs.alpha)), term)
      return values.map((value, i) => single(value + (inputs.dsum?.[i] ?? 0)))
    }

  test.each([
    ['AddLayerNormGrad', 'dx', added],
    ['DeepNormGrad', 'dgx', deep],
  ] as const)(
    '%s: float32 steps, with or without the term that vanishes; not without the mean',
    (name, output, sumOf) => {
      for (const term of ['corrected', 'plain'] as const) expect(verdicts(name, output, dx(sumOf, term))).toEqual(right)
      expect(verdicts(name, output, dx(sumOf, 'forgotten'))).toEqual(wrong)
      for (const weights of ['dgamma', 'dbeta'] as const) {
        expect(verdicts(name, weights, columns(sumOf, weights))).toEqual(right)
        expect(verdicts(name, weights, columns(sumOf, weights, half), is('float16'))).toEqual(wrong)
      }
    },
  )

  test('DeepNormGrad: dx is alpha times dgx', () => {
    const scaled: Kernel = (inputs, attrs, ...rest) =>
      dx(deep, 'plain')(inputs, attrs, ...rest).map((value) => single(value * single(Number(attrs.alpha))))
    expect(verdicts('DeepNormGrad', 'dx', scaled)).toEqual(right)
    expect(verdicts('DeepNormGrad', 'dx', dx(deep, 'plain'))).toEqual(wrong)
  })

  test('RmsNormGrad: float32 steps; products of dgamma may be rounded, its sums may not', () => {
    const own = ({ x }: Inputs) => [...x!]
    expect(verdicts('RmsNormGrad', 'dx', dx(own, 'forgotten'))).toEqual(right)
    expect(verdicts('RmsNormGrad', 'dx', dx(own, 'plain'))).toEqual(wrong)
    expect(verdicts('RmsNormGrad', 'dgamma', columns(own, 'dgamma'))).toEqual(right)
    expect(verdicts('RmsNormGrad', 'dgamma', columns(own, 'dgamma', half), is('float16'))).toEqual(wrong)
  })
})

describe('normalisations of groups and channels', () => {
  interface Options extends Steps {
    result?: 'y' | 'mean' | 'rstd'
    activation?: (z: number, scale: number) => number
  }
  const swish = (z: number, scale: number) => single(z / single(1 + single(Math.exp(single(-single(scale) * z)))))
  const groups =
    ({ result = 'y', activation = swish, ...steps }: Options = {}): Kernel =>
    ({ x, gamma, beta }, attrs, shapes) => {
      const shape = shapes.x!
      const spatial = sizeOf(shape.slice(2))
      const members = (sizeOf(shape) / shape[0]! / Number(attrs.num_groups)) | 0
      return indices(x!.length / members).flatMap((group) => {
        const values = [...x!.subarray(group * members, (group + 1) * members)]
        const { mean, variance } = momentsOf(values, steps)
        const rstd = root(single(Math.max(0, variance) + single(Number(attrs.eps))))
        if (result !== 'y') return [result === 'mean' ? mean : rstd]
        return values.map((value, i) => {
          const channel = Math.floor((group * members + i) / spatial) % shape[1]!
          const z = single(single(single(single(value - mean) * rstd) * gamma![channel]!) + beta![channel]!)
          return attrs.activate_swish ? activation(z, Number(attrs.swish_scale)) : z
        })
      })
    }

  test('GroupNormSwish: float32 in one pass or two', () => {
    for (const onePass of [false, true]) {
      for (const result of ['y', 'mean', 'rstd'] as const) {
        expect(verdicts('GroupNormSwish', result, groups({ onePass, result }))).toEqual(right)
      }
    }
  })

  test('GroupNormSwish rejects a sigmoid without its factor, relu, and sums of 16 bits', () => {
    expect(verdicts('GroupNormSwish', 'y', groups({ activation: (z) => swish(z, 1) }))).toEqual(wrong)
    expect(verdicts('GroupNormSwish', 'y', groups({ activation: (z) => Math.max(0, z) }))).toEqual(wrong)
    expect(verdicts('GroupNormSwish', 'rstd', groups({ result: 'rstd', round: half }), is('float16'))).toEqual(wrong)
    expect(verdicts('GroupNormSwish', 'y', groups({ sample: true }))).toEqual(wrong)
  })

  // One of the results; `factor` is that of the second term of the slope.
  const swishGradient =
    (
      result: 'dx' | 'dgamma' | 'dbeta',
      { factor = () => 1, round = single }: { factor?: (swish: number) => number; round?: Round } = {},
    ): Kernel =>
    ({ dy, mean, rstd, x, gamma, beta }, attrs, shapes) => {
      const shape = shapes.x!
      const spatial = sizeOf(shape.slice(2))
      const members = (sizeOf(shape) / shape[0]! / Number(attrs.num_groups)) | 0
      const scale = single(Number(attrs.swish_scale))
      const channel = (i: number) => Math.floor(i / spatial) % shape[1]!
      const h = [...x!].map((value, i) => {
        const group = Math.floor(i / members)
        return single(single(value - mean![group]!) * rstd![group]!)
      })
      const u = h.map((value, i) => {
        const z = single(single(value * gamma![channel(i)]!) + beta![channel(i)]!)
        const e = single(1 + single(Math.exp(single(-scale * z))))
        const second = single(single(z - single(z / e)) * factor(scale))
        return single(single(single(1 + second) / e) * dy![i]!)
      })
      if (result === 'dx') {
        return indices(x!.length / members).flatMap((group) => {
          const places = indices(members).map((i) => group * members + i)
          const terms = places.map((i) => single(u[i]! * gamma![channel(i)]!))
          const c1 = single(total(terms, round) / members)
          const c2 = single(
            total(
              terms.map((term, k) => single(term * h[places[k]!]!)),
              round,
            ) / members,
          )
          return places.map((i, k) => single(rstd![group]! * single(single(terms[k]! - single(h[i]! * c2)) - c1)))
        })
      }
      const terms = result === 'dbeta' ? u : u.map((value, i) => single(value * h[i]!))
      return indices(shape[1]!).map((c) =>
        total(
          terms.filter((_, i) => channel(i) === c),
          round,
        ),
      )
    }

  test('GroupNormSwishGrad: float32 steps of the published slope or of the derivative, and nothing between', () => {
    for (const result of ['dx', 'dgamma', 'dbeta'] as const) {
      expect(verdicts('GroupNormSwishGrad', result, swishGradient(result))).toEqual(right)
      expect(verdicts('GroupNormSwishGrad', result, swishGradient(result, { factor: (swish) => swish }))).toEqual(right)
      const between = swishGradient(result, { factor: (swish) => (1 + swish) / 2 })
      expect(verdicts('GroupNormSwishGrad', result, between)).toEqual(wrong)
      const sums = swishGradient(result, { round: bfloat })
      expect(verdicts('GroupNormSwishGrad', result, sums, is('bfloat16'))).toEqual(wrong)
    }
  })

  interface Batch extends Steps {
    result: 'y' | 'running_mean' | 'running_var' | 'save_mean' | 'save_rstd'
    /** inference with these statistics of the batch instead of the running ones */
    ofBatch?: readonly ('mean' | 'variance')[]
    step?: Round
  }
  const batch =
    ({ result, ofBatch = [], step = single, ...steps }: Batch): Kernel =>
    ({ x, weight, bias, running_mean: mean, running_var: variance }, attrs, shapes) => {
      const [samples = 1, channels = 1, ...rest] = shapes.x!
      const spatial = sizeOf(rest)
      const training = attrs.is_training === true
      const share = single(Number(attrs.momentum))
      const perChannel = indices(channels).map((c) => {
        const places = indices(samples).flatMap((n) => indices(spatial).map((s) => (n * channels + c) * spatial + s))
        const own = momentsOf(
          places.map((i) => x![i]!),
          steps,
        )
        const sample = momentsOf(
          places.map((i) => x![i]!),
          { ...steps, sample: false },
        )
        const used = (statistic: 'mean' | 'variance', running: number) =>
          training || ofBatch.includes(statistic) ? sample[statistic] : running
        const rstd = root(single(used('variance', variance![c]!) + single(Number(attrs.epsilon))))
        return { moved: own, mean: used('mean', mean![c]!), rstd }
      })
      const move = (from: number, to: number) =>
        training ? single(single(single(1 - share) * from) + single(share * to)) : from
      if (result === 'running_mean') return perChannel.map(({ moved }, c) => move(mean![c]!, moved.mean))
      if (result === 'running_var') return perChannel.map(({ moved }, c) => move(variance![c]!, moved.variance))
      if (result === 'save_mean') return perChannel.map((channel) => channel.mean)
      if (result === 'save_rstd') return perChannel.map((channel) => channel.rstd)
      return [...x!].map((value, i) => {
        const c = Math.floor(i / spatial) % channels
        const plain = step(step(value - perChannel[c]!.mean) * perChannel[c]!.rstd)
        return single(single(plain * (weight?.[c] ?? 1)) + (bias?.[c] ?? 0))
      })
    }

  test('BatchNormV3: float32 steps; the running variance is that of the population or of the sample', () => {
    for (const result of ['y', 'running_mean', 'running_var', 'save_mean', 'save_rstd'] as const) {
      expect(verdicts('BatchNormV3', result, batch({ result }))).toEqual(right)
    }
    expect(verdicts('BatchNormV3', 'running_var', batch({ result: 'running_var', sample: true }))).toEqual(right)
  })

  test('BatchNormV3: inference by running statistics or by those of the batch, but not by one of each', () => {
    expect(verdicts('BatchNormV3', 'y', batch({ result: 'y', ofBatch: ['mean', 'variance'] }))).toEqual(right)
    expect(verdicts('BatchNormV3', 'y', batch({ result: 'y', ofBatch: ['mean'] }))).toEqual(wrong)
    expect(verdicts('BatchNormV3', 'y', batch({ result: 'y', ofBatch: ['variance'] }))).toEqual(wrong)
  })

  test('BatchNormV3 rejects still running statistics, and 16-bit steps', () => {
    for (const result of ['running_mean', 'running_var'] as const) {
      expect(verdicts('BatchNormV3', result, (inputs) => [...inputs[result]!])).toEqual(wrong)
    }
    expect(verdicts('BatchNormV3', 'save_rstd', batch({ result: 'save_rstd', round: half }), is('float16'))).toEqual(
      wrong,
    )
    expect(verdicts('BatchNormV3', 'y', batch({ result: 'y', step: bfloat }), is('bfloat16'))).toEqual(wrong)
  })
})

// Where the public reference has no roundings of its own.
test.each([
  'AddLayerNorm',
  'AddLayerNormGrad',
  'AddRmsNormCast',
  'DeepNorm',
  'DeepNormGrad',
  'GroupNormSwishGrad',
  'InplaceAddLayerNorm',
  'LayerNormV4',
])('%s: what strict accepts at the edge of its bound, the public rule accepts', (name) => {
  const task = tasks.get(name)!
  const isOf = (value: GoldenTensor | readonly GoldenTensor[]): value is Exclude<GoldenTensor, { data: unknown }> =>
    !Array.isArray(value) && !('data' in value)
  for (const kernelCase of casesOf(task, 0, 2 ** 18).slice(0, 2)) {
    const golden = task.golden(task.draw(kernelCase), kernelCase)
    for (const sign of [-1, 1]) {
      const actual = perfect(kernelCase, golden)
      for (const [output, tensor] of Object.entries(actual)) {
        const expected = golden[output]!
        if (!isOf(expected)) continue
        const bound = task.profiles.strict({ case: kernelCase, output, dtype: dtypeOf(kernelCase, output) })
        const values = valuesOf(expected)
        const scale = bound.scaled === undefined ? [] : 'scale' in expected ? expected.scale : scaleOf(expected)
        const edge = values.map((value, i) => {
          const error = bound.absolute + bound.relative * Math.abs(value) + (bound.scaled ?? 0) * (scale[i] ?? 0)
          return value + sign * error
        })
        encode(Float64Array.from(edge), partOf(tensor!, 0))
      }
      expect(judge(task, kernelCase, golden, actual, poison)).toMatchObject({
        strict: { kind: 'correct' },
        benchmark: 'accepted',
      })
    }
  }
})
