import type { LedgerEntry } from '../ledger/index.ts'
import type { SampleState } from './sample-state.ts'

/** Samples named one by one. */
const named = 5

/**
 * What a failing generated case means where every static case that was judged passes: nothing that is published fails.
 * `published` is the number of static cases of the task; nothing is said where none was judged, or one failed.
 */
export function generatedOnlyFact({ outcomes }: Pick<SampleState, 'outcomes'>, published: number): string[] {
  const judged = [...outcomes.values()]
  if (judged.length === 0 || judged.some(({ verdict }) => verdict.kind !== 'correct')) return []
  const passed =
    judged.length === published ? `all ${published} static cases pass` : 'every static case that was judged passes'
  return [`${passed}; only generated values or shapes fail`]
}

/** The same of a run: the samples whose static cases all pass where a generated one fails; nothing where there is none. */
export function generatedOnlyNote(entries: readonly LedgerEntry[]): string[] {
  const bySample = new Map<string, LedgerEntry[]>()
  for (const entry of entries) {
    const sample = [entry.model ?? '', entry.suite, entry.task, entry.sample].join('\0')
    bySample.set(sample, [...(bySample.get(sample) ?? []), entry])
  }
  const found = [...bySample.values()].filter(failsGeneratedOnly)
  if (found.length === 0) return []
  const names = found.map(([entry]) => `${entry!.task} ${entry!.sample}`)
  const more = names.length > named ? ` and ${names.length - named} more` : ''
  const who =
    found.length === 1
      ? '1 sample passes every static case and only fails'
      : `${found.length} samples pass every static case and only fail`
  return [`${who} generated ones: ${names.slice(0, named).join(', ')}${more}`]
}

function failsGeneratedOnly(entries: readonly LedgerEntry[]): boolean {
  const statics = entries.filter(({ stage }) => stage === 'static')
  const generated = entries.filter(({ stage }) => stage === 'generated')
  if (statics.length === 0 || statics.some(({ verdict }) => verdict.kind !== 'correct')) return false
  // a failure of ours is none of the sample
  return generated.some(({ verdict }) => verdict.kind !== 'correct' && verdict.kind !== 'infrastructure')
}
