import { expect, test } from 'vitest'
import { defineTask, dim, exact, tensor, toFloat64 } from '../task/index.ts'
import { latencyCaseOf, noLatencyCase } from './latency-case.ts'

const { staticCases } = defineTask('Gaps', {
  category: 'Math',
  kernel: 'gaps',
  inputs: { x: tensor({ dtype: 'float32', shape: ['n'] }) },
  outputs: { y: tensor.like('x') },
  golden: ({ x }) => ({ y: { values: toFloat64(x) } }),
  domain: { n: dim({ max: 9 }) },
  strict: exact,
  // the public list has no cases 2 to 4
  cases: [{ n: 3 }, { n: 9 }, { n: 5, id: 5 }, { n: 6 }],
})

const nameOf = (choice: Partial<Parameters<typeof latencyCaseOf>[1]>): string | undefined =>
  latencyCaseOf(staticCases, { latencyCase: 'largest', ...choice })?.name

test('a latency is taken on the case that is named, not on the one in its place, where the list has gaps', () => {
  expect(nameOf({ fixedCase: 5 })).toBe('static 5')
  expect(nameOf({ latencyCase: 5 })).toBe('static 5')
  expect(nameOf({ latencyCase: 6 })).toBe('static 6')
  expect(nameOf({ latencyCase: 6, fixedCase: 1 })).toBe('static 1')
})

test('an id that the list leaves out is no case, and the note names it', () => {
  expect(nameOf({ latencyCase: 3 })).toBeUndefined()
  expect(noLatencyCase({ latencyCase: 3 })).toBe('the task has no static case 3')
  expect(noLatencyCase({ latencyCase: 'largest', maxElements: 2 })).toBe(
    'the task has no static case of at most 2 elements',
  )
})

test('without an id it is the case with the most bytes that is small enough', () => {
  expect(nameOf({})).toBe('static 1')
  expect(nameOf({ maxElements: 6 })).toBe('static 6')
  expect(nameOf({ latencyCase: 1, maxElements: 6 })).toBeUndefined()
})
