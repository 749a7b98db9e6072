import { launchNs, memoryNs } from '../../plugin/floor/floor.ts'
import { socOf } from '../../plugin/soc/devices.ts'
import { timing } from '../../plugin/soc/profile.ts'
import type { ArgumentSpec, DType, KernelCase } from '../../plugin/model/index.ts'
import { bytesOfSpec, dtypeOf, type Inputs, type KernelTask, type Traffic } from '../../plugin/task/index.ts'
import { multiplicationsOf } from '../../plugin/suites/npukernelbench/products.ts'
import { partialTraffic } from '../../plugin/suites/npukernelbench/traffic.ts'

const soc = socOf('Ascend910B2')
/** sustained; shared by reads and by the writes that leave L2 */
const hbmBytesPerNs = soc.hbmBytesPerNs * timing.sustainedShare

/** What no kernel undercuts, in nanoseconds, and what most of it is. */
export interface Bound {
  ns: number
  from: 'memory' | 'cube' | 'launch'
}

/** Multiplications that a cube core does in a cycle. */
const perCycle: Partial<Record<DType, number>> = { float16: 4096, bfloat16: 4096, int8: 8192, float32: 1024 }

/** Cycles of one cube core for all products of a case. */
function cubeCyclesOf(task: string, kernelCase: KernelCase): number {
  const count = multiplicationsOf(task, kernelCase)
  const [input] = Object.keys(kernelCase.inputs)
  return count === 0 ? 0 : count / perCycle[dtypeOf(kernelCase, input!)]!
}

const bytesOfAll = (side: Record<string, ArgumentSpec>): number =>
  Object.values(side).reduce((sum, spec) => sum + bytesOfSpec(spec), 0)

const trafficOf = (task: KernelTask, kernelCase: KernelCase, inputs: Inputs): Traffic =>
  partialTraffic(task.interface.name, kernelCase, inputs) ?? {
    read: bytesOfAll(kernelCase.inputs),
    written: bytesOfAll(kernelCase.outputs),
  }

/** A lower bound of the latency: as many cores as are best start, and all of them are busy from then on. */
export function boundOf(task: KernelTask, kernelCase: KernelCase, inputs: Inputs): Bound {
  const traffic = trafficOf(task, kernelCase, inputs)
  const cubeCycles = cubeCyclesOf(task.interface.name, kernelCase)
  const bounds = Array.from({ length: soc.aivCores }, (_, i): Bound => {
    // the first core works while others are started
    const [launch, first] = [launchNs(i + 1), launchNs(1)]
    const memory = memoryNs(soc, i + 1, traffic, hbmBytesPerNs)
    const cube = cubeCycles / Math.min(i + 1, soc.aicCores) / soc.clockGHz
    const work = Math.max(memory, cube)
    const ns = Math.max(launch, first + work)
    return { ns, from: work < first || ns === launch ? 'launch' : memory >= cube ? 'memory' : 'cube' }
  })
  return bounds.reduce((least, bound) => (bound.ns < least.ns ? bound : least))
}
