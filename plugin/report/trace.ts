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
  /** samples with a timeline that have found no room */
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
  let [samples, leftOut, pid] = [0, 0, 0]
  for (const own of samplesOf(entries)) {
    const entry = own.find((each) => each.timeline !== undefined)
    const timeline = entry?.timeline === undefined ? undefined : read(entry.timeline)
    if (!entry || !timeline) continue
    const { model, task, sample } = entry
    const name = neutralText([model, task, sample].filter((part) => part !== null).join(' › '))
    const added = timeline.cores.flatMap((core) => eventsOf(timeline.names, core, name, ++pid))
    if (events.length + added.length > limit) leftOut++
    else {
      samples++
      for (const event of added) events.push(event)
    }
  }
  return { text: JSON.stringify({ displayTimeUnit: 'ns', traceEvents: events }), samples, leftOut }
}

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
    titled('process_name', 0, `${sample}: ${neutralText(core)}`),
    ...pipes.flatMap(({ pipe, intervals }, tid): TraceEvent[] => [
      titled('thread_name', tid, pipe),
      ...intervals.map(([begin, end, busy, waited, count, instruction, what]): TraceEvent => {
        const waits = `waits for ${neutralText(names[what] ?? '')}`
        return {
          ph: 'X',
          name: busy > 0 ? neutralText(names[instruction] || 'plain C++') : waits,
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
