import type { LedgerEntry } from '../ledger/index.ts'

/**
 * Annotations for GitHub that Vitest's own reporter cannot make: it marks the first line of a failure, and a race has
 * two. One workflow command for each place, however many tests met it.
 */
export function raceAnnotations(entries: readonly LedgerEntry[]): string[] {
  const commands = entries.flatMap(({ task, verdict }) => {
    if (!('report' in verdict)) return []
    const { code, core, instruction, file, line, other } = verdict.report
    if (!other?.file || other.line === undefined) return []
    const place = file === undefined ? '' : ` at ${file}${line === undefined ? '' : `:${line}`}`
    const message = `${other.instruction}: nothing orders it and ${instruction}${place} (${core})`
    const properties = { file: other.file, line: String(other.line), title: `${task}: the other side of ${code}` }
    const fields = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(value)}`)
    return [`::error ${fields.join(',')}::${escapeData(message)}`]
  })
  return [...new Set(commands)]
}

const escapeData = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
