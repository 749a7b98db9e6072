import type { DType, Floor, Latency } from '../model/index.ts'
import { deviceNamed } from '../soc/devices.ts'
import { timing, type Soc } from '../soc/profile.ts'
import type { Traffic, Work } from '../task/index.ts'

/** Multiplications that a cube core does in a cycle; float32 may be multiplied as something shorter. */
const perCycle = (dtype: DType): number => (dtype === 'int8' ? 8192 : 4096)

/** Nanoseconds that moving bytes takes a number of cores: what is read goes past L2, and what is written stays there where it fits. */
export function memoryNs(soc: Soc, cores: number, { read, written }: Traffic, hbmBytesPerNs: number): number {
  return Math.max(
    (read + Math.max(0, written - soc.l2Bytes)) / hbmBytesPerNs,
    read / (cores * timing.coreReadBytesPerNs),
    written / (cores * timing.cubeWriteBytesPerNs),
  )
}

/** Nanoseconds until so many cores have started, one after the other. */
export const launchNs = (cores: number): number => timing.launchNs + timing.launchNsPerCore * cores

/** The name under which launches of the emulator report their latencies. */
const emulatedProfile = (soc: Soc): string => `${soc.name} ${timing.version}`

/**
 * What no right kernel undercuts: the bytes and multiplications that none gets by without, at the nominal bandwidth of HBM and
 * with every core busy from the first moment on. Under the clock of the emulator that is after the launch, and nothing is in L2
 * before it; any other clock may leave the launch out and find in L2 what fits there. Undefined for a device without figures.
 */
export function floorOf(work: Work, socName: string, { profile }: Pick<Latency, 'profile'>): Floor | undefined {
  const soc = deviceNamed(socName)
  if (!soc) return undefined
  const { read, written, products } = work
  const multiplications = products?.count ?? 0
  const cubeNsOf = (cores: number): number =>
    products ? products.count / perCycle(products.dtype) / Math.min(cores, soc.aicCores) / soc.clockGHz : 0
  const facts = { read, written, multiplications }
  if (profile !== emulatedProfile(soc)) {
    const memoryNs = Math.max(0, read + written - soc.l2Bytes) / soc.hbmBytesPerNs
    const cubeNs = cubeNsOf(soc.aicCores)
    return { ns: Math.max(memoryNs, cubeNs), launchNs: 0, memoryNs, cubeNs, ...facts }
  }
  return Array.from({ length: soc.aicCores + soc.aivCores }, (_, i): Floor => {
    const parts = {
      launchNs: launchNs(1),
      memoryNs: memoryNs(soc, i + 1, work, soc.hbmBytesPerNs),
      cubeNs: cubeNsOf(i + 1),
    }
    // cores begin one after the other: the first one works while others are started
    const worked = parts.launchNs + Math.max(parts.memoryNs, parts.cubeNs)
    return { ns: Math.max(launchNs(i + 1), worked), ...parts, ...facts }
  }).reduce((least, floor) => (floor.ns < least.ns ? floor : least))
}
