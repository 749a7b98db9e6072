import { verifyDocumentRow } from './documents/verifier.ts'
import { verifyKernelRow } from './kernels/verifier.ts'
import type { Verifiers } from './verifier.ts'

/** Who checks rows of a kind from their file alone. */
export const verifiers: Verifiers = {
  documentation: verifyDocumentRow,
  api: verifyDocumentRow,
  kernel: verifyKernelRow,
  project: undefined,
  error: undefined,
  preference: undefined,
  mixed: undefined,
}
