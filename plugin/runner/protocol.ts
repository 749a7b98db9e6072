import { z } from 'zod'
import { compile } from 'zod/v4/core'
import {
  clockCost,
  coverage,
  fixedValue,
  latencyShares,
  nanoseconds,
  neutralText,
  timeline,
  type Slot,
} from '../model/index.ts'

/**
 * What the device runner (`npu-runner`, one process per launch slot) is asked and answers: one JSON object per line on its
 * stdin and stdout, strictly one request at a time. Tensors never travel here: they live in the case file, which both
 * sides open. Everything a candidate prints is captured and comes back as `log`.
 */

const attribute = z.object({
  name: z.string(),
  type: z.enum(['int', 'float', 'bool', 'string', 'listInt', 'listFloat']),
  value: z.union([z.number(), z.boolean(), z.string(), z.array(z.number()), z.null()]),
})

/** `values`: the content, where the case fixes it and a tiling function may read it; what JSON has no number for by its name. */
const shaped = z.object({
  dtype: z.string(),
  shape: z.array(z.number()),
  values: z.array(fixedValue).optional(),
})

/** Keys above 2^53, which a number cannot hold, travel as decimal strings. */
const keyText = z.string().refine((digits) => /^\d{1,20}$/.test(digits) && BigInt(digits) < 1n << 64n)
const tilingKey = z.union([z.int().nonnegative(), keyText])

/** Loads a host library in a locked-down child and lists what it registers. */
export interface DescribeRequest {
  op: 'describe'
  host: string
  /** whose configuration counts */
  soc: string
  timeoutMs: number
}

/** What the host part is told of its device, in place of the figures of the SoC. */
export interface ToldDevice {
  aicCores: number
  aivCores: number
  ubBytes: number
}

/** A case as the host part `host` sees it. List arguments are arrays, absent optional ones null. */
export interface HostCase {
  host: string
  operator: string
  soc: string
  device?: ToldDevice
  inputs: (z.infer<typeof shaped> | z.infer<typeof shaped>[] | null)[]
  outputs: (z.infer<typeof shaped> | z.infer<typeof shaped>[] | null)[]
  attrs: z.infer<typeof attribute>[]
}

/** Runs the tiling function of `operator`, in one process with those of cases before, whatever becomes of them. */
export interface TileRequest extends HostCase {
  op: 'tile'
  after?: Omit<HostCase, 'host'>[]
  timeoutMs: number
}

/**
 * Runs the tiling function for many cases, all in one process: the answers say which cases may be worth running, and nothing
 * that is judged.
 */
export interface TilingsRequest {
  op: 'tilings'
  host: string
  cases: Omit<HostCase, 'host'>[]
  timeoutMs: number
}

/** What a launch needs of the tiling, as it was answered. */
export interface GivenTiling {
  blockDim: number
  tilingKey: z.infer<typeof tilingKey>
  /** base64 */
  tiling: string
  workspaceBytes: number
  /** 0 when left out */
  shapedOutputs?: number
  /** by output: eight bytes, hexadecimal, that it holds in place of poison; null: nothing in particular */
  initial?: (string | null)[]
}

/** Runs a kernel once. `args` are in kernel-argument order (inputs, then outputs); lists are arrays, absent ones null. */
interface Launch {
  op: 'launch'
  /** libraries of the vector and the cube variant; a kernel has at least one */
  kernel: { aiv: string | null; aic: string | null }
  soc: string
  device?: ToldDevice
  file: string
  fileBytes: number
  args: (Slot | Slot[] | null)[]
  /** how many of `args` come before the outputs */
  inputs: number
  /** eight bytes, hexadecimal, repeated over every output before the launch */
  poison: string
  timeoutMs: number
  memoryLimitMiB: number
  autoSync: boolean
  /** Reciprocal and Rsqrt exactly instead of by the tables of the device; off when absent */
  exactApproximations?: boolean
  /** which core runs first: `reverse`, or the seed of a shuffled order as a decimal string; by number when absent */
  coreOrder?: string
  /** copies take effect as late as flags allow; at once when absent */
  lateCopies?: boolean
  /** bytes of the file of which the answer tells who has written them last */
  watched?: { offset: number; bytes: number }[]
  /** the answer tells what the pipes of a few cores did when */
  timeline?: boolean
  /** false: the latency is 0 */
  clock?: boolean
  /** false measures what the bookkeeping of races and garbage costs; nothing else may ask for it */
  hazards?: boolean
  /** where the host part is asked anything */
  hostCase?: HostCase
  /** the inference functions run meanwhile */
  infer?: true
  /** seed by which the records of the kernel are changed on their way, which tests the device; nothing else may ask for it */
  mutation?: number
}

/** A launch with the tiling at hand, or one that the host part is asked to tile first. */
export type LaunchRequest = Launch & (GivenTiling | { tile: true })

export type RunnerRequest = DescribeRequest | TileRequest | TilingsRequest | LaunchRequest

