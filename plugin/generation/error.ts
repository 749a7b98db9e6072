import { exitCodes } from '../model/index.ts'

/** Something that ends a run of generation, in one line a person can act on; what was answered is kept. */
export class GenerationError extends Error {
  override name = 'GenerationError'
  /** what the command ends with */
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.infrastructure) {
    super(message)
    this.exitCode = exitCode
  }
}
