import { describe, expect, test } from 'vitest'
import { judge } from '../compare/index.ts'
import { toFloat64 } from '../inputs/index.ts'
import type { KernelCase, Tensor } from '../model/index.ts'
import { allClose, attr, byCase, defineTask, dim, exact, normal, tensor } from './index.ts'
import type { KernelTask, TaskDefinition } from './index.ts'

const scaled = {
  category: 'Math',
  kernel: 'scaled',
  inputs: { x: tensor({ dtype: 'float32', shape: ['n'] }) },
  outputs: { y: tensor.like('x'), z: tensor.like('x') },
  attrs: { factor: attr.float(2), axes: attr.listInt([0]) },
  golden: ({ x }: { x: Tensor }) => ({ y: { values: toFloat64(x) }, z: { values: toFloat64(x) } }),
  domain: { n: dim({ max: 64 }) },
  strict: exact,
  cases: [{ n: 4, factor: -3 }],
}

// Deliberately beyond the types: these tests are about what is said at run time.
const define = (changes: object): KernelTask =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  defineTask('Scaled', { ...scaled, ...changes } as unknown as TaskDefinition)
const caseOf = (task: KernelTask): KernelCase => task.staticCases[0]!
const contextOf = (kernelCase: KernelCase) => ({
  case: kernelCase,
  output: 'y',
  dtype: 'float32' as const,
  elements: 4,
})
const benchmarkOf = (task: KernelTask) => task.profiles.benchmark(contextOf(caseOf(task)))

describe('a case stays as it is, whatever functions of a spec do to it in place', () => {
  interface Shown {
    attrs: { factor: number; axes: number[] }
  }
  const change = ({ attrs }: Shown): void => {
    attrs.factor = 1
    attrs.axes.push(7)
  }
  const inPlace =
    <R>(answer: R) =>
    ({ case: shown }: { case: Shown }): R => {
      change(shown)
      return answer
    }

  test.each<[string, object, (task: KernelTask) => unknown]>([
    [
      'strict',
      { strict: inPlace({ absolute: 0, relative: 0 }) },
      (task) => task.profiles.strict(contextOf(caseOf(task))),
    ],
    ['judged', { judged: (shown: Shown) => (change(shown), ['y']) }, (task) => task.profiles.judged!(caseOf(task))],
    ['benchmark.tolerance', { benchmark: { tolerance: inPlace({ block: () => true }) } }, benchmarkOf],
    ['benchmark.outputs', { benchmark: { outputs: (shown: Shown) => (change(shown), ['y']) } }, benchmarkOf],
    [
      'draw',
      {
        inputs: {
          x: tensor({
            dtype: 'float32',
            shape: ['n'],
            draw: byCase((shown) => {
              // oxlint-disable-next-line typescript/no-unsafe-type-assertion
              change(shown as unknown as Shown)
              // oxlint-disable-next-line typescript/no-unsafe-type-assertion
              ;(shown.shapes['x']![0] as number[]).pop()
              return normal()
            }),
          }),
        },
      },
      (task) => task.draw(caseOf(task)),
    ],
  ])('%s', (_, changes, ask) => {
    const task = define(changes)
    const before = structuredClone(caseOf(task))
    ask(task)
    expect(caseOf(task)).toEqual(before)
  })
})

describe('a bound is numbers', () => {
  test.each<[string, unknown]>([
    ['absolute of the bound of y is undefined', { relative: 0.1 }],
    ['absolute of the bound of y is undefined', undefined],
    ['relative of the bound of y is NaN', { absolute: 0, relative: NaN }],
    ['relative of the bound of y is -Infinity', { absolute: Infinity, relative: -Infinity }],
    ['relative of the bound of y is Infinity', { absolute: 0, relative: Infinity }],
    ['scaled of the bound of y is NaN', { absolute: 0, relative: 0.1, scaled: NaN }],
    ['scaled of the bound of y is 1', { absolute: 0, relative: 0.1, scaled: '1' }],
  ])('%s', (problem, bound) => {
    const task = define({ strict: () => bound })
    expect(() => task.profiles.strict(contextOf(caseOf(task)))).toThrow(
      `task Scaled: strict: ${problem}: give a finite number, 0 or more`,
    )
  })

  test.each([
    { absolute: Infinity, relative: 0 },
    { absolute: 0, relative: 1, scaled: 0 },
  ])('%j is one', (bound) => {
    const task = define({ strict: () => bound })
    expect(task.profiles.strict(contextOf(caseOf(task)))).toBe(bound)
  })
})

describe('which outputs are looked at', () => {
  test.each<[string, object]>([
    ['judged: there is no output "out"; there are y, z', { judged: () => ['y', 'out'] }],
    ['judged: is no list of names of outputs', { judged: () => 'yes' }],
    ['judged: names no output that static 0 has: nothing would be compared; it has y, z', { judged: () => [] }],
    ['benchmark.outputs: there is no output "out"', { benchmark: { outputs: ['out'] } }],
    ['benchmark.outputs: there is no output "out"', { benchmark: { outputs: () => ['out'] } }],
    ['benchmark.outputs: names no output that static 0 has', { benchmark: { outputs: [] } }],
  ])('%s', (problem, changes) => {
    expect(() => {
      const task = define(changes)
      task.profiles.judged?.(caseOf(task))
      benchmarkOf(task)
    }).toThrow(`task Scaled: ${problem}`)
  })

  test('some of them are chosen', () => {
    const task = define({ judged: () => ['z'], benchmark: { tolerance: allClose(0), outputs: ['y'] } })
    expect(task.profiles.judged!(caseOf(task))).toEqual(['z'])
    expect(benchmarkOf(task).block(Float64Array.of(1), Float64Array.of(2))).toBe(false)
  })

  test('the error of the spec is what a comparison ends in', () => {
    const task = define({ judged: () => ['out'] })
    const outputs = { y: task.draw(caseOf(task))['x'], z: task.draw(caseOf(task))['x'] }
    const golden = { y: { values: new Float64Array(4) }, z: { values: new Float64Array(4) } }
    expect(() => judge(task, caseOf(task), golden, outputs, new Uint8Array(8))).toThrow('task Scaled: judged')
  })
})
