import { exitCodes } from '../model/index.ts'

export { didYouMean, messageOf } from '../model/index.ts'

/** What a user has to change, in one line: the file, the field, the fix. */
export class UserError extends Error {
  override name = 'UserError'
  /** what the command ends with; the call is wrong where nothing else is said */
  readonly exitCode: number

  constructor(message?: string, exitCode: number = exitCodes.usage) {
    super(message)
    this.exitCode = exitCode
  }
}
