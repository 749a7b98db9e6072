import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isProgram } from '../candidates/index.ts'
import { latestRun, mergeLedgers, readLedger, runsIn, type NamedLedger } from '../ledger/index.ts'
import { hasNotEnded, ledgerAt, ledgerName, lostIn, runsNamed } from '../ledger/runs.ts'
import { neutralText } from '../model/index.ts'
import { didYouMean, messageOf, UserError } from './user-error.ts'

/** Is told of what a ledger lacks, in one line. */
type Warn = (line: string) => void

const warnOnStderr: Warn = (line) => console.error(neutralText(line))

/**
 * The ledger that an argument names: a file, a folder of a run, the id of a run or its beginning, or `latest`. What one that was killed,
 * is still running or has lost a spec has not written is told.
 */
export function readNamed(name: string, runs: string, warn = warnOnStderr): NamedLedger {
  const path = ledgerPathOf(name, runs)
  const entries = read(path, warn)
  if (hasNotEnded(path)) warn(`${name}: the run has not ended, or was killed`)
  for (const spec of sayingWhy(() => lostIn(path))) warn(`${name}: ${spec} could not be read, or has come to no end`)
  return { name, entries }
}

/** The name of the latest run. */
export function latestName(runs: string): string {
  const id = latestRun(runs)
  if (id === undefined) throw new UserError(`there is no run in ${runs}: run Vitest first, or name a ledger`)
  return id
}

/** Is this a folder that is not one of a run: one of samples? A folder within it may be called anything. */
export const holdsNoLedger = (name: string): boolean =>
  existsSync(name) && (isProgram(name) || (statSync(name).isDirectory() && !isFile(join(name, ledgerName))))

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    // nothing, or a link that leads in a circle
    return false
  }
}

/** The ledger of the latest run. */
export const readLatest = (runs: string): NamedLedger => readNamed(latestName(runs), runs)

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
  if (existsSync(name)) return sayingWhy(() => ledgerAt(name))
  const [id, another] = runsNamed(runs, name)
  if (name === '' || id === undefined)
    throw new UserError(`${name}: is no file, and no run in ${runs}${didYouMean(name, runsIn(runs))}`)
  if (another !== undefined) throw new UserError(`${name}: several runs in ${runs} begin like this: ${id}, ${another}`)
  return sayingWhy(() => ledgerAt(join(runs, id)))
}

const read = (path: string, warn: Warn): NamedLedger['entries'] => sayingWhy(() => readLedger(path, { warn }))

/** What is wrong with a ledger is for the user to change. */
function sayingWhy<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new UserError(messageOf(error).split('\n')[0])
  }
}
