/* oxlint-disable unicorn/consistent-function-scoping -- each kernel stands beside the promise that needs it */
import { describe, expect, test, vi } from 'vitest'
import { judge } from '../plugin/compare/index.ts'
import { roundTo } from '../plugin/compare/round.ts'
import { encode } from '../plugin/inputs/index.ts'
import type { Tensor } from '../plugin/model/index.ts'
import { dtypeOf, tensorsOf, type Attributes, type KernelTask } from '../plugin/task/index.ts'
import { erf } from './golden/erf.ts'
import { casesOf } from './cases-of.ts'
import { half, partOf, single, verdictsOf, type Kernel } from './kernel-models.ts'
import { loadSpecs } from './load-specs.ts'
import { perfect, poison } from './trivial-candidates.ts'

vi.setConfig({ testTimeout: 60_000 })

const tasks = new Map((await loadSpecs()).map((task) => [task.interface.name, task]))

const verdicts = (name: string, ...rest: Tail<Parameters<typeof verdictsOf>>) => verdictsOf(tasks.get(name)!, ...rest)
type Tail<T> = T extends [unknown, ...infer Rest] ? Rest : never

const right = ['correct']
const wrong = expect.arrayContaining(['wrong-value'])

describe('AddCustom', () => {
  test('accepts one rounding, with or without a detour through float32', () => {
    expect(verdicts('AddCustom', 'z', ({ x, y }) => [...x!].map((value, i) => value + y![i]!))).toEqual(right)
    expect(verdicts('AddCustom', 'z', ({ x, y }) => [...x!].map((value, i) => half(single(value + y![i]!))))).toEqual(
      right,
    )
  })

  test('rejects rounding towards zero', () => {
    const truncate = (value: number) => Math.trunc(value * 2 ** 9) / 2 ** 9
    expect(verdicts('AddCustom', 'z', ({ x, y }) => [...x!].map((value, i) => truncate(value + y![i]!)))).toEqual(wrong)
  })
})

describe('Sqrt', () => {
  test('accepts float32 square roots two units off', () => {
    for (const factor of [1 + 2 ** -22, 1 - 2 ** -22]) {
      expect(verdicts('Sqrt', 'y', ({ x }) => [...x!].map((value) => single(Math.sqrt(value) * factor)))).toEqual(right)
    }
  })

  test('rejects x * rsqrt(x), which is NaN at zero, and an estimate good to three digits', () => {
    const byReciprocal: Kernel = ({ x }) => [...x!].map((value) => value * (1 / Math.sqrt(value)))
    expect(verdicts('Sqrt', 'y', byReciprocal)).toContain('wrong-nonfinite')
    for (const dtype of ['float16', 'float32', 'bfloat16']) {
      const estimate: Kernel = ({ x }) => [...x!].map((value) => Math.sqrt(value) * 1.003)
      expect(verdicts('Sqrt', 'y', estimate, (type) => type === dtype)).toEqual(wrong)
    }
  })
})

describe('Equal', () => {
  test('rejects a comparison with an epsilon', () => {
    const close: Kernel = ({ x1, x2 }) => [...x1!].map((value, i) => (Math.abs(value - x2![i]!) < 1e-6 ? 1 : 0))
    expect(verdicts('Equal', 'y', close, (dtype) => dtype === 'float32')).toEqual(wrong)
  })

  test('rejects a comparison of integers as float32, and one of bits', () => {
    const asFloat: Kernel = ({ x1, x2 }) => [...x1!].map((value, i) => (single(value) === single(x2![i]!) ? 1 : 0))
    expect(verdicts('Equal', 'y', asFloat, (dtype) => dtype === 'int32')).toEqual(wrong)
    const asBits: Kernel = ({ x1, x2 }) => [...x1!].map((value, i) => (Object.is(value, x2![i]!) ? 1 : 0))
    expect(verdicts('Equal', 'y', asBits, (dtype) => dtype === 'float32')).toEqual(wrong)
  })
})

