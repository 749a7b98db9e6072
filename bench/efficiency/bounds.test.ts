import { expect, test } from 'vitest'
import { defineTask, exact, tensor } from '../../plugin/task/index.ts'
import { boundOf } from './bounds.ts'
import { enlarged } from './enlarged.ts'

const zeros = (length: number) => ({ values: new Float64Array(length) })

const sum = (name: string, category: string) =>
  defineTask(name, {
    level: 1,
    category,
    kernel: 'sum',
    inputs: { x: tensor({ dtype: 'float32', shape: ['...s'] }), scale: tensor({ dtype: 'float32', shape: [1] }) },
    outputs: { y: tensor.like('x') },
    golden: ({ x }) => ({ y: zeros(x.data.length) }),
    domain: {},
    strict: exact,
    cases: [{ x: [4096, 4096] }, { x: [3, 5] }],
  })

const boundsOf = (task: ReturnType<typeof sum>) => task.staticCases.map((kernelCase) => boundOf(task, kernelCase, {}))

test('a bound is the launch of a core, and what is read', () => {
  const [large] = boundsOf(sum('Sum', 'Math'))
  const bytes = 4 * 4096 * 4096
  expect(large!.from).toBe('memory')
  expect(large!.ns).toBeCloseTo(1520 + bytes / 1500, -1)
})

test('a few bytes are bound by the launch of one core', () => {
  const [, small] = boundsOf(sum('Sum', 'Math'))
  expect(small!.from).toBe('launch')
  expect(small!.ns).toBeCloseTo(1520, -1)
})

test('a deep product is bound by the cube cores', () => {
  const task = defineTask('BasicMatmul', {
    level: 3,
    category: 'GMM',
    kernel: 'basic_matmul',
    inputs: {
      a: tensor({ dtype: 'float16', shape: ['m', 'k'] }),
      b: tensor({ dtype: 'float16', shape: ['k', 'n'] }),
    },
    outputs: { c: tensor({ dtype: 'float16', shape: ['m', 'n'] }) },
    golden: () => ({ c: zeros(2048 ** 2) }),
    domain: {},
    strict: exact,
    cases: [{ m: 2048, k: 2048, n: 2048 }],
  })
  const [kernelCase] = task.staticCases
  const { ns, from } = boundOf(task, kernelCase!, {})
  expect(from).toBe('cube')
  expect(ns).toBeCloseTo(1520 + 2048 ** 3 / (24 * 4096 * 1.8), -1)
})

test('only element-wise rows are enlarged, and parameters stay', () => {
  const kernelCase = sum('Muls', 'Math').staticCases[1]!
  const grown = enlarged(sum('Muls', 'Math'), kernelCase, 150)
  expect(grown.inputs).toMatchObject({ x: { shape: [30, 5] }, scale: { shape: [1] } })
  expect(grown.outputs).toMatchObject({ y: { shape: [30, 5] } })
  expect(enlarged(sum('Softmax', 'Activation'), kernelCase, 150)).toBe(kernelCase)
})
