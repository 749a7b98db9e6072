import type { TestModule } from 'vitest/node'
import type { LedgerEntry } from '../ledger/index.ts'
import './meta.ts'

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
    const title = `${task}: the other side of ${code}`
    return [annotation({ file: other.file, line: String(other.line), title }, message)]
  })
  return [...new Set(commands)]
}

/**
 * Annotations of the lines of candidates that failures are about: Vitest's own reporter marks lines of modules alone. One for each
 * place and message.
 */
export function failureAnnotations(modules: readonly TestModule[]): string[] {
  const commands = modules.flatMap((module) =>
    [...module.children.allTests('failed')].flatMap((test) => {
      const { npu } = test.meta()
      const [error] = test.result().errors ?? []
      const [, file, line] = /^ {4}at (\/.+):(\d+):\d+$/m.exec(error?.stack ?? '') ?? []
      if (!npu || npu.verdict?.kind === 'infrastructure' || !error || file === undefined || line === undefined)
        return []
      const title = [npu.task, npu.sample, npu.verdict?.kind].filter(Boolean).join(' ')
      return [annotation({ file, line, title }, error.message)]
    }),
  )
  return [...new Set(commands)]
}

const annotation = (properties: Record<'file' | 'line' | 'title', string>, message: string): string => {
  const fields = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(value)}`)
  return `::error ${fields.join(',')}::${escapeData(message)}`
}

const escapeData = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
