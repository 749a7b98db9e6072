/* oxlint-disable unicorn/consistent-function-scoping -- each helper stands beside the promise that needs it */
import { describe, expect, test, vi } from 'vitest'
import { toFloat64 } from '../../plugin/inputs/index.ts'
import type { Tensor } from '../../plugin/model/index.ts'
import { centred, combined, groupNormSwishGrad, layerNormGrad, rmsNormGrad } from './norm-gradient.ts'
import { channelsOf, groupsOf, rowsOf } from './norm-layout.ts'
import { addRmsNormInSteps, batchNormInSteps } from './norm-steps.ts'
import { addRmsNorm, addRmsNormQuant, batchNorm, groupNormSwish, layerNorm, rmsNorm, sumOf } from './norm.ts'
import { random, scaleOf, tensorOf, valuesOf } from './small-tensors.ts'

// The sources rather than the built package.
vi.mock('vitest-npu', () => import('../../plugin/task/index.ts'))

const near = (values: readonly number[], digits = 10) => values.map((value) => expect.closeTo(value, digits))
const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const listed = (tensor: Tensor) => [...toFloat64(tensor)]

// Straight from the definition, two passes over a list.
function normal(values: readonly number[], epsilon: number) {
  const mean = average(values)
  const variance = average(values.map((value) => (value - mean) ** 2))
  const rstd = 1 / Math.sqrt(variance + Math.fround(epsilon))
  return { mean, variance, rstd, values: values.map((value) => (value - mean) * rstd) }
}

const chunks = (values: readonly number[], size: number) =>
  Array.from({ length: values.length / size }, (_, row) => values.slice(row * size, (row + 1) * size))

describe('layer normalisation', () => {
  const shape = [3, 5, 7, 2]
  const [x1, x2] = [random('float16', shape, 1), random('float32', shape, 2)]
  const [gamma, beta] = [random('float32', [7, 2], 3), random('float32', [7, 2], 4)]
  const [a, b, g, o] = [listed(x1), listed(x2), listed(gamma), listed(beta)]

  test.each(['none', 'of the input', 'of the weights'])('of a sum over several axes, bias %s', (kind) => {
    const bias = kind === 'none' ? null : random('float16', kind === 'of the input' ? shape : [7, 2], 5)
    const c = bias ? listed(bias) : [0]
    const sum = a.map((value, i) => value + b[i]! + c[i % c.length]!)
    const x = bias ? sumOf(x1, x2, bias) : sumOf(x1, x2)
    const result = layerNorm(x, rowsOf(x.length, 14), { gamma, beta, epsilon: 1e-3 })
    const expected = chunks(sum, 14).map((row) => normal(row, 1e-3))
    expect(valuesOf(x)).toEqual(near(sum))
    expect([...result.mean.values]).toEqual(near(expected.map(({ mean }) => mean)))
    expect([...result.rstd.values]).toEqual(near(expected.map(({ rstd }) => rstd)))
    const y = expected.flatMap(({ values }) => values.map((value, i) => value * g[i]! + o[i]!))
    expect(valuesOf(result.y)).toEqual(near(y))
    for (const [i, size] of scaleOf(result.y).entries()) expect(size).toBeGreaterThanOrEqual(Math.abs(y[i]!))
  })

  test('absent weights are 1 and 0; a factor applies to its term', () => {
    const sum = a.map((value, i) => -0.5 * value + b[i]!)
    const x = sumOf([-0.5, x1], x2)
    const { y } = layerNorm(x, rowsOf(x.length, 2), { gamma: null, beta: null, epsilon: 1e-5 })
    expect(valuesOf(y)).toEqual(near(chunks(sum, 2).flatMap((row) => normal(row, 1e-5).values)))
  })

  test('equal elements have no variance, however large; a large mean takes no digits of a small one', () => {
    const equal = tensorOf('float32', [2, 3], [0.1, 0.1, 0.1, 3e7, 3e7, 3e7])
    const { y, rstd } = layerNorm(sumOf(equal), rowsOf(6, 3), { gamma: null, beta: null, epsilon: 2 ** -20 })
    expect(valuesOf(y)).toEqual(Array(6).fill(0))
    expect([...rstd.values]).toEqual([1024, 1024])
    const large = tensorOf('float32', [1, 2], [2 ** 23, 2 ** 23 + 1])
    const far = layerNorm(sumOf(large), rowsOf(2, 2), { gamma: null, beta: null, epsilon: 0 })
    expect([...far.rstd.values]).toEqual([2])
    expect(valuesOf(far.y)).toEqual([-1, 1])
  })
})

