import { z } from 'zod'
import { rowFiles } from './files.ts'

/** What rows about one source file are checked by: it compiles with nothing but these files. */
export const kernelProof = z.strictObject({
  files: rowFiles,
  /** the file that is compiled */
  entry: z.string(),
})

export type KernelProof = z.infer<typeof kernelProof>