// What follows comes from the candidate's process, which may say anything. The device itself stays far below these limits.
const name = z.string().max(1024)
const list = <T extends z.ZodType>(item: T): z.ZodArray<T> => z.array(item).max(4096)
/** A text for people. */
const text = z.string().transform((all) => all.slice(0, 16_384))
const whole = z.int().nonnegative()
const uint32 = whole.max(2 ** 32 - 1)

const parameter = z.object({
  name,
  paramType: z.enum(['required', 'optional', 'dynamic']),
  /** column i of every parameter is one supported combination */
  dtypes: list(name),
  formats: list(name),
})

const operatorDescription = z.object({
  name,
  inputs: list(parameter),
  outputs: list(parameter),
  attrs: list(z.object({ name, type: name, required: z.boolean() })),
  /** SoC configurations of `AddConfig`, e.g. `ascend910b` */
  socs: list(name),
  hasTiling: z.boolean(),
  /** whether there is a shape or type inference function */
  infers: z.boolean(),
  /** what the configuration says by `opFile.value` and `opInterface.value` */
  kernelFile: name.exactOptional(),
  kernelName: name.exactOptional(),
})

const tilingStruct = z.object({
  name,
  /**
   * `count` 0: a plain field; > 0: an array; `type` is a C++ scalar type or the name of another tiling struct. Placeholders are what is
   * between fields.
   */
  fields: list(z.object({ type: name, name, count: whole, isPlaceholder: z.boolean() })),
  bytes: whole,
})

export const describeAnswer = z.object({
  operators: list(operatorDescription),
  /** in order of definition, nested ones before their users */
  tilingStructs: list(tilingStruct),
  /** REGISTER_TILING_DATA_CLASS: operator (or operator_key) to struct */
  tilingClasses: list(z.object({ operator: name, struct: name })),
})

/**
 * Where the calls return to that report the blocks of a library that were reached, in steps of LEB128, base64: as long as the
 * runner passes on. The process that runs the library says so, and nothing follows from what cannot be read.
 */
const reachedBlocks = z.string().max(1 << 18)

export const tileAnswer = z.object({
  blockDim: uint32,
  /** where it was set: a return address, from the beginning of the host library */
  blockDimCaller: whole,
  tilingKey,
  /** of 64 KiB at most (`tilingCapacity` in runtime/host_node.h) */
  tiling: z.base64().max(4 * Math.ceil((64 << 10) / 3)),
  workspaceBytes: whole,
  /** by declared output: what it holds before the kernel starts; null: nothing in particular */
  initial: list(
    z
      .string()
      .regex(/^[0-9a-f]{16}$/)
      .nullable(),
  ),
  /** outputs whose shapes the kernel writes into an argument after them; 0: there is no such argument */
  shapedOutputs: uint32,
  /** findings about the host part, e.g. a tiling field that was never set */
  warnings: list(text),
  /** of the host library */
  reached: reachedBlocks.catch(''),
})

/** By case; null where the tiling function failed. */
export const tilingsAnswer = z.object({
  tilings: list(
    z
      .object({
        blockDim: uint32,
        tilingKey: keyText,
        /** base64 of the beginning (`sketchedTilingBytes` in runner/serve_host.cpp) */
        tiling: z.base64().max(4 * Math.ceil(512 / 3)),
      })
      .nullable(),
  ),
})

const frames = z.array(z.object({ lib: z.enum(['aiv', 'aic']), offset: whole })).max(64)

const inferAnswer = z.object({
  /** what the inference functions say against the case, as sentences */
  findings: list(text),
  /** of the host library */
  reached: reachedBlocks.catch(''),
})

