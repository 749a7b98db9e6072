import { describe, expect, test, vi } from 'vitest'
import { judge } from '../../plugin/compare/index.ts'
import { roundTo } from '../../plugin/compare/round.ts'
import { encode, toFloat64 } from '../../plugin/inputs/index.ts'
import type { DType } from '../../plugin/model/index.ts'
import { tensorsOf, type GoldenTensor, type Inputs, type KernelTask } from '../../plugin/task/index.ts'
import { casesOf } from '../cases-of.ts'
import { loadSpecs } from '../load-specs.ts'
import { perfect, poison } from '../trivial-candidates.ts'
import { erf } from './erf.ts'

// Golden results of hundreds of cases, on machines that do other things as well.
vi.setConfig({ testTimeout: 60_000 })

const tasks = (await loadSpecs()).filter((task) => task.interface.category === 'Foreach')

type Round = (value: number) => number

/**
 * What an operator does with the elements `x` of its lists and the scalar of their tensor, the way a kernel would write
 * it: `r` rounds a step. Without rounding that is a second formula for golden; with float32 rounding it is a right kernel.
 */
type Formula = (r: Round, x: readonly number[], scalar: number) => number

// Two parts of 2 pi: the first has few digits, so that its multiples are exact in float32.
const [TAU_HIGH, TAU_LOW] = [6.28125, 2 * Math.PI - 6.28125]
const turned = (r: Round, x: number) => {
  const turns = Math.round(x / (2 * Math.PI))
  return r(r(x - turns * TAU_HIGH) - r(turns * r(TAU_LOW)))
}
const sine = (r: Round, x: number) => r(Math.sin(turned(r, x)))
const cosine = (r: Round, x: number) => r(Math.cos(turned(r, x)))
const arcSine = (r: Round, x: number) => r(Math.atan(r(x / r(Math.sqrt(r(1 - r(x * x)))))))
const exp = (r: Round, x: number) => r(Math.exp(x))
const ln = (r: Round, x: number) => r(Math.log(x))

