import { z } from 'zod'
import { rowFiles } from './files.ts'

/** Generated cases of each dtype combination: what a row is judged on where nobody asks for another number, and the most. */
export const usualDraws = 12
export const mostDraws = 1000
/** Bytes of the tensors of a case at most: rows come from anywhere, and are judged again. */
export const mostBytes = 4 << 20

/** What rows about an error are checked by: the failing files fail so, the corrected ones do not. */
export const errorProof = z.strictObject({
  /** `api`: does not compile, and has to; `kernel`: is not right, and has to be on all cases */
  level: z.enum(['api', 'kernel']),
  suite: z.string(),
  task: z.string(),
  /** kind of the verdict, with the class of a compile error or the code of the device's report */
  verdict: z.string(),
  class: z.string().nullable(),
  /** what operators are judged on: so many generated cases of each dtype combination, and static ones of so many bytes */
  cases: z
    .strictObject({
      draws: z.int().nonnegative().max(mostDraws),
      seed: z.int(),
      bytes: z.int().positive().max(mostBytes),
    })
    .exactOptional(),
  failing: rowFiles,
  corrected: rowFiles,
})

export type ErrorProof = z.infer<typeof errorProof>
