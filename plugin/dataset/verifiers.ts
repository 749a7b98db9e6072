import { verifyPreference } from './preferences/verifier.ts'
import type { Verifiers } from './verifier.ts'

/** Who checks rows of a kind from their file alone. */
export const verifiers: Verifiers = {
  documentation: undefined,
  api: undefined,
  kernel: undefined,
  project: undefined,
  error: undefined,
  preference: verifyPreference,
  mixed: undefined,
}
