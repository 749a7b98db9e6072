import { z } from 'zod'
import { recordOf } from './record.ts'
import { nanoseconds } from './shares.ts'

/** One message of a compiler, linker or tiling function. Paths are those of the candidate on disk. */
export const diagnostic = z.object({
  severity: z.enum(['error', 'warning', 'note']),
  message: z.string(),
  file: z.string().optional(),
  line: z.int().optional(),
  column: z.int().optional(),
})

/** What kind of mistake kept a candidate from compiling. */
export const errorClass = z.enum([
  /** a call that no overload takes, or of something that does not exist */
  'api-signature',
  /** a type that the device lacks, or a conversion that does not exist */
  'data-type',
  /** a name that is not declared here, declared twice, or ambiguous */
  'scope',
  /** a member that the object lacks, an address used as an object, memory of another kind */
  'object-usage',
  'syntax',
  /** macros and conditionals */
  'macro',
  /** a header that is not there */
  'include',
  'link',
  /** the tiling data of host and kernel do not fit */
  'tiling',
  /** C++ that the device does not have: functions of the host, recursion, virtual functions, allocation, shared variables */
  'language',
  /** in Ascend C, and not in the emulator */
  'unsupported',
  /** a program of the DSL that its compiler refuses */
  'dsl',
])

/** One finding of the device while a kernel ran. */
export const report = z.object({
  /** e.g. `ErrorRead3`; the device's documentation lists them */
  code: z.string(),
  severity: z.enum(['error', 'warning']),
  /** one sentence: what happened */
  message: z.string(),
  /** the usual fix */
  hint: z.string().optional(),
  /** core index within its kind, e.g. `AIV 3` */
  core: z.string(),
  /** the Ascend C call, e.g. `DataCopyPad` */
  instruction: z.string(),
  file: z.string().optional(),
  line: z.int().optional(),
  /** the other side of a race */
  other: z.object({ instruction: z.string(), file: z.string().optional(), line: z.int().optional() }).optional(),
  /** how often the same defect was seen */
  count: z.int().positive(),
})

/** The last of the instructions of a launch that have written some bytes of global memory. */
export const writer = z.object({
  /** the Ascend C call, e.g. `DataCopyPad` */
  instruction: z.string(),
  /** core index within its kind, e.g. `AIV 3` */
  core: z.string(),
  file: z.string().optional(),
  line: z.int().optional(),
  /** how many instructions have written there, this one among them */
  writes: z.int().positive(),
  /** it was an atomic operation: what was there before is a part of the result */
  atomic: z.literal(true).optional(),
})

/** One element that is not as it should be. */
export const wrongElement = z.object({
  /** multi-dimensional index */
  index: z.array(z.int()),
  expected: z.string(),
  actual: z.string(),
  /** |actual - expected| and the bound it broke; absent for exact comparisons */
  error: z.number().optional(),
  limit: z.number().optional(),
  /** who has written it last; null: no instruction has; absent where the target does not tell */
  writer: writer.nullable().optional(),
})

/** The outcome of comparing one output (or one tensor of a list) with golden. */
export const comparison = z.object({
  output: z.string(),
  elements: z.int(),
  mismatches: z.int(),
  /** multi-dimensional index of the worst element */
  index: z.array(z.int()),
  expected: z.string(),
  actual: z.string(),
  /** |actual - expected| and the bound it broke; absent for exact comparisons */
  error: z.number().optional(),
  limit: z.number().optional(),
  /** wrong elements, up to eight: the worst one, those after it in size, the first ones and the last ones */
  examples: z.array(wrongElement).optional(),
  /** where the wrong elements lie, where that is told in a few words: a clause */
  pattern: z.string().optional(),
  /** bytes of this output that the kernel never wrote: how many, first and last offset */
  unwritten: z.object({ bytes: z.int(), first: z.int(), last: z.int() }).optional(),
})

/** The tolerance profiles, the default one first. */
export const profiles = ['standard', 'strict', 'benchmark'] as const

/** The tolerance profile that decides; the answers of all are always computed. */
export type Profile = (typeof profiles)[number]

const answer = z.enum(['accepted', 'rejected'])

/** What each tolerance profile says of the same outputs; reports of the device are no part of it. */
export const answers = z.object({
  standard: answer,
  strict: answer,
  benchmark: answer,
  /** of revisions of the public benchmark, by their names, where the task has some */
  revisions: recordOf(answer).exactOptional(),
})

/** How near right outputs are to golden, the best first. */
export const accuracy = z.enum([
  /** every element is golden, correctly rounded */
  'exact',
  /** the strict profile accepts */
  'accurate',
  /** the standard profile accepts, and the strict one does not */
  'within-tolerance',
])

/** What comparing the outputs of a case said of their values. */
export const assessment = z.object({
  answers,
  /** absent where not even the standard profile accepts */
  accuracy: accuracy.exactOptional(),
})

/**
 * How much of one tensor of a case instructions have read and written: each byte once, by cells of 32 bytes. An output that
 * overwrites an input has its name.
 */
export const coverage = z.object({
  /** e.g. `x`, or `x[2]` of a list */
  slot: z.string().max(1024),
  bytes: z.int().nonnegative(),
  read: z.int().nonnegative(),
  written: z.int().nonnegative(),
})