test('root mean square of a sum, which is an output', () => {
  const [x1, x2, gamma] = [random('bfloat16', [4, 6], 1), random('bfloat16', [4, 6], 2), random('bfloat16', [6], 3)]
  const sum = listed(x1).map((value, i) => value + listed(x2)[i]!)
  const { y, rstd, x } = addRmsNorm(x1, x2, gamma, 1e-3)
  const roots = chunks(sum, 6).map((row) => 1 / Math.sqrt(average(row.map((v) => v * v)) + Math.fround(1e-3)))
  expect(valuesOf(x)).toEqual(sum)
  expect([...rstd.values]).toEqual(near(roots))
  expect(valuesOf(y)).toEqual(near(sum.map((value, i) => value * roots[Math.floor(i / 6)]! * listed(gamma)[i % 6]!)))
})

test('quantised with scale and zero point of the column, saturated', () => {
  const [x1, x2] = [random('float16', [5, 4], 1), random('float16', [5, 4], 2)]
  const gamma = tensorOf('float16', [4], [1, 1, -1, 1])
  const [scale, zero] = [tensorOf('float32', [4], [0.5, 0.01, 0.25, 1e-3]), tensorOf('int32', [4], [3, 0, -7, 5])]
  const { y, x } = addRmsNormQuant(x1, x2, gamma, scale, zero, 1e-2)
  const plain = valuesOf(addRmsNorm(x1, x2, gamma, 1e-2).y)
  const expected = plain.map((value, i) => value / listed(scale)[i % 4]! + listed(zero)[i % 4]!)
  expect(valuesOf(y)).toEqual(near(expected.map((value) => Math.min(127, Math.max(-128, value)))))
  expect(valuesOf(y)).toEqual(expect.arrayContaining([-128, 127]))
  expect(scaleOf(y)[3]).toBeCloseTo(Math.abs(plain[3]! / listed(scale)[3]!) + 5, 9)
  expect(valuesOf(x)).toEqual(valuesOf(sumOf(x1, x2)))
})

test('the public reference of it rounds every step, and loses an epsilon that is small for the dtype', () => {
  const [x1, x2] = [tensorOf('float16', [1, 2], [1, 2048]), tensorOf('float16', [1, 2], [2 ** -11, 1])]
  const gamma = tensorOf('float16', [2], [3, 1])
  const scaled = (values: number[]) =>
    tensorOf(
      'float16',
      [1, 2],
      values.map((value) => value / 64),
    )
  expect(valuesOf(addRmsNormInSteps(x1, x2, gamma, 0).x)).toEqual([1, 2048])
  const { y, rstd } = addRmsNormInSteps(scaled([64, 192]), scaled([0, 0]), gamma, 1e-4)
  // mean 5, 1 / sqrt(5) = 0.44721 = 0.4473 in float16; 3 * 0.4473 = 1.3418 = 1.3416 there.
  expect(valuesOf(rstd)).toEqual([0.447265625])
  expect(valuesOf(y)).toEqual([1.341796875, 1.341796875])
})

