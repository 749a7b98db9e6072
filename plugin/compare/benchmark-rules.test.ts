import { expect, test } from 'vitest'
import { encode } from '../inputs/index.ts'
import { emptyTensor, type KernelCase, type TaskInterface, type Tensor } from '../model/index.ts'
import { allClose } from './benchmark.ts'
import { judge } from './judge.ts'
import type { BenchmarkRule, Judgement, ToleranceProfiles } from './rules.ts'

const output = { kind: 'tensor', required: true, dtypes: ['float32'] } as const
const task: TaskInterface = {
  name: 'T',
  kernel: 't',
  suite: 'own',
  group: null,
  category: 'Math',
  inputs: [],
  outputs: ['y', 'z'].map((name) => ({ ...output, name, dtypes: ['float32' as const] })),
  attrs: [],
}
const poison = new Uint8Array(8)

function tensorOf(values: readonly number[]): Tensor {
  const tensor = emptyTensor('float32', [values.length])
  encode(Float64Array.from(values), tensor)
  return tensor
}

/** What is said of two outputs whose golden is 1 everywhere. */
function judged(rules: Pick<ToleranceProfiles, 'benchmark' | 'revisions'>, y: readonly number[], z = y): Judgement {
  const spec = { dtype: 'float32' as const, shape: [y.length] }
  const kernelCase: KernelCase = {
    task: 'T',
    name: 'static 0',
    combination: 0,
    inputs: {},
    outputs: { y: spec, z: spec },
    attrs: {},
    seed: 1,
  }
  const golden = { values: new Float64Array(y.length).fill(1) }
  const profiles = { strict: () => ({ absolute: 0, relative: 0 }), ...rules }
  const actual = { y: tensorOf(y), z: tensorOf(z) }
  return judge({ interface: task, profiles }, kernelCase, { y: golden, z: golden }, actual, poison)
}

const rules = { benchmark: allClose(1e-4), revisions: { wide: allClose(1e-2), narrow: allClose(1e-5) } }

test.each([
  [1, { benchmark: 'accepted', revisions: { wide: 'accepted', narrow: 'accepted' } }],
  [1 + 1e-4, { benchmark: 'accepted', revisions: { wide: 'accepted', narrow: 'rejected' } }],
  [1 + 1e-3, { benchmark: 'rejected', revisions: { wide: 'accepted', narrow: 'rejected' } }],
  [1.1, { benchmark: 'rejected', revisions: { wide: 'rejected', narrow: 'rejected' } }],
  [NaN, { benchmark: 'rejected', revisions: { wide: 'rejected', narrow: 'rejected' } }],
])('each revision answers for itself: %d', (last, answers) => {
  expect(judged(rules, [1, 1, last])).toMatchObject(answers)
  // whichever output it is in, and whatever follows it
  expect(judged(rules, [1, last, 1], [1, 1, 1])).toMatchObject(answers)
  expect(judged(rules, [1, 1, 1], [last, 1, 1])).toMatchObject(answers)
})

test('beyond the first block as well', () => {
  const values = Array<number>(100_000).fill(1)
  expect(judged(rules, values.with(99_999, 1.001))).toMatchObject({
    benchmark: 'rejected',
    revisions: { wide: 'accepted' },
  })
})

test('a task without revisions has none in its judgement', () => {
  expect(judged({ benchmark: allClose(1) }, [1])).not.toHaveProperty('revisions')
})

test('outputs of another structure are accepted by no revision', () => {
  expect(judged(rules, [1, 1], [1])).toMatchObject({
    benchmark: 'rejected',
    revisions: { wide: 'rejected', narrow: 'rejected' },
  })
})

const atMostOne: BenchmarkRule = () => {
  let wrong = 0
  return {
    block: (expected, actual) => {
      for (let i = 0; i < actual.length; i++) if (expected[i] !== actual[i]) wrong++
      return true
    },
    end: () => wrong <= 1,
  }
}

test('a rule that counts is asked at the end, beside one that does not', () => {
  const both = { benchmark: allClose(0), revisions: { counting: atMostOne } }
  expect(judged(both, [1, 2, 1])).toMatchObject({ benchmark: 'rejected', revisions: { counting: 'accepted' } })
  expect(judged(both, [1, 2, 2])).toMatchObject({ benchmark: 'rejected', revisions: { counting: 'rejected' } })
})

test('a rule that is looked at twice is asked once', () => {
  let asked = 0
  const counted: BenchmarkRule = (context) => {
    asked++
    return allClose(1e-4)(context)
  }
  expect(judged({ benchmark: counted, revisions: { same: counted } }, [1, 1])).toMatchObject({
    benchmark: 'accepted',
    revisions: { same: 'accepted' },
  })
  // once for each output
  expect(asked).toBe(2)
})

/** Works in place. */
const magnitudes: BenchmarkRule = () => ({
  block(expected, actual) {
    for (const values of [expected, actual]) for (let i = 0; i < values.length; i++) values[i] = Math.abs(values[i]!)
    return expected.every((value, i) => value === actual[i])
  },
})

test('a rule that works in place changes neither golden nor what another rule is shown', () => {
  const golden = { values: new Float64Array(3).fill(-1) }
  const outputs = tensorOf([1, 1, 1])
  const spec = { dtype: 'float32' as const, shape: [3] }
  const kernelCase: KernelCase = {
    task: 'T',
    name: 'static 0',
    combination: 0,
    inputs: {},
    outputs: { y: spec },
    attrs: {},
    seed: 1,
  }
  const profiles = {
    strict: () => ({ absolute: 0, relative: 0 }),
    benchmark: magnitudes,
    revisions: { signed: allClose(1e-4) },
  }
  for (const _ of [1, 2]) {
    const { strict, benchmark, revisions } = judge(
      { interface: task, profiles },
      kernelCase,
      { y: golden },
      { y: outputs },
      poison,
    )
    expect({ kind: strict.kind, benchmark, revisions }).toEqual({
      kind: 'wrong-value',
      benchmark: 'accepted',
      revisions: { signed: 'rejected' },
    })
  }
  expect([...golden.values]).toEqual([-1, -1, -1])
})
