import { verifyPreference } from './preferences/verifier.ts'
import { verifyError } from './verify-error.ts'
import { verifyProject } from './verify-project.ts'
import type { Verifiers } from './verifier.ts'

/** Who checks rows of a kind from their file alone. */
export const verifiers: Verifiers = {
  documentation: undefined,
  api: undefined,
  kernel: undefined,
  preference: verifyPreference,
  project: verifyProject,
  error: verifyError,
  mixed: undefined,
}
