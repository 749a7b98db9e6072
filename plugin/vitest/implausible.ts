import type { LaunchFacts } from '../evaluation/evaluate.ts'
import { floorOf } from '../floor/floor.ts'
import type { Floor, KernelCase, Latency, Verdict } from '../model/index.ts'
import { workOf } from '../suites/index.ts'
import type { KernelTask } from '../task/kernel-task.ts'

/** A case that was judged, and how its launch went. */
interface Timed {
  kernelCase: KernelCase
  judged: { launch?: LaunchFacts }
}

/** The hardware bound of a case under the clock of a latency; undefined for a device without figures. */
export const boundOf = (
  task: KernelTask,
  soc: string,
  { kernelCase, judged }: Timed,
  latency: Pick<Latency, 'profile'>,
): Floor | undefined => floorOf(workOf(task, kernelCase, judged.launch?.prefilled), soc, latency)

/** That a latency is below what no right kernel undercuts: one launch of all is enough. */
export function implausibleOf(
  task: KernelTask,
  soc: string,
  timed: Timed,
  latency: Pick<Latency, 'min' | 'profile'>,
): Extract<Verdict, { kind: 'implausible' }> | undefined {
  const floor = boundOf(task, soc, timed, latency)
  if (!floor || latency.min >= floor.ns) return undefined
  return { kind: 'implausible', latencyNs: latency.min, floor }
}