const floats: Record<string, Formula> = {
  ForeachAbs: (_, [x]) => Math.sqrt(x! * x!) && (x! < 0 ? 0 - x! : x!),
  ForeachNeg: (_, [x]) => 0 - x!,
  ForeachAcos: (r, [x]) => r(Math.PI / 2 - arcSine(r, x!)),
  ForeachAsin: (r, [x]) => arcSine(r, x!),
  ForeachAtan: (r, [x]) => 2 * r(Math.atan(r(x! / r(1 + r(Math.sqrt(r(1 + r(x! * x!)))))))),
  ForeachCos: (r, [x]) => cosine(r, x!),
  ForeachSin: (r, [x]) => sine(r, x!),
  ForeachTan: (r, [x]) => r(sine(r, x!) / cosine(r, x!)),
  ForeachSinh: (r, [x]) => r(exp(r, x!) - r(1 / exp(r, x!))) / 2,
  ForeachCosh: (r, [x]) => r(exp(r, x!) + r(1 / exp(r, x!))) / 2,
  ForeachTanh(r, [x]) {
    const square = exp(r, 2 * Math.min(20, Math.max(-20, x!)))
    return r(r(square - 1) / r(square + 1))
  },
  ForeachSigmoid: (r, [x]) => r(1 / r(1 + exp(r, -x!))),
  ForeachErf: (r, [x]) => r(erf(x!)),
  ForeachErfc: (r, [x]) => r(1 - r(erf(x!))),
  ForeachExp: (r, [x]) => exp(r, x!),
  ForeachExpm1: (r, [x]) => r(exp(r, x!) - 1),
  ForeachLog: (r, [x]) => ln(r, x!),
  ForeachLog2: (r, [x]) => r(ln(r, x!) / r(Math.LN2)),
  ForeachLog10: (r, [x]) => r(ln(r, x!) * r(1 / Math.LN10)),
  ForeachLog1p: (r, [x]) => ln(r, r(x! + 1)),
  ForeachReciprocal: (r, [x]) => r(1 / x!),
  ForeachSqrt: (r, [x]) => r(x! ** 0.5),
  ForeachSign: (_, [x]) => Number(x! > 0) - Number(x! < 0),
  ForeachCopy: (_, [x]) => x!,
  ForeachZeroInplace: () => 0,
  ForeachAddScalar: (r, [x], s) => r(x! + s),
  ForeachAddScalarList: (r, [x], s) => r(x! + s),
  ForeachSubScalar: (r, [x], s) => r(x! - s),
  ForeachSubScalarList: (r, [x], s) => r(x! - s),
  ForeachMulScalar: (r, [x], s) => r(x! * s),
  ForeachMulScalarList: (r, [x], s) => r(x! * s),
  ForeachDivScalar: (r, [x], s) => r(x! * r(1 / s)),
  ForeachDivScalarList: (r, [x], s) => r(x! / s),
  ForeachMaximumScalar: (_, [x], s) => (x! < s ? s : x!),
  ForeachMinimumScalar: (_, [x], s) => (x! > s ? s : x!),
  ForeachMaximumList: (_, [a, b]) => (a! > b! || Number.isNaN(a) ? a! : b!),
  ForeachMinimumList: (_, [a, b]) => (a! < b! || Number.isNaN(a) ? a! : b!),
  ForeachMulList: (r, [a, b]) => r(a! * b!),
  ForeachDivList: (r, [a, b]) => r(a! / b!),
  ForeachAddList: (r, [a, b], s) => r(a! + r(s * b!)),
  ForeachSubList: (r, [a, b], s) => r(a! - r(s * b!)),
  ForeachAddcmulList: (r, [a, b, c], s) => r(a! + r(r(s * b!) * c!)),
  ForeachAddcmulScalar: (r, [a, b, c], s) => r(a! + r(r(b! * c!) * s)),
  ForeachAddcmulScalarList: (r, [a, b, c], s) => r(a! + r(r(s * b!) * c!)),
  ForeachAddcdivList: (r, [a, b, c], s) => r(a! + r(r(b! / c!) * s)),
  ForeachAddcdivScalar: (r, [a, b, c], s) => r(a! + r(r(s * b!) / c!)),
  ForeachAddcdivScalarList: (r, [a, b, c], s) => r(a! + r(r(b! / c!) * s)),
  ForeachLerpScalar: (r, [a, b], s) => (s < 0.5 ? r(a! + r(s * r(b! - a!))) : r(b! - r(r(b! - a!) * r(1 - s)))),
  ForeachPowScalar: (r, [x], s) =>
    s === 2 ? r(x! * x!) : (x! < 0 && s % 2 !== 0 ? -1 : 1) * exp(r, r(s * ln(r, Math.abs(x!)))),
  ForeachPowScalarAndTensor: (r, [x], s) => (x === 0 ? 1 : exp(r, r(x! * ln(r, s)))),
  ForeachRoundOffNumber(_, [x], mode) {
    const whole = Math.floor(x!)
    const part = x! - whole
    const even = part > 0.5 || (part === 0.5 && whole % 2 !== 0) ? whole + 1 : whole
    const away = x! < 0 ? Math.ceil(x! - 0.5) : Math.floor(x! + 0.5)
    const truncated = x! < 0 && part > 0 ? whole + 1 : whole
    return [NaN, even, whole, part > 0 ? whole + 1 : whole, away, truncated, NaN, x! - truncated][mode]!
  },
}

const wrapped = (value: bigint) => Number(BigInt.asIntN(32, value))
const sum = (_: Round, [x]: readonly number[], s: number) => wrapped(BigInt(x!) + BigInt(s))
const difference = (_: Round, [x]: readonly number[], s: number) => wrapped(BigInt(x!) - BigInt(s))
const product = (_: Round, [x]: readonly number[], s: number) => wrapped(BigInt(x!) * BigInt(s))
const combination = (_: Round, [a, b, c]: readonly number[], s: number) =>
  wrapped(BigInt(a!) + BigInt(s) * BigInt(b!) * BigInt(c!))

/** Where int32 lists have another formula. */
const integers: Record<string, Formula> = {
  ForeachAddScalar: sum,
  ForeachAddScalarList: sum,
  ForeachSubScalar: difference,
  ForeachSubScalarList: difference,
  ForeachMulScalar: product,
  ForeachMulScalarList: product,
  ForeachMulList: (_, [a, b]) => wrapped(BigInt(a!) * BigInt(b!)),
  ForeachAddList: (_, [a, b], s) => wrapped(BigInt(a!) + BigInt(s) * BigInt(b!)),
  ForeachSubList: (_, [a, b], s) => wrapped(BigInt(a!) - BigInt(s) * BigInt(b!)),
  ForeachAddcmulList: combination,
  ForeachAddcmulScalar: combination,
  ForeachAddcmulScalarList: combination,
  ForeachPowScalar: (_, [x], s) => Number(BigInt(x!) ** BigInt(s)),
  ForeachPowScalarAndTensor: (_, [x], s) => Number(BigInt(s) ** BigInt(x!)),
}

