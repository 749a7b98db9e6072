import { measureCase } from '../evaluation/evaluate.ts'
import { caseOfRun } from '../evaluation/seed.ts'
import type { KernelCase, Latency, Measured, MeasuredTimes, TimeStatistics } from '../model/index.ts'
import { LaunchFailure, statisticsOf } from './device-time.ts'
import { evaluationContextOf } from './judge-case.ts'
import type { TaskScope } from './task-scope.ts'
import { service } from './worker.ts'

/** By how much the times of the baseline may change while an operator is timed. */
const mostDriftPercent = 2

/** The times of an operator and of its baseline, or why they do not hold. */
export type InTurn = { latency: Latency; baseline: Latency | null; note?: string } | { rejected: string }

/**
 * Has the target time an operator in turn with its baseline. Undefined where it does not: every launch tells its time then. Throws
 * `LaunchFailure` when a launch of the operator does not run to its end.
 */
export async function measuredInTurn(
  scope: TaskScope,
  { artifact, kernelCase, baseline }: { artifact: string; kernelCase: KernelCase; baseline: string | null },
  signal: AbortSignal,
): Promise<InTurn | undefined> {
  const { task, options } = scope
  const { prepared } = evaluationContextOf(scope, signal)
  const timed = caseOfRun(kernelCase, options.seed)
  const measured = await measureCase({ task, artifact }, timed, prepared, async (place) => {
    const args = { ...place, baseline, rounds: options.latencyIterations }
    return await service().call('measure', args, signal)
  })
  return measured === null ? undefined : await inTurn(measured, signal)
}

/** What measured times are worth. */
export async function inTurn(measured: Measured, signal: AbortSignal): Promise<InTurn> {
  if (!measured.ok) {
    if (measured.of === 'artifact') throw new LaunchFailure(measured.verdict)
    return { rejected: `no latency: the baseline ended as ${measured.verdict.kind} while it was timed` }
  }
  const { times, baseline, driftPercent, profile } = measured
  if (driftPercent > mostDriftPercent) {
    const whose = baseline ? 'the baseline' : 'the operator'
    return { rejected: `no latency: the times of ${whose} drifted by ${driftPercent.toFixed(1)} % while it was taken` }
  }
  const facts = { source: 'measured' as const, profile }
  const bare = async (times: readonly number[]): Promise<TimeStatistics> => {
    const { unit: _, source: __, profile: ___, ...statistics } = await statisticsOf(times, facts, signal)
    return statistics
  }
  const latencyOf = async ({ cold, warm, kernel }: MeasuredTimes): Promise<Latency> => ({
    ...(await statisticsOf(cold, facts, signal)),
    warm: await bare(warm),
    ...(kernel && { kernel: await bare(kernel) }),
  })
  const { noKernelTimes } = measured
  return {
    latency: await latencyOf(times),
    baseline: baseline && (await latencyOf(baseline)),
    ...(noKernelTimes !== undefined && { note: `no kernel times: ${noKernelTimes}` }),
  }
}
