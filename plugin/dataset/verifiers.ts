import { verifyDocumentRow } from './documents/verifier.ts'
import { verifyKernelRow } from './kernels/verifier.ts'
import { verifyPreference } from './preferences/verifier.ts'
import type { Verifiers } from './verifier.ts'
import { verifyError } from './verify-error.ts'
import { verifyProject } from './verify-project.ts'

/** Who checks rows of a kind from their file alone. */
export const verifiers: Verifiers = {
  documentation: verifyDocumentRow,
  api: verifyDocumentRow,
  kernel: verifyKernelRow,
  project: verifyProject,
  error: verifyError,
  preference: verifyPreference,
}
