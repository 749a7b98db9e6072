import type { LaunchFacts } from '../evaluation/evaluate.ts'
import { floorOf } from '../floor/floor.ts'
import type { KernelCase, Latency, Verdict } from '../model/index.ts'
import { workOf } from '../suites/index.ts'
import type { KernelTask } from '../task/kernel-task.ts'

/** A case that was judged, and how its launch went. */
interface Timed {
  kernelCase: KernelCase
  judged: { launch?: LaunchFacts }
}

/** That a latency is below what no right kernel undercuts: one launch of all is enough. */
export function implausibleOf(
  task: KernelTask,
  soc: string,
  { kernelCase, judged }: Timed,
  latency: Pick<Latency, 'min' | 'profile'>,
): Extract<Verdict, { kind: 'implausible' }> | undefined {
  const floor = floorOf(workOf(task, kernelCase, judged.launch?.prefilled), soc, latency)
  if (!floor || latency.min >= floor.ns) return undefined
  return { kind: 'implausible', latencyNs: latency.min, floor }
}