/** What no right kernel for a case undercuts, in nanoseconds, and what it consists of. */
export const floor = z.object({
  ns: z.number(),
  /** until the kernel runs; 0 where the clock is another one than that of the emulator */
  launchNs: z.number(),
  /** until the bytes have moved that have to */
  memoryNs: z.number(),
  /** until the cube cores have multiplied what has to be */
  cubeNs: z.number(),
  /** bytes that every right kernel reads and writes */
  read: z.number(),
  written: z.number(),
  multiplications: z.number(),
})

/** What an emulated latency consists of most, from the launch to the kind of work. */
export const bounds = [
  'launch',
  'cores',
  'HBM',
  'L2',
  'scalar',
  'vector',
  'cube',
  'copies in',
  'copies out',
  'copies within',
  'unrecorded',
] as const

/** How far an emulated latency can be trusted, and what it is spent on. */
export const estimate = z.object({
  /** the latency is expected within this share of it, up and down: from what is known of the constants behind it */
  band: z.number(),
  /** what it consists of most, and the share of that */
  bound: z.enum(bounds),
  share: z.number(),
  /** of the time that its core works: the pipe that is busy most */
  utilisation: z.number(),
  /** bytes per nanosecond that HBM and L2 have served together */
  bytesPerNs: z.number(),
})

/** Device times of launches, in nanoseconds, with the statistics of the samples. */
const timeStatistics = z.object({
  mean: nanoseconds,
  p50: nanoseconds,
  p99: nanoseconds,
  min: nanoseconds,
  max: nanoseconds,
  /** standard deviation */
  sd: nanoseconds,
  /** relative margin of error, percent */
  rme: z.number(),
  samples: z.int(),
})

/** Device time of one kernel, in nanoseconds, with the statistics of the samples. */
export const latency = z.object({
  unit: z.literal('ns'),
  ...timeStatistics.shape,
  /** `emulated` is a model's result, `measured` is a clock's: never shown as each other */
  source: z.enum(['emulated', 'measured']),
  /** device profile and version that produced an emulated figure; device and toolkit of a measured one */
  profile: z.string().optional(),
  /** of an emulated figure; absent where the target does not tell what it is made of */
  estimate: estimate.optional(),
  /** of a measured one: the same on fixed addresses, so that a launch finds what the one before it has left near the cores */
  warm: timeStatistics.exactOptional(),
  /** of a measured one: what the vendor's profiler says that the kernels of cold launches took */
  kernel: timeStatistics.exactOptional(),
})

/** The typed outcome of a case or a candidate, ordered by how far the candidate got. */
export const verdict = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('no-candidate') }),
  /** a model was asked for a candidate, and what it answered holds none */
  z.object({ kind: z.literal('no-answer'), message: z.string() }),
  /** the same where it holds files that cannot be taken as they are: cut off, twice, outside of the operator */
  z.object({ kind: z.literal('unusable-answer'), message: z.string() }),
  z.object({
    kind: z.literal('compile-failed'),
    stage: z.enum(['host', 'kernel', 'link']),
    /** of the first error */
    class: errorClass,
    diagnostics: z.array(diagnostic),
    /** the tool's output, for people */
    log: z.string(),
  }),
  z.object({ kind: z.literal('tiling-failed'), message: z.string() }),
  z.object({ kind: z.literal('device-error'), report }),
  z.object({ kind: z.literal('timeout'), limitMs: z.number() }),
  z.object({ kind: z.literal('crashed'), signal: z.string(), message: z.string() }),
  z.object({ kind: z.literal('wrong-structure'), message: z.string() }),
  z.object({ kind: z.literal('wrong-nonfinite'), comparison }),
  z.object({ kind: z.literal('wrong-value'), comparison }),
  z.object({ kind: z.literal('hazard'), report }),
  /** right outputs, in less time than moving them takes: the time is none, and what else was found does not matter */
  z.object({
    kind: z.literal('implausible'),
    /** of the fastest launch, in nanoseconds */
    latencyNs: z.number(),
    floor,
  }),
  z.object({ kind: z.literal('correct') }),
  /** our fault or the machine's: never counted for or against a candidate */
  z.object({ kind: z.literal('infrastructure'), message: z.string() }),
])

export type Verdict = z.infer<typeof verdict>
export type VerdictKind = Verdict['kind']
export type Diagnostic = z.infer<typeof diagnostic>
export type ErrorClass = z.infer<typeof errorClass>
export type Report = z.infer<typeof report>
export type Writer = z.infer<typeof writer>
export type WrongElement = z.infer<typeof wrongElement>
export type Comparison = z.infer<typeof comparison>
export type Answer = z.infer<typeof answer>
export type Answers = z.infer<typeof answers>
export type Accuracy = z.infer<typeof accuracy>
export type Assessment = z.infer<typeof assessment>
export type Coverage = z.infer<typeof coverage>
export type Floor = z.infer<typeof floor>
export type Latency = z.infer<typeof latency>
export type Estimate = z.infer<typeof estimate>
export type Bound = Estimate['bound']
export type TimeStatistics = z.infer<typeof timeStatistics>

/** The worst of several accuracies; nothing of none. */
export const worstAccuracy = (found: readonly Accuracy[]): Accuracy | undefined =>
  accuracy.options.findLast((each) => found.includes(each))
