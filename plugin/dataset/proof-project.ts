import { z } from 'zod'
import { kernelCase, tilingFacts } from '../model/index.ts'
import { rowFiles } from './files.ts'

/** What rows about whole operators are checked by: the host part of the project says these values for the case. */
export const projectProof = z.strictObject({
  suite: z.string(),
  task: z.string(),
  case: kernelCase,
  soc: z.string(),
  tiling: tilingFacts,
  /** the project, without branches that the case does not take where `pruned` says so */
  files: rowFiles,
  pruned: z.boolean(),
})

export type ProjectProof = z.infer<typeof projectProof>
