import { readFileSync } from 'node:fs'
import { ledgerEntry, type LedgerEntry } from './entry.ts'

/**
 * Reads a ledger. A torn last line, left by a killed run, is dropped; any other line that is not an entry is an error
 * that names the line.
 */
export function readLedger(path: string): LedgerEntry[] {
  const text = readFileSync(path, 'utf8')
  const lines = text.split('\n')
  const torn = lines.pop()
  const entries = lines.map((line, index) => parseLine(line, `${path}:${index + 1}`))
  if (torn === undefined || torn === '') return entries
  try {
    return [...entries, parseLine(torn, path)]
  } catch {
    return entries
  }
}

function parseLine(line: string, place: string): LedgerEntry {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (cause) {
    throw new Error(`${place}: not JSON`, { cause })
  }
  const parsed = ledgerEntry.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new Error(`${place}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not a ledger entry'}`)
}
