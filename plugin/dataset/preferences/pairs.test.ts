import { describe, expect, it } from 'vitest'
import type { Grade, Judged, Time } from './judged.ts'
import { isFaster, refusalOf, strategies, strategyNames } from './pairs.ts'
import { selectPairs, type SelectOptions } from './select-pairs.ts'

const options: SelectOptions = {
  strategies: ['mixture'],
  cap: 100,
  threshold: 0.85,
  maxDistance: 40,
  seed: 1,
}

/** A kernel that is nothing like another one of another number. */
const kernel = (id: string, lines = 30): string =>
  Array.from({ length: lines }, (_, i) => `Call${id}x${i}(Tensor${id}y${i}, Other${id}z${i});`).join('\n')

const candidate = (id: string, grade: Grade, more: Partial<Judged> = {}): Judged => ({
  suite: 's',
  task: 'T',
  files: [{ path: 'op_kernel/t.cpp', content: kernel(id) }],
  grade,
  kind: grade === 'correct' ? 'correct' : 'wrong-value',
  verdict: `run/s/T/${id}/static 0`,
  model: null,
  sources: id,
  seed: 1,
  ...more,
})

const group = [
  candidate('a', 'correct'),
  candidate('b', 'correct'),
  candidate('c', 'wrong'),
  candidate('d', 'stopped'),
  candidate('e', 'not-built'),
  candidate('f', 'hazard'),
]

const named = (pairs: readonly { chosen: Judged; rejected: Judged }[]): string[] =>
  pairs.map(({ chosen, rejected }) => `${chosen.sources}>${rejected.sources}`).sort()

const time = (ns: number, band?: number, clock = 'emulated v1'): Time => ({
  ns,
  clock,
  ...(band !== undefined && { band }),
})
const timed = (id: string, its: Time): Judged => candidate(id, 'correct', { time: its })

describe('strategies', () => {
  it('put right candidates before those of their kind alone', () => {
    expect(named(strategies['execution-fail'](group, options))).toEqual(['a>c', 'a>d', 'b>c', 'b>d'])
    expect(named(strategies['compile-fail'](group, options))).toEqual(['a>e', 'b>e'])
    expect(named(strategies.hazard(group, options))).toEqual(['a>f', 'b>f'])
  })

  it('mix as many that do not build as that fail', () => {
    const kinds = strategies.mixture(group, options).map(({ rejected }) => rejected.grade === 'not-built')
    expect(kinds.filter(Boolean)).toHaveLength(2)
    expect(kinds).toHaveLength(4)
  })

  it('never choose what is not right, nor reject what is, but for its time', () => {
    for (const name of strategyNames)
      for (const { chosen, rejected } of strategies[name](group, options)) {
        expect(chosen.grade).toBe('correct')
        expect(rejected.grade).not.toBe('correct')
      }
  })

  it('pair a failure with the nearest right candidate, and with none that is far', () => {
    const edited = kernel('a').replace('Callax3', 'Callax4')
    const near = candidate('g', 'wrong', { files: [{ path: 'op_kernel/t.cpp', content: edited }] })
    const pairs = strategies['minimal-edit']([...group, near], options)
    expect(pairs.map(({ chosen, rejected, distance }) => [chosen.sources, rejected.sources, distance])).toEqual([
      ['a', 'g', 2],
    ])
  })
})

describe('faster', () => {
  it('is beyond what both latencies may be off', () => {
    expect(isFaster(time(100, 0.3), time(143, 0.3))).toBe(true)
    expect(isFaster(time(100, 0.3), time(141, 0.3))).toBe(false)
    const pairs = strategies.faster(
      [timed('a', time(100, 0.1)), timed('b', time(110, 0.1)), timed('c', time(200, 0.1))],
      options,
    )
    expect(named(pairs)).toEqual(['a>c', 'b>c'])
  })

  it('is unknown without a band, and between two clocks', () => {
    expect(isFaster(time(100), time(1000, 0.1))).toBeUndefined()
    expect(isFaster(time(100, 0.1), time(1000, 0.1, 'emulated v2'))).toBeUndefined()
  })

  it('is refused in one line where no latency has a band', () => {
    const without = [timed('a', time(100)), timed('b', time(1000))]
    expect(refusalOf('faster', without)).toMatch(/^faster: no latency .*error band/)
    expect(selectPairs(without, { ...options, strategies: ['faster'] })).toMatchObject({
      pairs: [],
      refused: [refusalOf('faster', without)],
    })
  })
})

describe('the selection', () => {
  it('takes no more of a task than its cap, and uses candidates evenly', () => {
    const many = [
      ...['a', 'b', 'c', 'd'].map((id) => candidate(id, 'correct')),
      ...['e', 'f', 'g', 'h'].map((id) => candidate(id, 'wrong')),
    ]
    const { pairs, made, beyondCap } = selectPairs(many, { ...options, cap: 4 })
    expect(pairs).toHaveLength(4)
    expect(new Set(pairs.map(({ chosen }) => chosen.sources)).size).toBe(4)
    expect(new Set(pairs.map(({ rejected }) => rejected.sources)).size).toBe(4)
    expect([made, beyondCap]).toEqual([16, 12])
  })

  it('takes what was written twice once', () => {
    const again = group.map((each) => ({ ...each, verdict: 'another run' }))
    const { made, pairs } = selectPairs([...group, ...again], { ...options, strategies: ['execution-fail'] })
    expect(made).toBe(4)
    for (const { chosen, rejected } of pairs) expect(group).toEqual(expect.arrayContaining([chosen, rejected]))
  })

  it('takes the same edit once, whatever operator it is in', () => {
    const shared = kernel('shared')
    const files = (own: string, content: string) => [
      { path: 'op_kernel/own.cpp', content: kernel(own) },
      { path: 'op_kernel/shared.h', content },
    ]
    const damaged = shared.replace('Callsharedx9(', 'Wrong(')
    const both = ['One', 'Two'].flatMap((task) => [
      candidate(`${task}a`, 'correct', { task, files: files(task, shared) }),
      candidate(`${task}b`, 'wrong', { task, files: files(task, damaged) }),
    ])
    const { pairs, duplicates } = selectPairs(both, { ...options, strategies: ['minimal-edit'] })
    expect([pairs.length, duplicates]).toEqual([1, 1])
  })

  it('is the same for the same seed, and differs by the seed', () => {
    const many = Array.from({ length: 8 }, (_, i) => candidate(`k${i}`, i < 4 ? 'correct' : 'wrong'))
    const of = (seed: number): string => named(selectPairs(many, { ...options, cap: 3, seed }).pairs).join()
    expect(of(1)).toBe(of(1))
    expect(new Set([1, 2, 3, 4, 5].map(of)).size).toBeGreaterThan(1)
  })
})