describe('ForeachAddList', () => {
  const each =
    (step: (x1: number, x2: number, alpha: number) => number): Kernel =>
    ({ x1, x2, alpha }) =>
      [...x1!].map((value, i) => step(value, x2![i]!, alpha![0]!))
  const isHalf = (dtype: string) => dtype === 'float16'
  const isBfloat = (dtype: string) => dtype === 'bfloat16'

  test('accepts the reference of each type and a fused multiply-add', () => {
    expect(
      verdicts(
        'ForeachAddList',
        'y',
        each((a, b, k) => a + half(k * b)),
        isHalf,
      ),
    ).toEqual(right)
    expect(
      verdicts(
        'ForeachAddList',
        'y',
        each((a, b, k) => a + k * b),
        (dtype) => dtype !== 'int32',
      ),
    ).toEqual(right)
    const steps = each((a, b, k) => single(a + single(k * b)))
    expect(verdicts('ForeachAddList', 'y', steps, (dtype) => dtype !== 'int32')).toEqual(right)
  })

  test('rejects a bfloat16 product, a forgotten alpha, and saturating integers', () => {
    const rounded = each((a, b, k) => a + roundTo('bfloat16', k * b))
    expect(verdicts('ForeachAddList', 'y', rounded, isBfloat)).toEqual(wrong)
    expect(
      verdicts(
        'ForeachAddList',
        'y',
        each((a, b) => a + b),
        isHalf,
      ),
    ).toEqual(wrong)
    const clamp = (value: number) => Math.min(2 ** 31 - 1, Math.max(-(2 ** 31), value))
    const saturated = each((a, b, k) => clamp(a + clamp(k * b)))
    expect(verdicts('ForeachAddList', 'y', saturated, (dtype) => dtype === 'int32')).toEqual(wrong)
  })
})

describe('Gelu', () => {
  const gelu =
    (error: number): Kernel =>
    ({ x }) =>
      [...x!].map((value) => single(single(value / 2) * single(1 + single(erf(value * Math.SQRT1_2) * (1 + error)))))

  test('accepts float32 steps with an erf a few units off', () => {
    for (const error of [0, 2 ** -22, -(2 ** -22)]) expect(verdicts('Gelu', 'y', gelu(error))).toEqual(right)
  })

  test('rejects the tanh approximation in every type', () => {
    const approximation: Kernel = ({ x }) =>
      [...x!].map((value) => (value / 2) * (1 + Math.tanh(0.7978845608028654 * (value + 0.044715 * value ** 3))))
    for (const dtype of ['float16', 'float32', 'bfloat16']) {
      expect(verdicts('Gelu', 'y', approximation, (type) => type === dtype)).toEqual(wrong)
    }
  })
})

describe('RmsNorm', () => {
  const normalise =
    (round: (value: number) => number, epsilonOf: (epsilon: number) => number): Kernel =>
    ({ x, gamma }, { epsilon }) => {
      const width = gamma!.length
      return [...x!].map((value, i) => {
        if (i % width === 0) scale = rootOf(x!, i, width, round, epsilonOf(Number(epsilon)))
        return single(single(value * scale) * gamma![i % width]!)
      })
    }
  let scale = 0
  const rootOf = (x: Float64Array, from: number, width: number, round: (value: number) => number, epsilon: number) => {
    let sum = 0
    for (let i = from; i < from + width; i++) sum = round(sum + round(x[i]! * x[i]!))
    return single(1 / single(Math.sqrt(single(single(sum / width) + epsilon))))
  }

  test('accepts sums of squares in float32, one after the other', () => {
    expect(
      verdicts(
        'RmsNorm',
        'y',
        normalise(single, (epsilon) => epsilon),
      ),
    ).toEqual(right)
  })

  test('rejects sums in float16 and a forgotten epsilon', () => {
    expect(
      verdicts(
        'RmsNorm',
        'y',
        normalise(half, (epsilon) => epsilon),
        (dtype) => dtype === 'float16',
      ),
    ).toEqual(wrong)
    expect(
      verdicts(
        'RmsNorm',
        'y',
        normalise(single, () => 0),
      ),
    ).toEqual(wrong)
  })
})

