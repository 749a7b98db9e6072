import { Bench } from 'tinybench'
import type { LaunchFacts } from '../evaluation/evaluate.ts'
import { estimateOf } from '../floor/estimate.ts'
import type { Latency, LaunchResult, Verdict } from '../model/index.ts'

/** What is asked of a launch: its time, or why there is none. */
export type TimedLaunch =
  | ({ ok: true } & Pick<LaunchFacts, 'latencyNs' | 'source' | 'profile' | 'pipes' | 'shares'>)
  | Extract<LaunchResult, { ok: false }>

/** A launch of a series that did not run to its end. */
export class LaunchFailure extends Error {
  override name = 'LaunchFailure'
  readonly verdict: Verdict

  constructor(verdict: Verdict) {
    super(`a launch ended as ${verdict.kind}`)
    this.verdict = verdict
  }
}

const nanosecondsPerMillisecond = 1e6

/** tinybench speaks milliseconds; twelve digits hide the way there and back. */
const ns = (milliseconds: number): number => Number((milliseconds * nanosecondsPerMillisecond).toPrecision(12))

/** Statistics of times that were taken already, in nanoseconds. */
export const statisticsOf = async (
  times: readonly number[],
  facts: Pick<LaunchFacts, 'source' | 'profile'>,
  signal: AbortSignal,
): Promise<Latency> => {
  const left = times.values()
  const next = (): TimedLaunch => ({ ok: true, latencyNs: left.next().value ?? NaN, pipes: {}, ...facts })
  return await deviceTime(() => Promise.resolve(next()), times.length, signal)
}

/**
 * Statistics of the device time of some launches in a row. Host time plays no part: every sample is what the device
 * said. Throws {@link LaunchFailure} when a launch does not run to its end.
 */
export async function deviceTime(
  launch: () => Promise<TimedLaunch>,
  iterations: number,
  signal: AbortSignal,
): Promise<Latency> {
  // `time: 0` so that the number of launches decides, not the milliseconds they add up to
  const bench = new Bench({ iterations, time: 0, warmup: false, throws: true, retainSamples: true, signal })
  let facts: Pick<Latency, 'source' | 'profile' | 'estimate'> | undefined
  bench.add(
    'launch',
    async () => {
      const result = await launch()
      if (!result.ok) throw new LaunchFailure(result.verdict)
      const estimate = result.source === 'emulated' ? estimateOf(result) : undefined
      facts = { source: result.source, profile: result.profile, ...(estimate && { estimate }) }
      return { overriddenDuration: result.latencyNs / nanosecondsPerMillisecond }
    },
    { async: true },
  )
  const [task] = await bench.run()
  signal.throwIfAborted()
  if (!task || !facts || task.result.state !== 'completed') throw new Error('the launches were not timed')
  const { latency } = task.result
  return {
    unit: 'ns',
    mean: ns(latency.mean),
    p50: ns(latency.p50),
    p99: ns(latency.p99),
    min: ns(latency.min),
    max: ns(latency.max),
    sd: ns(latency.sd),
    rme: Number.isFinite(latency.rme) ? latency.rme : 0,
    samples: latency.samplesCount,
    ...facts,
  }
}
