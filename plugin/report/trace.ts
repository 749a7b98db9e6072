import { samplesOf } from '../ledger/outcome.ts'
import type { LedgerEntry, Timeline } from '../ledger/index.ts'
import { neutralText } from '../model/index.ts'

/** Events of one file: readers of traces stay quick. */
const eventLimit = 500_000

/** One event of a trace: a name of a process or thread, or something that takes time, in microseconds. */
type TraceEvent =
  | { ph: 'M'; name: 'process_name' | 'thread_name'; pid: number; tid: number; args: { name: string } }
  | { ph: 'X'; name: string; cat: 'work' | 'wait'; pid: number; tid: number; ts: number; dur: number; args: object }

/** Timelines in the form that Perfetto and chrome://tracing read, and how many samples it has. */
export interface Trace {
  text: string
  samples: number
  /** samples that name a timeline and have found no room: those behind the first of them are not read */
  leftOut: number
}

/**
 * The timelines of samples as a trace: a process for each core, a thread for each pipe.
 * @param read timelines by the hash that entries name, where a run has kept them
 */
export function traceOf(
  entries: readonly LedgerEntry[],
  read: (hash: string) => Timeline | undefined,
  limit = eventLimit,
): Trace {
  const events: TraceEvent[] = []
  const lost = new Set<string>()
  let [samples, leftOut, pid, room] = [0, 0, 0, limit]
  for (const own of samplesOf(entries)) {
    const entry = own.find((each) => each.timeline !== undefined)
    if (entry?.timeline === undefined || lost.has(entry.timeline)) continue
    if (leftOut > 0) {
      leftOut++
      continue
    }
    const timeline = read(entry.timeline)
    if (!timeline) {
      lost.add(entry.timeline)
      continue
    }
    room -= sizeOf(timeline)
    if (room < 0) {
      leftOut++
      continue
    }
    samples++
    const { model, task, sample } = entry
    const name = shown([model, task, sample].filter((part) => part !== null).join(' › '))
    const names = timeline.names.map(shown)
    for (const core of timeline.cores) for (const event of eventsOf(names, core, name, ++pid)) events.push(event)
  }
  return { text: JSON.stringify({ displayTimeUnit: 'ns', traceEvents: events }), samples, leftOut }
}

/** Characters of a name: each event repeats it. */
const longestName = 200

const shown = (name: string): string => neutralText(name.slice(0, longestName))

/** Events of a timeline. A name counts as one: a timeline of names alone takes time to read as well. */
const sizeOf = ({ names, cores }: Timeline): number =>
  cores.reduce(
    (sum, { pipes }) => pipes.reduce((all, { intervals }) => all + 1 + intervals.length, sum + 1),
    names.length,
  )

const microseconds = (ps: number): number => ps / 1e6

function eventsOf(
  names: readonly string[],
  { core, pipes }: Timeline['cores'][number],
  sample: string,
  pid: number,
): TraceEvent[] {
  const titled = (name: 'process_name' | 'thread_name', tid: number, text: string): TraceEvent => ({
    ph: 'M',
    name,
    pid,
    tid,
    args: { name: text },
  })
  return [
    titled('process_name', 0, `${sample}: ${shown(core)}`),
    ...pipes.flatMap(({ pipe, intervals }, tid): TraceEvent[] => [
      titled('thread_name', tid, pipe),
      ...intervals.map(([begin, end, busy, waited, count, instruction, what]): TraceEvent => {
        const waits = `waits for ${names[what] ?? ''}`
        return {
          ph: 'X',
          name: busy > 0 ? names[instruction] || 'plain C++' : waits,
          cat: busy > 0 ? 'work' : 'wait',
          pid,
          tid,
          ts: microseconds(begin),
          dur: microseconds(end - begin),
          args: {
            ...(count > 1 && { count, busyNs: busy / 1000, waitedNs: waited / 1000 }),
            ...(busy > 0 && waited > 0 && { waits }),
          },
        }
      }),
    ]),
  ]
}
