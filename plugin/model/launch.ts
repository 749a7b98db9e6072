import type { KernelCase } from './case.ts'
import type { ClockCost, HotPlace, LatencyShares, TimeElsewhere } from './shares.ts'
import type { Timeline } from './timeline.ts'
import type { Coverage, Latency, Report, Verdict, Writer } from './verdict.ts'

/** Where one tensor lives in the case file. Offsets are multiples of 4096 with at least one free page after each tensor. */
export interface Slot {
  name: string
  offset: number
  bytes: number
  shape: number[]
  /** `in`: mapped read-only; `out`: filled with `poison` first; `inout`: one that starts with given content */
  access: 'in' | 'out' | 'inout'
}

/** Tiles and runs one case on a built artifact. The inputs are already in `file` at the offsets of `slots`. */
export interface LaunchArgs {
  artifact: string
  case: KernelCase
  file: string
  fileBytes: number
  /** in kernel-argument order: inputs, then outputs */
  slots: (Slot | Slot[] | null)[]
  /** eight bytes, hexadecimal */
  poison: string
  /** which core runs first: `reverse`, or the seed of a shuffled order as a decimal string; by number when absent */
  coreOrder?: string
  /** copies take effect as late as flags allow, and those that somebody has missed are reported */
  lateCopies?: boolean
  /** bytes of the case file of which the launch tells who has written them last: up to 16 places */
  watched?: { offset: number; bytes: number }[]
  /** what the pipes of a few cores do when is told */
  timeline?: boolean
  /** cases that the tiling function is asked for first, in a process besides: the launch tells whether it then tiles this one otherwise */
  after?: KernelCase[]
  /** the tiling of that process is launched */
  isTiledAfter?: boolean
  /** false: nobody asks for the latency, which is 0, and the emulator need not find it out; a device knows it anyway */
  clock?: boolean
  /** false leaves races and garbage unseen, to measure what seeing them costs; does not travel over the socket */
  hazards?: boolean
}

/** How a launch that ran to its end went, as the device tells it. */
export interface CompletedLaunch {
  ok: true
  latencyNs: number
  /** milliseconds of processor time that emulating the kernel took; says nothing about the kernel */
  hostMs: number
  /** some core added floats atomically: the order of cores decides how sums are rounded */
  addsFloats: boolean
  /** some core has looked past its cache for what others store, and may have found it by luck; absent where the device does not see it */
  polls?: boolean
  /** another core has stored there: what was found depends on the order of cores; absent where the device does not see it */
  meets?: boolean
  /** e.g. `Ascend910B2 v9` */
  profile: string
  /** busy nanoseconds per pipe on the busiest core */
  pipes: Record<string, number>
  /** what an emulated latency is made of; absent where the target does not tell */
  shares?: LatencyShares
  /** with a timeline: where the core that finishes last spends its time, the longest first */
  hottest?: HotPlace[]
  /** with a timeline: what the same instructions take on the other devices; absent where the target does not tell */
  elsewhere?: TimeElsewhere[]
  /** with a timeline: what the emulated clock itself took */
  clock?: ClockCost
  /** what the kernel has touched of each tensor that has bytes; absent where the device does not see it */
  coverage?: Coverage[]
  /**
   * blocks of the candidate's code that it has reached, as this says itself: base64, a bit for each block of `Target.codeOf`, the
   * lowest of each byte first; absent where the target does not see them
   */
  reached?: string
  /** by what was watched; null where no instruction has written there. Absent where the target does not tell */
  writers?: (Writer | null)[]
  /** where it was asked for, and the target tells it */
  timeline?: Timeline
  /** by output, where their shapes follow from what the kernel computes: what it has told of them; null where that is no shape */
  toldShapes?: (number[] | null)[]
  /** the tiling function has given another tiling, or none, after the cases that it was to be asked for first */
  tiledOtherwise?: true
  /** outputs that the caller has filled, as the host part asks: a kernel need not write all of them */
  prefilled?: string[]
  /** warnings and hazards; errors that stopped the kernel come as a verdict */
  reports: Report[]
  /** 0 where the device does not tell */
  blockDim: number
  /** a decimal string when a number cannot hold it */
  tilingKey: number | string
  log: string
}

/** Asks for the times of an operator, in turn with those of another one on the same case. */
export interface MeasureArgs extends Pick<LaunchArgs, 'case' | 'file' | 'fileBytes' | 'slots' | 'poison'> {
  artifact: string
  /** what it is compared with; null: it is timed alone */
  baseline: string | null
  /** how often both take turns */
  rounds: number
}

/** Device time of launches, in nanoseconds. */
export interface MeasuredTimes {
  /** on other addresses each time, so that nothing of an earlier launch is near the cores */
  cold: number[]
  /** on the same addresses */
  warm: number[]
  /** what the vendor's profiler says that kernels took, where it was asked: of cold launches */
  kernel?: number[]
}

/** The times of an operator and of what it is compared with, or why there are none. */
export type Measured =
  | {
      ok: true
      times: MeasuredTimes
      /** null where it was timed alone */
      baseline: MeasuredTimes | null
      /** by how much the times of the baseline, or its own where there is none, have changed from the first round to the last */
      driftPercent: number
      /** device and toolkit */
      profile: string
      /** why there are no kernel times, where they were asked for */
      noKernelTimes?: string
    }
  /** `of`: whose launch has failed */
  | ({ of: 'artifact' | 'baseline' } & FailedLaunch)

/** What a tiling function makes of a case, in short. */
export interface TilingSketch {
  blockDim: number
  /** decimal */
  tilingKey: string
  /** the beginning of the tiling data, base64 */
  tiling: string
}

/** Asks what tiling functions make of cases. */
export interface SketchArgs {
  artifact: string
  cases: readonly KernelCase[]
  /** processor time for all of them */
  timeoutMs: number
}

/** Why a launch did not run to its end. */
export interface FailedLaunch {
  ok: false
  verdict: Extract<Verdict, { kind: 'tiling-failed' | 'device-error' | 'timeout' | 'crashed' | 'infrastructure' }>
  reports: Report[]
  log: string
}

/** What a launch came to, and where its latency is from. */
export type LaunchResult = (CompletedLaunch & Pick<Latency, 'source'>) | FailedLaunch

/**
 * How much longer a launch may take by the clock than its limit, which is processor time: what else a machine does must not
 * decide what a candidate is worth, and one that sleeps has to end as well.
 */
export const clockFactor = 5
