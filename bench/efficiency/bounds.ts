import { socOf, timing } from '../../plugin/soc/profile.ts'
import { bytesOf, sizeOf, type ArgumentSpec, type KernelCase } from '../../plugin/model/index.ts'
import { specsOf, type Inputs, type KernelTask } from '../../plugin/task/index.ts'
import { productOf } from './products.ts'
import { partialTraffic, type Traffic } from './traffic.ts'

const soc = socOf('Ascend910B2')
/** sustained; shared by reads and by the writes that leave L2 */
const hbmBytesPerNs = soc.hbmBytesPerNs * timing.sustainedShare

/** What no kernel undercuts, in nanoseconds, and what most of it is. */
export interface Bound {
  ns: number
  from: 'memory' | 'cube' | 'launch'
}

const bytesOfAll = (side: Record<string, ArgumentSpec>): number =>
  Object.values(side)
    .flatMap((spec) => [...specsOf(spec)])
    .reduce((sum, { dtype, shape }) => sum + bytesOf(dtype) * sizeOf(shape), 0)

const trafficOf = (task: KernelTask, kernelCase: KernelCase, inputs: Inputs): Traffic =>
  partialTraffic(task.interface.name, kernelCase, inputs) ?? {
    read: bytesOfAll(kernelCase.inputs),
    written: bytesOfAll(kernelCase.outputs),
  }

/** Reads and writes overlap, and the cube cores multiply meanwhile; `cores` take part. */
function workNs(cores: number, { read, written }: Traffic, cubeCycles: number): { memory: number; cube: number } {
  const share = Math.min(1, (read + written) / (timing.footprintFactor * soc.l2Bytes))
  const memory = Math.max(
    (read + share * written) / hbmBytesPerNs,
    read / (cores * timing.coreReadBytesPerNs),
    written / (cores * timing.coreWriteBytesPerNs),
  )
  return { memory, cube: cubeCycles / Math.min(cores, soc.aicCores) / soc.clockGHz }
}

/** A lower bound of the latency: as many cores as are best start, and all of them are busy from then on. */
export function boundOf(task: KernelTask, kernelCase: KernelCase, inputs: Inputs): Bound {
  const traffic = trafficOf(task, kernelCase, inputs)
  const cubeCycles = productOf(task.interface.name, kernelCase)
  const bounds = Array.from({ length: soc.aivCores }, (_, i): Bound => {
    const launch = timing.launchNs + timing.launchNsPerCore * (i + 1)
    const { memory, cube } = workNs(i + 1, traffic, cubeCycles)
    const work = Math.max(memory, cube)
    return { ns: launch + work, from: work < launch ? 'launch' : memory >= cube ? 'memory' : 'cube' }
  })
  return bounds.reduce((least, bound) => (bound.ns < least.ns ? bound : least))
}
