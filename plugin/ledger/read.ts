import { readFileSync } from 'node:fs'
import { ledgerEntry, ledgerVersion, type LedgerEntry } from './entry.ts'

/**
 * Reads a ledger. A torn last line, left by a killed run, is dropped; any other line that is not an entry of this
 * version is an error of one line that names file and line.
 */
export function readLedger(path: string): LedgerEntry[] {
  const text = readFileSync(path, 'utf8')
  const lines = text.split('\n')
  const torn = lines.pop()
  const entries = lines.map((line, index) => parseLine(line, `${path}:${index + 1}`))
  if (torn === undefined || torn === '') return entries
  try {
    return [...entries, parseLine(torn, `${path}:${lines.length + 1}`)]
  } catch (error) {
    if (error instanceof LedgerVersionError) throw error
    return entries
  }
}

/** Says of a line of another version that it is one, before the fields in which it differs are looked at. */
function checkVersion(value: unknown, place: string): void {
  if (typeof value !== 'object' || value === null) return
  const found: unknown = Reflect.get(value, 'v')
  if (found === ledgerVersion) return
  const version = found === undefined ? 'no version (field v)' : `version ${JSON.stringify(found)}`
  const older = found === undefined || (typeof found === 'number' && found < ledgerVersion)
  const fix = older ? 'run Vitest again to write it anew' : 'update vitest-npu'
  throw new LedgerVersionError(`${place}: has ${version}, this vitest-npu reads version ${ledgerVersion}; ${fix}`)
}

/** A line that another version of this package has written. */
class LedgerVersionError extends Error {
  override name = 'LedgerVersionError'
}

function parseLine(line: string, place: string): LedgerEntry {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (cause) {
    throw new Error(`${place}: not JSON`, { cause })
  }
  checkVersion(value, place)
  const parsed = ledgerEntry.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new Error(`${place}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a ledger entry'}`)
}
