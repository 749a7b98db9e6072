import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { latestRun, ledgerOf, mergeLedgers, readLedger, runsIn, type NamedLedger } from '../ledger/index.ts'
import { ledgerName } from '../ledger/runs.ts'
import { didYouMean, messageOf, UsageError, UserError } from './user-error.ts'

/** The ledger that an argument names: a file, a folder of a run, the id of a run or its beginning, or `latest`. */
export function readNamed(name: string, runs: string): NamedLedger {
  return { name, entries: read(ledgerPathOf(name, runs)) }
}

/** The ledger of the latest run. */
export function readLatest(runs: string): NamedLedger {
  const id = latestRun(runs)
  if (id === undefined) throw new UsageError(`there is no run in ${runs}: run Vitest first, or name a ledger`)
  return readNamed(id, runs)
}

/** Several ledgers as one. Throws a UserError where they have judged one question differently. */
export function joined(ledgers: readonly NamedLedger[]): ReturnType<typeof mergeLedgers> {
  try {
    return mergeLedgers(ledgers)
  } catch (error) {
    throw new UserError(messageOf(error))
  }
}

/** The file that holds such a ledger. */
export function ledgerPathOf(name: string, runs: string): string {
  if (existsSync(name)) return statSync(name).isDirectory() ? join(name, ledgerName) : name
  const ids = runsIn(runs)
  const latest = name === 'latest' ? latestRun(runs) : undefined
  const [id, another] = latest ? [latest] : ids.filter((each) => each.startsWith(name))
  if (name === '' || id === undefined)
    throw new UsageError(`${name}: is no file, and no run in ${runs}${didYouMean(name, ids)}`)
  if (another !== undefined) throw new UsageError(`${name}: several runs in ${runs} begin like this: ${id}, ${another}`)
  return ledgerOf(runs, id)
}

function read(path: string): NamedLedger['entries'] {
  try {
    return readLedger(path, { warn: (line) => console.error(line) })
  } catch (error) {
    throw new UserError(messageOf(error).split('\n')[0])
  }
}