export const launchAnswer = z.object({
  /** a trap ended the launch: the last error report says why, the outputs are void */
  trapped: z.boolean(),
  latencyNs: nanoseconds,
  /** milliseconds of processor time that emulating the kernel took, without mapping its memory; for the emulator's own benches */
  hostMs: z.number().nonnegative(),
  /** some core added floats atomically: the order of cores decides how sums are rounded */
  addsFloats: z.boolean(),
  /** some core has looked past its cache for what others store */
  polls: z.boolean(),
  /** another core has stored there: what was found depends on the order of cores */
  meets: z.boolean(),
  /** name and version of the device profile that produced the latency */
  profile: z.string().regex(/^[\w .@-]{0,64}$/),
  /** busy time of each pipe on the busiest core, in nanoseconds */
  pipes: z.record(z.string().regex(/^\w{1,32}$/), nanoseconds),
  /** what the latency is made of; absent where there is none */
  shares: latencyShares.optional(),
  /** with a timeline: where the core that finishes last spends its time, the longest first */
  hottest: z
    .array(z.object({ instruction: name, pipe: name, ns: nanoseconds, count: whole, frames }))
    .max(5)
    .optional(),
  /** with a timeline: what the same instructions take on the other devices */
  elsewhere: z
    .array(z.object({ soc: name, latencyNs: nanoseconds }))
    .max(64)
    .optional(),
  /** with a timeline: what the clock itself took, in processor time and memory */
  clock: clockCost.optional(),
  /** what instructions have touched of each tensor of the case */
  coverage: list(coverage),
  /** by what was watched; `writes` 0: no instruction */
  writers: z
    .array(z.object({ writes: whole, atomic: z.boolean(), core: name, instruction: name, frames }))
    .max(16)
    .optional(),
  /** by output, where the kernel has to tell their shapes; null: no shape */
  toldShapes: list(list(whole).nullable()).optional(),
  timeline: timeline.optional(),
  /** by library */
  reached: z.object({ aiv: reachedBlocks, aic: reachedBlocks }).catch({ aiv: '', aic: '' }),
  reports: list(
    z.object({
      code: z.string().regex(/^\w{1,64}$/),
      severity: z.enum(['error', 'warning']),
      message: text,
      hint: text,
      core: name,
      instruction: name,
      /** innermost first: offsets of return addresses inside the kernel library named by `lib` */
      frames,
      /** the other side of a race; empty where there is none */
      otherInstruction: name,
      otherFrames: frames,
      count: z.int().positive(),
    }),
  ),
})

/** Why a request was not answered. `died` is read from the wait status by the supervisor, never told by the candidate. */
export const failure = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('died'),
    signal: z.string(),
    exitCode: z.int().nullable(),
    address: z.string().optional(),
  }),
  z.object({ kind: z.literal('timeout') }),
  /** the library could not be loaded or lacks the entry, the tiling function returned an error, … */
  z.object({ kind: z.literal('rejected'), message: text }),
  /** the runner itself failed (no memory for the child, missing file, …) */
  z.object({ kind: z.literal('infrastructure'), message: z.string() }),
])

/** An answer that our own code in the candidate's process never gives: somebody else has written it. */
export interface MalformedAnswer {
  kind: 'malformed'
  /** of the report that it becomes */
  code: 'ImplausibleLatency' | 'MalformedAnswer'
  message: string
}

function malformed({ issues: [issue] }: z.ZodError, given: unknown): MalformedAnswer {
  const place = issue?.path.join('.') ?? ''
  if (place === 'latencyNs' && given !== null && typeof given === 'object') {
    const latency = JSON.stringify(Reflect.get(given, 'latencyNs'))?.slice(0, 64) ?? 'missing'
    return { kind: 'malformed', code: 'ImplausibleLatency', message: `the latency ${latency} ns is implausible` }
  }
  const where = place === '' ? '' : ` at ${neutralText(place).slice(0, 200)}`
  const message = `the candidate's process gave an answer that no device gives${where}: ${issue?.message}`
  return { kind: 'malformed', code: 'MalformedAnswer', message }
}

/** What the candidate's process says, held to `result`. */
const checked = <T extends z.ZodType>(result: T) => {
  // a worker asks too seldom for the engine to make interpreted schemas fast
  const compiled = compile(result)
  return (given: unknown, log: string): Reply<z.output<T>> => {
    const parsed = compiled.safeParse(given)
    if (parsed.success) return { ok: true, result: parsed.data, log }
    return { ok: false, failure: malformed(parsed.error, given), log }
  }
}

const answered = { ok: z.literal(true), result: z.unknown(), log: z.string() }
const notAnswered = { ok: z.literal(false), failure, log: z.string() }

/**
 * The runner's own words around those of the candidate's process: nonsense in the former is our fault, in the latter it is
 * the candidate's.
 */
const answer = <T extends z.ZodType>(result: T) => {
  const check = checked(result)
  return z.union([z.object(answered).transform(({ result: given, log }) => check(given, log)), z.object(notAnswered)])
}

export const describeReply = answer(describeAnswer)
export const tileReply = answer(tileAnswer)
export const tilingsReply = answer(tilingsAnswer)

/** `tiled`: where it was asked for. `inferred`: where it was asked for, and the launch was answered */
const besides = { tiled: tileReply.optional(), inferred: answer(inferAnswer).optional() }
const checkLaunch = checked(launchAnswer)
export const launchReply = compile(
  z.union([
    z
      .object({ ...answered, ...besides })
      .transform(({ result, log, ...rest }) => ({ ...rest, ...checkLaunch(result, log) })),
    z.object({ ...notAnswered, ...besides }),
  ]),
)

export type DescribeAnswer = z.infer<typeof describeAnswer>
export type InferAnswer = z.infer<typeof inferAnswer>
export type LaunchAnswer = z.infer<typeof launchAnswer>
export type TileAnswer = z.infer<typeof tileAnswer>
export type RunnerFailure = z.infer<typeof failure> | MalformedAnswer
export type Reply<T> = { ok: true; result: T; log: string } | { ok: false; failure: RunnerFailure; log: string }