describe('Tril', () => {
  const masked =
    (pick: (value: number, keep: boolean) => number, shift = 0): Kernel =>
    ({ x }, { diagonal }, shapes) => {
      const [rows = 1, columns = 1] = shapes.x!.slice(-2)
      return [...x!].map((value, i) =>
        pick(value, (i % columns) - (Math.floor(i / columns) % rows) <= Number(diagonal) + shift),
      )
    }

  test('accepts a select', () => {
    expect(
      verdicts(
        'Tril',
        'y',
        masked((value, keep) => (keep ? value : 0)),
      ),
    ).toEqual(right)
  })

  test('rejects a product with a mask and a diagonal one off', () => {
    expect(
      verdicts(
        'Tril',
        'y',
        masked((value, keep) => value * (keep ? 1 : 0)),
      ),
    ).toContain('wrong-nonfinite')
    expect(
      verdicts(
        'Tril',
        'y',
        masked((value, keep) => (keep ? value : 0), 1),
      ),
    ).toEqual(wrong)
  })
})

describe('ScatterList', () => {
  const axisOf = (attrs: Attributes, shape: readonly number[]) => Number(attrs.axis) + shape.length
  const scatter =
    (choose: (start: number, length: number, kept: boolean) => [at: number, from: number, count: number]): Kernel =>
    ({ var: target, indice, updates, mask }, attrs, shapes, position) => {
      const result = [...target!]
      const axis = axisOf(attrs, shapes.var!)
      const inner = shapes.var!.slice(axis + 1).reduce((size, extent) => size * extent, 1)
      const [extent, available] = [shapes.var![axis]!, shapes.updates![axis + 1]!]
      const outer = result.length / extent / inner
      const [at, from, count] = choose(indice![2 * position]!, indice![2 * position + 1]!, mask?.[position] !== 0)
      for (let block = 0; block < outer; block++) {
        for (let i = 0; i < count * inner; i++) {
          const source = ((position * outer + block) * available + from) * inner + i
          result[(block * extent + at) * inner + i] = updates![source]!
        }
      }
      return result
    }

  test('accepts the definition', () => {
    expect(
      verdicts(
        'ScatterList',
        'var',
        scatter((start, length, kept) => [start, 0, kept ? length : 0]),
      ),
    ).toEqual(right)
  })

  test('rejects a forgotten mask, a forgotten start, and updates read at the start of the range', () => {
    for (const choose of [
      (start: number, length: number): [number, number, number] => [start, 0, length],
      (_: number, length: number, kept: boolean): [number, number, number] => [0, 0, kept ? length : 0],
      (start: number, length: number, kept: boolean): [number, number, number] => [start, start, kept ? length : 0],
    ]) {
      expect(verdicts('ScatterList', 'var', scatter(choose))).toEqual(wrong)
    }
  })
})

describe('BasicMatmul', () => {
  const multiply =
    (round: (value: number) => number): Kernel =>
    ({ a, b }, _, shapes) => {
      const [m = 1, k = 1] = shapes.a!
      const n = shapes.b![1]!
      return Array.from({ length: m * n }, (_, at) => {
        let sum = 0
        for (let p = 0; p < k; p++) sum = round(sum + a![Math.floor(at / n) * k + p]! * b![p * n + (at % n)]!)
        return sum
      })
    }
  test('accepts float32 sums, one product after the other; rejects float16 sums', () => {
    expect(verdicts('BasicMatmul', 'c', multiply(single))).toEqual(right)
    expect(verdicts('BasicMatmul', 'c', multiply(half))).toEqual(wrong)
  })
})