describe('layouts', () => {
  const shape = [2, 6, 2, 3]
  const at = (n: number, c: number, s: number) => (n * 6 + c) * 6 + s
  const x = random('float32', shape, 7)
  const values = listed(x)
  const [gamma, beta] = [random('float32', [6], 8), random('float32', [6], 9)]

  test('groups of neighbouring channels in every sample, swish after them', () => {
    const { y, mean, rstd } = groupNormSwish(x, groupsOf(x, 3), { gamma, beta, epsilon: 1e-2, swish: 0.5 })
    const plain = groupNormSwish(x, groupsOf(x, 3), { gamma, beta, epsilon: 1e-2, swish: null })
    for (let n = 0; n < 2; n++) {
      for (let group = 0; group < 3; group++) {
        const members = [0, 1].flatMap((c) => Array.from({ length: 6 }, (_, s) => at(n, 2 * group + c, s)))
        const expected = normal(
          members.map((i) => values[i]!),
          1e-2,
        )
        expect(mean.values[n * 3 + group]).toBeCloseTo(expected.mean, 12)
        expect(rstd.values[n * 3 + group]).toBeCloseTo(expected.rstd, 12)
        for (const [k, i] of members.entries()) {
          const channel = 2 * group + Math.floor(k / 6)
          const z = expected.values[k]! * listed(gamma)[channel]! + listed(beta)[channel]!
          expect(valuesOf(plain.y)[i]).toBeCloseTo(z, 12)
          expect(valuesOf(y)[i]).toBeCloseTo(z / (1 + Math.exp(-0.5 * z)), 12)
        }
      }
    }
  })

  test('channels over all samples: statistics, moved running statistics, inference', () => {
    const [mean, variance] = [random('float32', [6], 10), tensorOf('float32', [6], [1, 2, 3, 4, 5, 6])]
    const given = { weight: gamma, bias: null, mean, variance }
    const settings = { epsilon: 1e-2, momentum: 0.25 }
    const trained = batchNorm(x, channelsOf(x), given, { ...settings, training: true })
    const inferred = batchNorm(x, channelsOf(x), given, { ...settings, training: false })
    for (let c = 0; c < 6; c++) {
      const members = [0, 1].flatMap((n) => Array.from({ length: 6 }, (_, s) => at(n, c, s)))
      const expected = normal(
        members.map((i) => values[i]!),
        1e-2,
      )
      expect(trained.save_mean.values[c]).toBeCloseTo(expected.mean, 12)
      expect(trained.save_rstd.values[c]).toBeCloseTo(expected.rstd, 12)
      expect(trained.running_mean.values[c]).toBeCloseTo(0.75 * listed(mean)[c]! + 0.25 * expected.mean, 12)
      expect(trained.running_var.values[c]).toBeCloseTo(0.75 * (c + 1) + 0.25 * expected.variance, 12)
      for (const [k, i] of members.entries()) {
        expect(valuesOf(trained.y)[i]).toBeCloseTo(expected.values[k]! * listed(gamma)[c]!, 12)
        const known = (values[i]! - listed(mean)[c]!) / Math.sqrt(c + 1 + Math.fround(1e-2))
        expect(valuesOf(inferred.y)[i]).toBeCloseTo(known * listed(gamma)[c]!, 12)
      }
    }
    expect([...inferred.running_mean.values]).toEqual(listed(mean))
    expect([...inferred.running_var.values]).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('the public reference of them rounds steps: epsilon itself where there is no variance', () => {
    const single = tensorOf('float16', [1, 2], [3, 5])
    const { save_rstd: rstd, y } = batchNormInSteps(single, channelsOf(single), { weight: null, bias: null }, 1e-6)
    expect([valuesOf(rstd), valuesOf(y)]).toEqual([
      [993.5, 993.5],
      [0, 0],
    ])
    const { save_mean: mean } = batchNormInSteps(x, channelsOf(x), { weight: gamma, bias: beta }, 1e-6)
    const exact = batchNorm(
      x,
      channelsOf(x),
      { weight: gamma, bias: beta, mean: gamma, variance: gamma },
      { epsilon: 1e-6, momentum: 0, training: true },
    )
    expect(valuesOf(mean)).toEqual(near([...exact.save_mean.values], 6))
    const inSteps = batchNormInSteps(x, channelsOf(x), { weight: gamma, bias: beta }, 1e-6)
    expect(valuesOf(inSteps.y)).toEqual(near(valuesOf(exact.y), 5))
  })
})

describe('derivatives', () => {
  // Slopes of sum(dy * forward(x)) along every element of a list.
  const slopes = (forward: (values: number[]) => number[], at: readonly number[], dy: readonly number[]) =>
    at.map((_, index) => {
      const moved = (shift: number) => {
        const values = forward(at.map((value, i) => (i === index ? value + shift : value)))
        return values.reduce((sum, value, i) => sum + value * dy[i]!, 0)
      }
      return (moved(1e-5) - moved(-1e-5)) / 2e-5
    })
  const same = (actual: ArrayLike<number>, expected: readonly number[]) =>
    expect(Array.from(actual)).toEqual(near(expected, 6))

  const shape = [4, 3, 2]
  const [x, dy] = [random('float64', shape, 21), random('float64', shape, 22)]
  const [gamma, beta] = [random('float64', [3, 2], 23), random('float64', [3, 2], 24)]
  const [xs, ds, gs, os] = [listed(x), listed(dy), listed(gamma), listed(beta)]

  test('of a layer normalisation are its slopes', () => {
    const forward = (values: number[], weights = gs, offsets = os) =>
      chunks(values, 6).flatMap((row) => normal(row, 0.25).values.map((v, i) => v * weights[i]! + offsets[i]!))
    const rows = chunks(xs, 6).map((row) => normal(row, 0.25))
    const statistic = (values: number[]) => tensorOf('float64', [4, 1, 1], values)
    const given = { dy, gamma, mean: statistic(rows.map(({ mean }) => mean)), rstd: statistic(rows.map((r) => r.rstd)) }
    for (const term of ['plain', 'corrected'] as const) {
      const { dx, dgamma, dbeta } = layerNormGrad(sumOf(x), given, rowsOf(24, 6), term)
      same(valuesOf(dx), slopes(forward, xs, ds))
      same(
        dgamma.values,
        slopes((weights) => forward(xs, weights), gs, ds),
      )
      same(
        dbeta.values,
        slopes((offsets) => forward(xs, gs, offsets), os, ds),
      )
      for (const [i, size] of scaleOf(dx).entries()) expect(size).toBeGreaterThanOrEqual(Math.abs(valuesOf(dx)[i]!))
    }
  })

  test('of a layer normalisation with any mean are the published sums', () => {
    const [mean, rstd] = [tensorOf('float64', [4, 1, 1], [1, -1, 0.5, 0]), tensorOf('float64', [4, 1, 1], [1, 2, 3, 4])]
    const expected = (correction: number) =>
      chunks(xs, 6).flatMap((row, r) => {
        const root = listed(rstd)[r]!
        const c = row.map((value) => value - listed(mean)[r]!)
        const g = row.map((_, i) => ds[r * 6 + i]! * gs[i]!)
        const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
        const pv = sum(g.map((value, i) => -0.5 * value * c[i]! * root ** 3))
        const pm = sum(g.map((value) => -value * root)) - correction * pv * (2 / 6) * sum(c)
        return row.map((_, i) => g[i]! * root + pv * (2 / 6) * c[i]! + pm / 6)
      })
    const given = { dy, gamma, mean, rstd }
    same(valuesOf(layerNormGrad(sumOf(x), given, rowsOf(24, 6), 'corrected').dx), expected(1))
    same(valuesOf(layerNormGrad(sumOf(x), given, rowsOf(24, 6), 'plain').dx), expected(0))
  })

  test('of a root mean square are its slopes', () => {
    const roots = (values: number[]) =>
      chunks(values, 6).map((row) => 1 / Math.sqrt(average(row.map((v) => v * v)) + 0.25))
    const forward = (values: number[], weights = gs) =>
      values.map((value, i) => value * roots(values)[Math.floor(i / 6)]! * weights[i % 6]!)
    const rstd = tensorOf('float64', [4, 1, 1], roots(xs))
    const { dx, dgamma } = rmsNormGrad({ dy, x, rstd, gamma }, rowsOf(24, 6))
    same(valuesOf(dx), slopes(forward, xs, ds))
    same(
      dgamma.values,
      slopes((weights) => forward(xs, weights), gs, ds),
    )
    expect(valuesOf(rmsNorm(x, gamma, 0.25).y)).toEqual(near(forward(xs)))
  })

  test('of swish after a group normalisation are its slopes, sum by sum for another factor', () => {
    const image = random('float64', [2, 4, 3], 31)
    const upstream = random('float64', [2, 4, 3], 32)
    const [weights, offsets] = [random('float64', [4], 33), random('float64', [4], 34)]
    const [values, dys, w, o] = [listed(image), listed(upstream), listed(weights), listed(offsets)]
    const groups = chunks(values, 6).map((group) => normal(group, 0.25))
    const given = {
      dy: upstream,
      mean: tensorOf(
        'float64',
        [2, 2],
        groups.map(({ mean }) => mean),
      ),
      rstd: tensorOf(
        'float64',
        [2, 2],
        groups.map(({ rstd }) => rstd),
      ),
      x: image,
      gamma: weights,
      beta: offsets,
    }
    const forward = (from: number[], scales = w, shifts = o) =>
      chunks(from, 6).flatMap((group, index) =>
        normal(group, 0.25).values.map((value, i) => {
          const channel = (index % 2) * 2 + Math.floor(i / 3)
          const z = value * scales[channel]! + shifts[channel]!
          return z / (1 + Math.exp(-z))
        }),
      )
    const layout = groupsOf(image, 2)
    const { dx, dgamma, dbeta } = groupNormSwishGrad(given, layout, 1)
    same(valuesOf(dx), slopes(forward, values, dys))
    same(
      dgamma.values,
      slopes((scales) => forward(values, scales), w, dys),
    )
    same(
      dbeta.values,
      slopes((shifts) => forward(values, w, shifts), o, dys),
    )

    const other = groupNormSwishGrad(given, layout, 0.5)
    const terms = values.map((value, i) => {
      const [group, channel] = [Math.floor(i / 6), Math.floor(i / 3) % 4]
      const h = (value - groups[group]!.mean) * groups[group]!.rstd
      const z = h * w[channel]! + o[channel]!
      const e = 1 + Math.exp(-0.5 * z)
      return { channel, h, u: ((1 + z - z / e) / e) * dys[i]!, root: groups[group]!.rstd }
    })
    const byChannel = (value: (term: (typeof terms)[0]) => number) =>
      [0, 1, 2, 3].map((c) => terms.reduce((sum, term) => sum + (term.channel === c ? value(term) : 0), 0))
    same(
      other.dbeta.values,
      byChannel(({ u }) => u),
    )
    same(
      other.dgamma.values,
      byChannel(({ u, h }) => u * h),
    )
    const expected = [0, 6, 12, 18].flatMap((start) => {
      const group = terms.slice(start, start + 6)
      const c1 = average(group.map(({ u, channel }) => u * w[channel]!))
      const c2 = average(group.map(({ u, h, channel }) => u * h * w[channel]!))
      return group.map(({ u, h, channel, root }) => root * (u * w[channel]! - h * c2 - c1))
    })
    same(valuesOf(other.dx), expected)
  })

  test('a factor and an addend go through to the scale', () => {
    const c = centred(sumOf(x), tensorOf('float64', [4, 1, 1], [1, 2, 3, 4]), rowsOf(24, 6))
    const result = combined(-2, c, dy)
    expect(valuesOf(result)).toEqual(near(xs.map((value, i) => -2 * (value - 1 - Math.floor(i / 6)) + ds[i]!)))
    const size = (value: number, i: number) => 2 * (Math.abs(value) + 1 + Math.floor(i / 6)) + Math.abs(ds[i]!)
    expect(scaleOf(result)).toEqual(near(xs.map(size)))
  })
})
