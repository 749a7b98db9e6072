import { exitCodes } from '../model/index.ts'

/** Something that ends the making of a data set, in one line a person can act on; what was decided is kept. */
export class DatasetError extends Error {
  override name = 'DatasetError'
  /** what the command ends with */
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.infrastructure) {
    super(message)
    this.exitCode = exitCode
  }
}
