import { ledgerEntry, ledgerVersion, type LedgerEntry } from './entry.ts'
import { linesOf } from './lines.ts'

/** How a ledger is read. */
export interface ReadOptions {
  /** is told of a torn last line, in one line; the standard error output when left out */
  warn?: (line: string) => void
}

/**
 * Reads a ledger. A torn last line, left by a killed run, is skipped with a warning; any other line that is not an entry
 * of a version that can be read is an error of one line that names file and line.
 */
export function readLedger(path: string, { warn = console.warn }: ReadOptions = {}): LedgerEntry[] {
  const entries: LedgerEntry[] = []
  const revisions = new Set<string>()
  let number = 0
  for (const { text, isTorn } of linesOf(path)) {
    const place = `${path}:${++number}`
    let entry: LedgerEntry
    try {
      entry = parseLine(text, place)
    } catch (error) {
      if (!isTorn || error instanceof LedgerVersionError) throw error
      warn(`${place}: skipped, the last line is torn: the run was killed while it wrote`)
      continue
    }
    for (const name of Object.keys(entry.answers?.revisions ?? {})) revisions.add(name)
    if (revisions.size > mostRevisions)
      throw new Error(
        `${place}: names more revisions of the public benchmark than the ${mostRevisions} that are told apart`,
      )
    entries.push(entry)
  }
  return entries
}

/** The public benchmark has a handful of them, and each has figures of its own. */
const mostRevisions = 64

/** The line as this version has it. Says of a line that cannot be read what version it has, before its fields are looked at. */
function upgraded(value: unknown, place: string): unknown {
  if (typeof value !== 'object' || value === null) return value
  const found: unknown = Reflect.get(value, 'v')
  if (found === ledgerVersion) return value
  // what has been added since is optional, but for the model
  if (found === 2) return { ...value, v: ledgerVersion, model: null }
  const version =
    found === undefined
      ? 'no version (field v)'
      : `version ${typeof found === 'object' ? 'that is no number' : JSON.stringify(found)}`
  const older = found === undefined || (typeof found === 'number' && found < ledgerVersion)
  const fix = older ? 'run Vitest again to write it anew' : 'update vitest-npu'
  throw new LedgerVersionError(
    `${place}: has ${version}, this vitest-npu reads versions 2 and ${ledgerVersion}; ${fix}`,
  )
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
  const parsed = ledgerEntry.safeParse(upgraded(value, place))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new Error(`${place}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a ledger entry'}`)
}
