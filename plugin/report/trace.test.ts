import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import type { LedgerEntry, Timeline } from '../ledger/index.ts'
import { traceOf } from './trace.ts'

const hash = 'a'.repeat(32)
const timeline: Timeline = {
  names: ['', 'DataCopy', 'MTE2', '\u001B[31m'],
  cores: [
    {
      core: 'AIV 3',
      end: 3_000_000,
      pipes: [
        { pipe: 'MTE2', intervals: [[0, 1_000_000, 1_000_000, 0, 1, 1, 0]] },
        {
          pipe: 'MTE3',
          intervals: [
            [0, 1_500_000, 0, 1_500_000, 1, 0, 2],
            [1_500_000, 3_000_000, 1_000_000, 250_000, 7, 3, 2],
          ],
        },
      ],
    },
  ],
}

const entry = (sample: string): LedgerEntry => ({
  v: 3,
  suite: 'npukernelbench',
  group: 'level1',
  task: 'Sqrt',
  category: 'Math',
  model: null,
  sample,
  stage: 'latency',
  case: 'latency',
  verdict: { kind: 'correct' },
  timeline: hash,
  seed: 7,
  target: 'emulator',
  soc: 'Ascend910B2',
  profile: 'standard',
})

const event = z.object({ ph: z.string(), name: z.string(), pid: z.int(), tid: z.int(), args: z.looseObject({}) })
const work = event.extend({ cat: z.string(), ts: z.number(), dur: z.number() })
const eventsOf = (text: string) =>
  z.object({ displayTimeUnit: z.literal('ns'), traceEvents: z.array(z.union([work, event])) }).parse(JSON.parse(text))
    .traceEvents

test('a trace has a process for each core, a thread for each pipe, and times in microseconds', () => {
  const { text, samples, leftOut } = traceOf([entry('a'), entry('b')], () => timeline)
  expect([samples, leftOut]).toEqual([2, 0])
  const events = eventsOf(text)
  expect(events.filter(({ pid }) => pid === 1)).toEqual([
    { ph: 'M', name: 'process_name', pid: 1, tid: 0, args: { name: 'Sqrt › a: AIV 3' } },
    { ph: 'M', name: 'thread_name', pid: 1, tid: 0, args: { name: 'MTE2' } },
    { ph: 'X', name: 'DataCopy', cat: 'work', pid: 1, tid: 0, ts: 0, dur: 1, args: {} },
    { ph: 'M', name: 'thread_name', pid: 1, tid: 1, args: { name: 'MTE3' } },
    { ph: 'X', name: 'waits for MTE2', cat: 'wait', pid: 1, tid: 1, ts: 0, dur: 1.5, args: {} },
    {
      ph: 'X',
      name: String.raw`\x1b[31m`,
      cat: 'work',
      pid: 1,
      tid: 1,
      ts: 1.5,
      dur: 1.5,
      args: { count: 7, busyNs: 1000, waitedNs: 250, waits: 'waits for MTE2' },
    },
  ])
  expect(events.filter(({ pid }) => pid === 2)).toHaveLength(6)
})

const read = (name: string) => (name === hash ? timeline : undefined)

test('samples without a timeline are not there, and those that find no room are counted', () => {
  const { timeline: _, ...without } = entry('c')
  const lost = { ...entry('d'), timeline: 'b'.repeat(32) }
  expect(traceOf([entry('a'), without, lost, entry('b')], read, 15)).toMatchObject({ samples: 1, leftOut: 1 })
  expect(eventsOf(traceOf([without, lost], read).text)).toEqual([])
})

test('the name of a core obeys nobody', () => {
  const core = { ...timeline.cores[0]!, core: '\u009b31m##vso[x]' }
  const { text } = traceOf([entry('a')], () => ({ ...timeline, cores: [core] }))
  expect(text).not.toMatch(/\u009b|##vso\[/)
})

test('a trace that is full reads no more timelines, and one that cannot be read is tried once', () => {
  const samples = Array.from({ length: 100 }, (_, i) => entry(String(i)))
  const full = vi.fn(() => timeline)
  expect(traceOf(samples, full, 50)).toMatchObject({ samples: 5, leftOut: 95 })
  expect(full).toHaveBeenCalledTimes(6)
  const unreadable = vi.fn(() => undefined)
  expect(traceOf(samples, unreadable)).toMatchObject({ samples: 0, leftOut: 0 })
  expect(unreadable).toHaveBeenCalledTimes(1)
})

test('names count as events, and long ones are cut: many events repeat them', () => {
  const { text } = traceOf([entry('a')], () => ({ ...timeline, names: ['', 'x'.repeat(1024), 'y', 'z'] }))
  expect(text).not.toContain('x'.repeat(201))
  const names = Array.from({ length: 4096 }, String)
  expect(traceOf([entry('a')], () => ({ names, cores: [] }), 4000)).toMatchObject({ samples: 0, leftOut: 1 })
})
