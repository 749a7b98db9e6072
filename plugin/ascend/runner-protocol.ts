import { z } from 'zod'
import { neutralText } from '../model/index.ts'

/**
 * What the runner on the machine with the device is asked and answers: one JSON object per line, strictly one request at a time, as
 * with the runner of the emulator. Tensors are in the case file.
 */

/** Who else may use the device meanwhile: `many` results, `one` time; `none`: it is locked already. */
export type Share = 'many' | 'one' | 'none'

interface Locked {
  share: Share
  /** milliseconds that others may keep the device */
  lockTimeoutMs: number
}

/** A tensor of the case file, as the runner sees it. */
export interface RunnerSlot {
  name: string
  offset: number
  bytes: number
  shape: readonly number[]
  dtype: string
  /** `between`: of no file, from one call of an operator to its next */
  access: 'in' | 'out' | 'inout' | 'between'
  /** the matrix is seen with its axes exchanged */
  transposed?: boolean
}

export interface RunnerArgument {
  kind: string
  value: RunnerSlot | RunnerSlot[] | number | boolean | string | readonly number[] | null
}

interface Placed {
  file: string
  fileBytes: number
  args: RunnerArgument[]
  poison: string
}

export type AscendRequest =
  | ({ op: 'open' } & Locked)
  | ({ op: 'lock' } & Locked)
  | { op: 'unlock' }
  | ({ op: 'launch'; timeoutMs: number } & Placed & Locked)
  | ({ op: 'prepare'; cacheBytes: number; leastSets: number; mostSets: number } & Placed & Locked)
  | ({ op: 'time'; cold: boolean; launches: number; timeoutMs: number } & Locked)
  | ({ op: 'release' } & Locked)

const text = z.string().transform((all) => neutralText(all.slice(0, 16_384)))
const log = text.default('')

/** What the process that calls the runtime was doing. */
const phases = ['start', 'prepare', 'tiling', 'launch', 'wait', 'collect', 'idle'] as const
export type Phase = (typeof phases)[number]
const phase = z.enum(phases)

const failure = z.discriminatedUnion('kind', [
  /** a call of the runtime failed */
  z.object({
    ok: z.literal(false),
    kind: z.literal('acl'),
    call: z.string(),
    code: z.int(),
    message: text,
    phase,
    log,
  }),
  /** the package lacks a symbol, or cannot be loaded */
  z.object({ ok: z.literal(false), kind: z.literal('symbol'), message: text, phase, log }),
  /** the process ended */
  z.object({
    ok: z.literal(false),
    kind: z.literal('died'),
    message: text,
    phase,
    signal: z.string().max(32).exactOptional(),
    exitCode: z.int().exactOptional(),
    log,
  }),
  /** and was ended where it did not answer */
  z.object({ ok: z.literal(false), kind: z.literal('timeout'), message: text, phase, log }),
  /** others kept the device */
  z.object({ ok: z.literal(false), kind: z.literal('busy'), message: text, phase, log }),
  /** the machine or the runner is at fault */
  z.object({ ok: z.literal(false), kind: z.literal('unable'), message: text, phase, log }),
])

export type AscendFailure = z.infer<typeof failure>

const ok = z.literal(true)
const nanoseconds = z.number().max(3.6e12)

export const doneReply = z.union([z.object({ ok, log }), failure])
export const openReply = z.union([z.object({ ok, soc: text, devices: z.int(), log }), failure])
export const launchReply = z.union([
  z.object({
    ok,
    ns: nanoseconds,
    workspaceBytes: z.int().nonnegative(),
    /** tensors whose surroundings were written, and where, from the tensor's first byte */
    damages: z.array(z.object({ name: z.string().max(1024), offset: z.int() })).max(4096),
    overwritten: z.array(z.string().max(1024)).max(4096),
    log,
  }),
  failure,
])
export const prepareReply = z.union([z.object({ ok, sets: z.int(), sweeps: z.boolean(), log }), failure])
export const timeReply = z.union([z.object({ ok, samples: z.array(nanoseconds).max(100_000), log }), failure])
