import { expect, test } from 'vitest'
import { Progress } from './progress.ts'

const one = { begun: 1, done: 0, all: 1 }

const entry = (kind: 'correct' | 'no-candidate', ms: number, sample = 's1') => ({
  task: 'Twice',
  sample,
  case: 'static 0: x',
  verdict: { kind },
  ms,
})

test('a short run says nothing, a long one every half minute where somebody looks on', () => {
  const progress = new Progress(0, true)
  const told: number[] = []
  for (let second = 1; second <= 100; second++) {
    progress.count(1000 * second, entry('correct', 5))
    if (progress.line(1000 * second, 1000, one) !== undefined) told.push(second)
  }
  expect(told).toEqual([30, 60, 90])
  const unwatched = new Progress(0, false)
  const lines = [29, 179, 180, 359, 360].map((second) => unwatched.line(1000 * second, 1, one) !== undefined)
  expect(lines).toEqual([false, false, true, false, true])
})

test('a line has what is done, verdicts, rate, time left and the slowest', () => {
  const progress = new Progress(0, true)
  for (let second = 1; second <= 60; second++)
    progress.count(1000 * second, second % 4 === 0 ? undefined : entry('correct', second === 7 ? 95_000 : 10))
  progress.count(60_000, entry('no-candidate', 1))
  expect(progress.line(60_000, 6061, one)).toBe(
    '61 of 6061 tests of 1 specs, 0 of 1 specs after 60 s: 45 correct, 1 no-candidate; 61 a minute, 1 h 38 min left; ' +
      'slowest: Twice › s1 › static 0: x, 2 min',
  )
  expect(progress.line(90_000, 8000, { begun: 3, done: 0, all: 4 })).not.toContain('left')
  expect(progress.line(120_000, 8000, { begun: 3, done: 1, all: 4 })).toContain(', 6 min left;')
})

test('the rate is that of the last minutes', () => {
  const progress = new Progress(0, true)
  for (let second = 1; second <= 600; second++) for (let i = 0; i < 100; i++) progress.count(1000 * second, undefined)
  for (let second = 601; second <= 1200; second++) progress.count(1000 * second, undefined)
  expect(progress.line(1_200_000, 100_000, one)).toContain('; 60 a minute')
})
