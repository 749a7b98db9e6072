import { z } from 'zod'
import type { Slot } from '../model/index.ts'

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

/** `values`: the content, where the case fixes it and a tiling function may read it. */
const shaped = z.object({
  dtype: z.string(),
  shape: z.array(z.number()),
  values: z.array(z.number()).optional(),
})

/** Keys above 2^53, which a number cannot hold, travel as decimal strings. */
const tilingKey = z.union([z.number(), z.string()])

/** Loads a host library in a locked-down child and lists what it registers. */
export interface DescribeRequest {
  op: 'describe'
  host: string
  timeoutMs: number
}

/** Runs the tiling function of `operator`. List arguments are arrays, absent optional ones null. */
export interface TileRequest {
  op: 'tile'
  host: string
  operator: string
  soc: string
  inputs: (z.infer<typeof shaped> | z.infer<typeof shaped>[] | null)[]
  outputs: (z.infer<typeof shaped> | z.infer<typeof shaped>[] | null)[]
  attrs: z.infer<typeof attribute>[]
  timeoutMs: number
}

/** Runs the inference functions of `operator` on the same terms. */
export interface InferRequest extends Omit<TileRequest, 'op'> {
  op: 'infer'
}

/** Runs a kernel once. `args` are in kernel-argument order (inputs, then outputs); lists are arrays, absent ones null. */
export interface LaunchRequest {
  op: 'launch'
  /** libraries of the vector and the cube variant; a kernel has at least one */
  kernel: { aiv: string | null; aic: string | null }
  soc: string
  blockDim: number
  tilingKey: z.infer<typeof tilingKey>
  /** base64 */
  tiling: string
  workspaceBytes: number
  /** as the tiling answered; 0 when left out */
  shapedOutputs?: number
  file: string
  fileBytes: number
  args: (Slot | Slot[] | null)[]
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
  /** false measures what the bookkeeping of races and garbage costs; nothing else may ask for it */
  hazards?: boolean
}

export type RunnerRequest = DescribeRequest | TileRequest | InferRequest | LaunchRequest

const parameter = z.object({
  name: z.string(),
  paramType: z.enum(['required', 'optional', 'dynamic']),
  /** column i of every parameter is one supported combination */
  dtypes: z.array(z.string()),
  formats: z.array(z.string()),
})

const operatorDescription = z.object({
  name: z.string(),
  inputs: z.array(parameter),
  outputs: z.array(parameter),
  attrs: z.array(z.object({ name: z.string(), type: z.string(), required: z.boolean() })),
  /** SoC configurations of `AddConfig`, e.g. `ascend910b` */
  socs: z.array(z.string()),
  hasTiling: z.boolean(),
  /** whether there is a shape or type inference function */
  infers: z.boolean(),
})

const tilingStruct = z.object({
  name: z.string(),
  /** `count` 0: a plain field; > 0: an array; `type` is a C++ scalar type or the name of another tiling struct */
  fields: z.array(z.object({ type: z.string(), name: z.string(), count: z.int() })),
  bytes: z.int(),
})

export const describeAnswer = z.object({
  operators: z.array(operatorDescription),
  /** in order of definition, nested ones before their users */
  tilingStructs: z.array(tilingStruct),
  /** REGISTER_TILING_DATA_CLASS: operator (or operator_key) to struct */
  tilingClasses: z.array(z.object({ operator: z.string(), struct: z.string() })),
})

export const tileAnswer = z.object({
  blockDim: z.int(),
  tilingKey,
  tiling: z.string(),
  workspaceBytes: z.number(),
  /** by declared output: what it holds before the kernel starts; null: nothing in particular */
  initial: z.array(z.string().nullable()),
  /** outputs whose shapes the kernel writes into an argument after them; 0: there is no such argument */
  shapedOutputs: z.int(),
  /** findings about the host part, e.g. a tiling field that was never set */
  warnings: z.array(z.string()),
})

const frame = z.object({ lib: z.enum(['aiv', 'aic']), offset: z.number() })

/** What the inference functions say against the case, as sentences. */
const inferAnswer = z.object({ findings: z.array(z.string()) })

export const launchAnswer = z.object({
  /** a trap ended the launch: the last error report says why, the outputs are void */
  trapped: z.boolean(),
  latencyNs: z.number(),
  /** milliseconds of processor time that emulating the kernel took, without mapping its memory; for the emulator's own benches */
  hostMs: z.number(),
  /** some core added floats atomically: the order of cores decides how sums are rounded */
  addsFloats: z.boolean(),
  /** name and version of the device profile that produced the latency */
  profile: z.string(),
  /** busy time of each pipe on the busiest core, in nanoseconds */
  pipes: z.record(z.string(), z.number()),
  reports: z.array(
    z.object({
      code: z.string(),
      severity: z.enum(['error', 'warning']),
      message: z.string(),
      hint: z.string(),
      core: z.string(),
      instruction: z.string(),
      /** innermost first: offsets of return addresses inside the kernel library named by `lib` */
      frames: z.array(frame),
      /** the other side of a race; empty where there is none */
      otherInstruction: z.string(),
      otherFrames: z.array(frame),
      count: z.int(),
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
  z.object({ kind: z.literal('rejected'), message: z.string() }),
  /** the runner itself failed (no memory for the child, missing file, …) */
  z.object({ kind: z.literal('infrastructure'), message: z.string() }),
])

const answer = <T extends z.ZodType>(result: T) =>
  z.union([
    z.object({ ok: z.literal(true), result, log: z.string() }),
    z.object({ ok: z.literal(false), failure, log: z.string() }),
  ])

export const describeReply = answer(describeAnswer)
export const tileReply = answer(tileAnswer)
export const inferReply = answer(inferAnswer)
export const launchReply = answer(launchAnswer)

export type DescribeAnswer = z.infer<typeof describeAnswer>
export type LaunchAnswer = z.infer<typeof launchAnswer>
export type RunnerFailure = z.infer<typeof failure>
export type Reply<T> = { ok: true; result: T; log: string } | { ok: false; failure: RunnerFailure; log: string }
