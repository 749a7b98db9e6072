import { pruneRuns } from '../ledger/index.ts'
import { runsIn } from '../ledger/runs.ts'
import { parseCommand, runsOption, wholeNumber } from './command.ts'
import { messageOf, UserError } from './user-error.ts'

const usage = `Usage: vitest-npu prune --keep <n>

Removes the oldest runs but for the last n. The latest one stays, and so do those that are running.

  --keep <n>        how many runs stay
  --runs <folder>   where runs are kept; .npu/runs
  --help, --version

  npx vitest-npu prune --keep 20
`

/** `prune`: removes old runs. */
export function pruneCommand(args: readonly string[]): void {
  const parsed = parseCommand('prune', usage, args, { ...runsOption, keep: { type: 'string' } })
  if (!parsed) return
  const { values, positionals } = parsed
  if (positionals.length > 0)
    throw new UserError(`prune: takes no names: ${positionals.join(' ')}; see vitest-npu prune --help`)
  if (values.keep === undefined) throw new UserError('prune: give --keep, how many runs stay')
  const keep = wholeNumber('--keep', values.keep, 0)
  let removed: string[]
  try {
    removed = pruneRuns(values.runs, keep)
  } catch (error) {
    throw new UserError(`--runs ${values.runs}: ${messageOf(error)}`)
  }
  for (const id of removed) console.log(`removed ${id}`)
  console.log(`${runsIn(values.runs).length} runs are left in ${values.runs}`)
}
