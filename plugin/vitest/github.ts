import type { TestModule } from 'vitest/node'
import type { LedgerEntry } from '../ledger/index.ts'
import { neutralText } from '../model/index.ts'
import { sampleKey } from '../ledger/judged-samples.ts'
import './meta.ts'

/** Characters of a message; the log has all. */
const maxMessage = 2000

/**
 * Annotations for GitHub at the lines of candidates that failures are about: Vitest's own reporter marks the spec. One
 * workflow command for each line and kind of failure of a sample, however many of its tests met it.
 */
export function kernelAnnotations(module: TestModule): string[] {
  const found = new Map<string, { properties: Record<string, string>; message: string; tests: number }>()
  for (const test of module.children.allTests('failed')) {
    const { npu } = test.meta()
    const [error] = test.result().errors ?? []
    const place = error?.stacks?.[0]
    // what has no place in a candidate has the spec for its first one
    if (!npu || !error || !place || place.file === module.moduleId) continue
    const line = String(place.line)
    const key = [sampleKey(npu), error.name, place.file, line].join('\0')
    const known = found.get(key)
    if (known) known.tests++
    else {
      const title = `${npu.task} › ${npu.sample}: ${npu.case}`
      const message = neutralText(`${error.name}: ${error.message}`).slice(0, maxMessage)
      found.set(key, { properties: { file: place.file, line, title: neutralText(title) }, message, tests: 1 })
    }
  }
  return [...found.values()].map(({ properties, message, tests }) =>
    commandOf(properties, tests > 1 ? `${message}\nand ${tests - 1} more of its tests` : message),
  )
}

/**
 * Annotations for GitHub at the other side of a race: a failure has one place, and a race has two. One workflow command for each place, however many tests met it.
 */
export function raceAnnotations(entries: readonly LedgerEntry[]): string[] {
  const commands = entries.flatMap(({ task, verdict }) => {
    if (!('report' in verdict)) return []
    const { code, core, instruction, file, line, other } = verdict.report
    if (!other?.file || other.line === undefined) return []
    const place = file === undefined ? '' : ` at ${file}${line === undefined ? '' : `:${line}`}`
    const message = `${other.instruction}: nothing orders it and ${instruction}${place} (${core})`
    const properties = { file: other.file, line: String(other.line), title: `${task}: the other side of ${code}` }
    return [commandOf(properties, message)]
  })
  return [...new Set(commands)]
}

function commandOf(properties: Record<string, string>, message: string): string {
  const fields = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(value)}`)
  return `::error ${fields.join(',')}::${escapeData(message)}`
}

const escapeData = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
