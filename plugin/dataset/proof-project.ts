import { z } from 'zod'
import { kernelCase } from '../model/index.ts'
import { rowFiles } from './files.ts'

/** A field of the tiling data: a number, or the elements of an array or of a nested struct. Wider ones than 53 bits are texts. */
export type TilingValue = number | string | TilingValue[] | { [field: string]: TilingValue }

export const tilingValue: z.ZodType<TilingValue> = z.lazy(() =>
  z.union([z.number(), z.string(), z.array(tilingValue), z.record(z.string(), tilingValue)]),
)

/** What a host part has decided. */
export const tilingSummary = z.strictObject({
  blockDim: z.int().nonnegative(),
  /** decimal: keys have 64 bits */
  tilingKey: z.string().regex(/^\d{1,20}$/),
  workspaceBytes: z.int().nonnegative(),
  fields: z.record(z.string(), tilingValue),
})

export type TilingSummary = z.infer<typeof tilingSummary>

/** What rows about whole operators are checked by: the host part of the project says these values for the case. */
export const projectProof = z.strictObject({
  suite: z.string(),
  task: z.string(),
  case: kernelCase,
  soc: z.string(),
  tiling: tilingSummary,
  /** the project, without branches that the case does not take where `pruned` says so */
  files: rowFiles,
  pruned: z.boolean(),
})

export type ProjectProof = z.infer<typeof projectProof>
