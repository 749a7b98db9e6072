import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toFloat64 } from '../inputs/index.ts'
import { kernelCase as kernelCaseSchema, type KernelCase, type TensorSpec } from '../model/index.ts'
import { Draws } from '../search/index.ts'
import { attr, defineTask, dim, exact, tensor } from '../task/index.ts'
import { caseProblem, withOwnSeed } from './project-case.ts'

const task = defineTask('Masked', {
  category: 'Math',
  kernel: 'masked',
  inputs: {
    x: tensor({ dtype: ['float32', 'float16', 'float32'], shape: ['n', 'D'] }),
    mask: tensor({ dtype: 'int32', shape: ['n'] }),
  },
  outputs: { y: tensor({ dtype: ['float32', 'float16', 'float16'], shape: ['n', 'D'] }) },
  attrs: { factor: attr.float(2) },
  content: { sparse: attr.bool(false) },
  golden: ({ x }) => ({ y: { values: toFloat64(x) } }),
  domain: fc.record({
    n: dim({ max: 8 }),
    D: dim({ max: 8 }),
    factor: fc.constantFrom(0.5, 2),
    sparse: fc.boolean(),
  }),
  strict: exact,
  cases: [
    { n: 2, D: 3, dtype: 0, values: { mask: [1, 0] } },
    { n: 4, D: 8, dtype: 2, sparse: true },
  ],
})

const [first, second] = task.staticCases
const written = (kernelCase: KernelCase): KernelCase => kernelCaseSchema.parse(JSON.parse(JSON.stringify(kernelCase)))

test('cases of the task are none of somebody else', () => {
  const drawn = new Draws(task.domain, 5)
  const cases = [...task.staticCases, ...Array.from({ length: 40 }, (_, i) => drawn.case(String(i)))]
  for (const each of cases) expect(caseProblem(task, written(each))).toBeUndefined()
  // a mask that rows of the task fix as well, and no row chooses the seed that is judged besides
  const masked = { ...first!, name: 'generated', seed: 3 }
  expect(caseProblem(task, masked)).toBeUndefined()
  expect(withOwnSeed(masked).seed).toBe(withOwnSeed(first!).seed)
})

describe('what a row may not choose', () => {
  const generated: KernelCase = { ...written(second!), name: 'generated' }
  const withX = (x: Partial<TensorSpec>): KernelCase => ({
    ...generated,
    inputs: { ...generated.inputs, x: { dtype: 'float32', shape: [4, 8], ...x } },
  })
  const empty: TensorSpec = { dtype: 'float16', shape: [0, 8] }
  test.each<[string, KernelCase]>([
    ['its case fixes the values of x, which the task draws', withX({ values: Array<number>(32).fill(0) })],
    ['its case is not static 0 of Masked', { ...first!, attrs: { factor: 0 } }],
    ['its case is not static 7 of Masked', { ...first!, name: 'static 7' }],
    ['its case has no outputs to compare', { ...generated, outputs: {} }],
    ['its case has no outputs to compare', { ...generated, outputs: { y: null } }],
    ['its case has no outputs to compare', { ...generated, outputs: { y: empty } }],
    ['its case has content of its own', { ...generated, content: { zeros: true } }],
    ['its case is not what Masked makes of its shapes', { ...generated, device: { cores: 1, unifiedBuffer: 1 } }],
    ['its case is not what Masked makes of its shapes', { ...generated, name: 'mine' }],
    ['its case is not what Masked makes of its shapes', withX({ dtype: 'float16' })],
    [
      'its case is not what Masked makes of its shapes',
      { ...generated, outputs: { y: { dtype: 'bool', shape: [4, 8] } } },
    ],
    ['task Masked: generated', withX({ shape: [5, 8] })],
    ['task Masked: generated: unknown field more', { ...generated, attrs: { factor: 2, more: 1 } }],
  ])('%s', (problem, kernelCase) => {
    expect(caseProblem(task, kernelCase)).toContain(problem)
  })
})
