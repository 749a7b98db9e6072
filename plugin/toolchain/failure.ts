/** Something of this machine or of the package, never of a candidate: becomes the verdict `infrastructure`. */
export class InfrastructureError extends Error {
  override readonly name = 'InfrastructureError'
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
