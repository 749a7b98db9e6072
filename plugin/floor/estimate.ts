import type { Bound, CompletedLaunch, Estimate } from '../model/index.ts'

/** The share by which each part of a latency may be off, and what that rests on. */
export const errors: Readonly<Record<Bound, { share: number; evidence: string }>> = {
  launch: { share: 0.3, evidence: 'estimated, from the smallest kernels that were measured' },
  cores: { share: 0.4, evidence: 'estimated: no figure of flags between cores is published' },
  scalar: { share: 0.4, evidence: 'estimated, from one loop that was measured' },
  HBM: { share: 0.1, evidence: 'measured' },
  L2: { share: 0.15, evidence: 'measured' },
  cube: { share: 0.1, evidence: 'documented, and measured once' },
  vector: { share: 0.15, evidence: 'measured, tails by a model' },
  'copies in': { share: 0.2, evidence: 'measured of one core' },
  'copies out': { share: 0.2, evidence: 'measured of one core' },
  'copies within': { share: 0.2, evidence: 'documented' },
  unrecorded: { share: 1, evidence: 'instructions too many to be recorded: one after the other' },
}

const boundOfPipe: Record<string, Bound> = {
  S: 'scalar',
  V: 'vector',
  M: 'cube',
  MTE1: 'copies within',
  MTE2: 'copies in',
  MTE3: 'copies out',
  FIX: 'copies out',
}

/** What a latency is spent on, by shares that add up to one: nothing is told of what overlaps with the longest. */
function partsOf({
  latencyNs,
  pipes,
  shares,
}: Pick<CompletedLaunch, 'latencyNs' | 'pipes' | 'shares'>): [Bound, number][] {
  if (!shares || latencyNs <= 0) return []
  const { coreNs, waitedNs, hbmSaturatedNs, l2SaturatedNs, unrecordedNs = 0 } = shares
  const works = Math.max(0, coreNs - waitedNs - unrecordedNs)
  const memory = Math.min(works, hbmSaturatedNs + l2SaturatedNs)
  const [pipe] = Object.entries(pipes).toSorted(([, one], [, other]) => other - one)
  const saturated = hbmSaturatedNs + l2SaturatedNs
  const parts: [Bound, number][] = [
    ['launch', latencyNs - coreNs],
    ['cores', waitedNs],
    ['HBM', saturated > 0 ? (memory * hbmSaturatedNs) / saturated : 0],
    ['L2', saturated > 0 ? (memory * l2SaturatedNs) / saturated : 0],
    [boundOfPipe[pipe?.[0] ?? 'S'] ?? 'scalar', works - memory],
    ['unrecorded', Math.min(unrecordedNs, coreNs)],
  ]
  return parts.map(([bound, ns]) => [bound, Math.max(0, ns) / latencyNs])
}

/** What bounds an emulated latency, and how far it can be trusted; undefined where the target does not tell what it is made of. */
export function estimateOf(launch: Pick<CompletedLaunch, 'latencyNs' | 'pipes' | 'shares'>): Estimate | undefined {
  const parts = partsOf(launch)
  const [first, ...rest] = parts
  if (!first || !launch.shares) return undefined
  const [bound, share] = rest.reduce((most, next) => (next[1] > most[1] ? next : most), first)
  const { coreNs, hbmBytes, l2Bytes } = launch.shares
  return {
    band: parts.reduce((sum, [part, size]) => sum + size * errors[part].share, 0),
    bound,
    share,
    utilisation: coreNs > 0 ? Math.min(1, Math.max(0, ...Object.values(launch.pipes)) / coreNs) : 0,
    bytesPerNs: (hbmBytes + l2Bytes) / launch.latencyNs,
  }
}

/** The share by which the quotient of two latencies may be off, which err independently of each other. */
export const bandOfQuotient = (one: Estimate | undefined, other: Estimate | undefined): number | undefined =>
  one && other ? Math.hypot(one.band, other.band) : undefined