describe('the public rules, defects included', () => {
  const answer = (task: KernelTask, change: (tensor: Tensor) => void) => {
    const [kernelCase] = casesOf(task, 0, 2 ** 20)
    if (!kernelCase) throw new Error('no small static case')
    const golden = task.golden(task.draw(kernelCase), kernelCase)
    const actual = perfect(kernelCase, golden)
    for (const tensor of Object.values(actual).flatMap(tensorsOf)) change(tensor)
    return judge(task, kernelCase, golden, actual, poison)
  }

  test.each([
    'RmsNorm',
    'AddLayerNorm',
    'AddLayerNormGrad',
    'AddRmsNorm',
    'FastGeluGrad',
    'ForeachAcos',
    'ForeachAddcmulScalar',
    'ForeachNonFiniteCheckAndUnscale',
    'ForeachPowScalar',
    'InplaceFusedMatmulSoftmaxGrad',
    'RmsNormGrad',
    'SwiGluGrad',
  ])('%s accepts NaN everywhere; strict does not', (name) => {
    const nan = (tensor: Tensor) => encode(new Float64Array(tensor.data.length).fill(NaN), tensor)
    expect(answer(tasks.get(name)!, nan)).toMatchObject({ strict: { kind: 'wrong-nonfinite' }, benchmark: 'accepted' })
  })

  test('ForeachAddList: a kernel with the float16 steps of the reference is accepted, which golden alone would reject', () => {
    const task = tasks.get('ForeachAddList')!
    let alone = 0
    for (const kernelCase of casesOf(task, 60, 2 ** 12)) {
      if (dtypeOf(kernelCase, 'x1') !== 'float16') continue
      const inputs = task.draw(kernelCase)
      const golden = task.golden(inputs, kernelCase)
      const reference = task.reference!(inputs, kernelCase)
      const steps = perfect(kernelCase, reference)
      expect(judge(task, kernelCase, golden, steps, poison, reference).benchmark).toBe('accepted')
      if (judge(task, kernelCase, golden, steps, poison).benchmark === 'rejected') alone++
    }
    expect(alone).toBeGreaterThan(0)
  })

  test.each(['AddCustom', 'Sqrt', 'Gelu', 'LessEqual', 'Tril', 'ForeachAddList'])(
    '%s rejects zeros as strict does',
    (name) => {
      const zero = (tensor: Tensor) => encode(new Float64Array(tensor.data.length), tensor)
      expect(answer(tasks.get(name)!, zero)).toMatchObject({ strict: { kind: 'wrong-value' }, benchmark: 'rejected' })
    },
  )

  test.each(['RmsNorm', 'Gelu'])(
    '%s: what strict accepts at the edge of its bound, the public rule accepts',
    (name) => {
      const task = tasks.get(name)!
      for (const kernelCase of casesOf(task, 0, 2 ** 17)) {
        const golden = task.golden(task.draw(kernelCase), kernelCase)
        for (const sign of [-1, 1]) {
          const actual = perfect(kernelCase, golden)
          const { y } = golden
          if (!y || !('block' in y)) throw new Error('golden by blocks expected')
          const dtype = dtypeOf(kernelCase, 'y')
          const { absolute, relative, scaled = 0 } = task.profiles.strict({ case: kernelCase, output: 'y', dtype })
          const [values, scale] = [new Float64Array(y.length), new Float64Array(y.length)]
          y.block(0, values)
          y.scaleBlock?.(0, scale)
          const edge = values.map(
            (value, i) => value + sign * (absolute + relative * Math.abs(value) + scaled * scale[i]!),
          )
          encode(edge, partOf(actual.y!, 0))
          expect(judge(task, kernelCase, golden, actual, poison)).toMatchObject({
            strict: { kind: 'correct' },
            benchmark: 'accepted',
          })
        }
      }
    },
  )
})
