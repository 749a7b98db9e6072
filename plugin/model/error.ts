/** Something of this machine or of the package, never of a candidate: becomes the verdict `infrastructure`. */
export class InfrastructureError extends Error {
  override readonly name = 'InfrastructureError'
}

/** `ENOENT` and the like. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