/** Operators whose float16 kernels may round every step to float16, as their published reference does. */
const inHalf = /^Foreach(AddList|SubList|Addc)/

/** Those that are no formula of single elements; they have tests of their own below. */
const whole = new Set(['ForeachNorm', 'ForeachNonFiniteCheckAndUnscale'])

const elementwise = tasks
  .filter((task) => !whole.has(task.interface.name))
  .map((task) => ({ name: task.interface.name, task }))

// Calls `visit` for every tensor of the output with its elements by the formula.
function forEachTensor(
  { name, task }: { name: string; task: KernelTask },
  { inputs, round }: { inputs: Inputs; round: (dtype: DType) => Round },
  visit: (values: Float64Array, position: number) => void,
): void {
  const lists = task.interface.inputs
    .filter(({ kind }) => kind === 'tensorList')
    .map((list) => tensorsOf(inputs[list.name]))
  const other = task.interface.inputs.find(({ kind }) => kind !== 'tensorList')
  const scalars = other ? toFloat64(tensorsOf(inputs[other.name])[0]!) : Float64Array.of(0)
  for (const [position, { dtype }] of lists[0]!.entries()) {
    const formula = (dtype === 'int32' ? integers[name] : undefined) ?? floats[name]!
    const scalar = scalars[scalars.length === 1 ? 0 : position]!
    const columns = lists.map((list) => toFloat64(list[position]!))
    const rounding = round(dtype)
    visit(
      columns[0]!.map((_, i) =>
        formula(
          rounding,
          columns.map((column) => column[i]!),
          scalar,
        ),
      ),
      position,
    )
  }
}

function valuesOf(golden: GoldenTensor): Float64Array {
  if ('data' in golden) return toFloat64(golden)
  if ('values' in golden) return golden.values
  const values = new Float64Array(golden.length)
  const cut = Math.floor(golden.length / 3)
  golden.block(0, values.subarray(0, cut))
  golden.block(cut, values.subarray(cut))
  return values
}

test('every element-wise operator of the family has a second formula', () => {
  expect(elementwise.map(({ name }) => name).toSorted()).toEqual(Object.keys(floats).toSorted())
})

describe.each(elementwise)('$name', ({ name, task }) => {
  const cases = casesOf(task, 10, 2 ** 12)
  const output = task.interface.outputs[0]!.name

  test('golden agrees with the formula', () => {
    for (const kernelCase of cases) {
      const inputs = task.draw(kernelCase)
      const golden = task.golden(inputs, kernelCase)
      const tensors = [golden[output]!].flat()
      forEachTensor({ name, task }, { inputs, round: () => (value) => value }, (expected, position) => {
        const values = valuesOf(tensors[position]!)
        for (const [i, value] of values.entries()) {
          if (Object.is(value, expected[i]) || value === expected[i]) continue
          const limit = 1e-11 * Math.max(Math.abs(expected[i]!), 1)
          // A right angle less an arc sine next to 1, and tangents next to a pole, lose half of their digits.
          expect(Math.abs(value - expected[i]!), `${value} for ${expected[i]}`).toBeLessThan(
            /cos|Asin|Tan$/.test(name) ? 1e5 * limit * Math.max(1, Math.abs(value)) : limit,
          )
        }
      })
    }
  })

  test('a kernel that computes the formula in float32 is right', () => {
    for (const kernelCase of cases) {
      const inputs = task.draw(kernelCase)
      const golden = task.golden(inputs, kernelCase)
      const actual = perfect(kernelCase, golden)
      const round = (dtype: DType): Round =>
        dtype === 'float16' && inHalf.test(name) ? (value) => roundTo('float16', value) : Math.fround
      forEachTensor({ name, task }, { inputs, round }, (values, position) => {
        const target = tensorsOf(actual[output])[position]!
        if (target.dtype.includes('float') && target.dtype !== 'float64') encode(values, target)
      })
      expect(judge(task, kernelCase, golden, actual, poison), JSON.stringify(kernelCase)).toMatchObject({
        strict: { kind: 'correct' },
      })
    }
  })

  test('a kernel one part in 64 off is wrong', () => {
    const kinds = new Set<string>()
    for (const kernelCase of cases) {
      const golden = task.golden(task.draw(kernelCase), kernelCase)
      const actual = perfect(kernelCase, golden)
      for (const tensor of tensorsOf(actual[output])) {
        const off = (value: number) =>
          tensor.dtype.includes('float') ? value + Math.max(1, Math.abs(value)) / 64 : Number(value === 0)
        encode(toFloat64(tensor).map(off), tensor)
      }
      kinds.add(judge(task, kernelCase, golden, actual, poison).strict.kind)
    }
    expect(kinds).not.toContain('correct')
  })
})

