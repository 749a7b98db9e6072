import { z } from 'zod'

/**
 * A field of the tiling data: a number (of 64 bits a decimal text, where a number cannot hold it), the elements of an array without
 * zeros at its end, or the fields of a struct.
 */
export type TilingValue = number | string | TilingValue[] | { [field: string]: TilingValue }

export const tilingValue: z.ZodType<TilingValue> = z.lazy(() =>
  z.union([z.number(), z.string(), z.array(tilingValue), z.record(z.string(), tilingValue)]),
)

/** What a host part makes of a case. */
export const tilingFacts = z.strictObject({
  blockDim: z.int().nonnegative(),
  /** decimal: keys have 64 bits */
  tilingKey: z.string().regex(/^\d{1,20}$/),
  workspaceBytes: z.int().nonnegative(),
  /** in the order of their declaration */
  fields: z.record(z.string(), tilingValue),
})

export type TilingFacts = z.infer<typeof tilingFacts>

/** The same, or why a host part makes nothing of a case that could be told. */
export type Tiled = { ok: true; tiling: TilingFacts } | { ok: false; reason: string }
