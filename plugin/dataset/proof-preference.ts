import { z } from 'zod'
import { rowFiles } from './files.ts'

/** One side of a pair. */
const side = z.strictObject({
  files: rowFiles,
  /** `correct`, or what has stopped it */
  outcome: z.string(),
  /** nanoseconds of one launch */
  latency: z.number().nullable(),
  /** by how much the clock may be wrong, in nanoseconds */
  band: z.number().nullable(),
  /** of the run that judged it: its cases follow from it */
  seed: z.int(),
})

/** What preferences are checked by: both sides are judged again. */
export const preferenceProof = z.strictObject({
  suite: z.string(),
  task: z.string(),
  strategy: z.string(),
  chosen: side,
  rejected: side,
})

export type PreferenceProof = z.infer<typeof preferenceProof>