const specOf = (name: string): KernelTask => tasks.find((task) => task.interface.name === name)!

describe('ForeachNorm', () => {
  const task = specOf('ForeachNorm')

  test('is the root of the sum of squares, or the sum of magnitudes; float32 sums one after the other are right', () => {
    for (const kernelCase of casesOf(task, 30, 2 ** 12)) {
      const inputs = task.draw(kernelCase)
      const golden = task.golden(inputs, kernelCase)
      const order = toFloat64(tensorsOf(inputs.scalar)[0]!)[0]!
      const actual = perfect(kernelCase, golden)
      for (const [i, tensor] of tensorsOf(inputs.x).entries()) {
        const values = [...toFloat64(tensor)].map((value) => Math.abs(value) ** order)
        const expected = values.reduce((sum, value) => sum + value, 0) ** (1 / order)
        expect(valuesOf([golden.y!].flat()[i]!)[0]! / (expected || 1)).toBeCloseTo(expected ? 1 : 0, 12)
        const single = values.reduce((sum, value) => Math.fround(sum + Math.fround(value)), 0)
        encode(Float64Array.of(Math.fround(single ** (1 / order))), tensorsOf(actual.y)[i]!)
      }
      expect(judge(task, kernelCase, golden, actual, poison), JSON.stringify(kernelCase)).toMatchObject({
        strict: { kind: 'correct' },
      })
    }
  })

  test('refuses an order it does not define', () => {
    const [kernelCase] = task.staticCases
    const inputs = task.draw(kernelCase!)
    encode(Float64Array.of(3), tensorsOf(inputs.scalar)[0]!)
    expect(() => task.golden(inputs, kernelCase!)).toThrow('the order of the norm is 3')
  })
})

describe('ForeachNonFiniteCheckAndUnscale', () => {
  const task = specOf('ForeachNonFiniteCheckAndUnscale')

  test('finds NaN and infinity anywhere in the list, and multiplies; zero times anything is zero', () => {
    const found = new Set<number>()
    for (const kernelCase of [...casesOf(task, 20, 2 ** 15), task.staticCases[17]!, task.staticCases[20]!]) {
      const inputs = task.draw(kernelCase)
      const golden = task.golden(inputs, kernelCase)
      const scale = toFloat64(tensorsOf(inputs.inv_scale)[0]!)[0]!
      const lists = tensorsOf(inputs.scaled_grads).map((tensor) => [...toFloat64(tensor)])
      const expected = lists.flat().every(Number.isFinite) ? 0 : 1
      expect([...valuesOf([golden.found_inf!].flat()[0]!)]).toEqual([expected])
      for (const [i, list] of lists.entries()) {
        expect([...valuesOf([golden.scaled_grads!].flat()[i]!)]).toEqual(
          list.map((value) => (scale === 0 ? 0 : value * scale)),
        )
      }
      found.add(expected)
    }
    expect(found).toEqual(new Set([0, 1]))
  })
})

test('ForeachMulScalar: a copy passes the public rows, whose factor is always 1, and no generated list', () => {
  const task = specOf('ForeachMulScalar')
  const kinds = new Map<string, Set<string>>()
  for (const kernelCase of casesOf(task, 20, 2 ** 13)) {
    const inputs = task.draw(kernelCase)
    if (kernelCase.name === 'generated' && toFloat64(tensorsOf(inputs.scalar)[0]!)[0] === 1) continue
    const verdict = judge(task, kernelCase, task.golden(inputs, kernelCase), { y: inputs.x }, poison)
    const kind = kernelCase.name.split(' ')[0]!
    kinds.set(kind, (kinds.get(kind) ?? new Set()).add(`${verdict.strict.kind} ${verdict.benchmark}`))
  }
  expect(kinds.get('static')).toEqual(new Set(['correct accepted']))
  expect(kinds.get('generated')).not.toContain('correct accepted')
})
