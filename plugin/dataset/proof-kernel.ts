import { z } from 'zod'
import { dtypeNames, taskInterface } from '../model/index.ts'
import { rowFiles } from './files.ts'

const dtypes = z.array(z.enum(dtypeNames))

/** What rows about one source file are checked by: it compiles with nothing but these files. */
export const kernelProof = z.strictObject({
  files: rowFiles,
  /** the file that is compiled */
  entry: z.string(),
  /** the operator that the host part registers */
  interface: taskInterface,
  /** the dtypes that it is compiled for */
  combination: z.strictObject({ inputs: dtypes, outputs: dtypes }),
})

export type KernelProof = z.infer<typeof kernelProof>
