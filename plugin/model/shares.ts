import { z } from 'zod'

/** Of device time, up to an hour: a launch is stopped long before, and sums and ratios of such times are numbers. */
export const nanoseconds = z.number().nonnegative().max(3.6e12)
const bytes = z.number().nonnegative().max(1e18)

/** What an emulated latency is made of. Times of a core are those of the one that finishes last. */
export const latencyShares = z.object({
  /** until the first core begins */
  launchNs: nanoseconds,
  /** from the begin of the core to its end */
  coreNs: nanoseconds,
  /** of that: it waits for other cores */
  waitedNs: nanoseconds,
  /** while cores would have taken more than HBM, or L2, can give */
  hbmSaturatedNs: nanoseconds,
  l2SaturatedNs: nanoseconds,
  /** that each memory has served */
  hbmBytes: bytes,
  l2Bytes: bytes,
  /** of the time of the core: instructions too many to be recorded, as if nobody else used the memory; absent: none */
  unrecordedNs: nanoseconds.optional(),
  /** the latency where L2 holds what the same launch has left in it; 0: not asked for */
  warmNs: nanoseconds,
})

/** Where the core that finishes last spends its time: all calls of an instruction at one place. */
export const hotPlace = z.object({
  instruction: z.string().max(1024),
  pipe: z.string().max(64),
  ns: nanoseconds,
  count: z.int().nonnegative(),
  /** absent where the place is not known */
  file: z.string().optional(),
  line: z.int().optional(),
})

/** What a launch would take on another device, where its blocks do what they have done on this one. */
export const timeElsewhere = z.object({ soc: z.string().max(64), latencyNs: nanoseconds })

/** What the emulated clock itself took: processor time to play a launch once, and the bytes of its records. */
export const clockCost = z.object({ ms: z.number().nonnegative(), bytes })

export type LatencyShares = z.infer<typeof latencyShares>
export type HotPlace = z.infer<typeof hotPlace>
export type TimeElsewhere = z.infer<typeof timeElsewhere>
export type ClockCost = z.infer<typeof clockCost>
