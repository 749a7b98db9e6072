import type { Listing, SampleRow } from '../model.ts'

/** What samples are filtered by; an empty text allows all. */
export interface Filter {
  model: string
  level: string
  status: string
  change: string
  /** words, all of which stand in task, sample, model, class or category */
  q: string
}

export const noFilter: Filter = { model: '', level: '', status: '', change: '', q: '' }

/** A status, or all of those that are not right. */
const hasStatus = ({ status }: SampleRow, wanted: string): boolean =>
  wanted === '' || status === wanted || (wanted === 'wrong' && status !== 'correct' && status !== 'undecided')

/** The text of each sample that words are looked for in. */
export const searchTexts = ({ tasks, samples }: Listing): string[] =>
  samples.map(({ task, name, model, class: of, status }) => {
    const { name: taskName = '', category = '', suite = '' } = tasks[task] ?? {}
    return [suite, taskName, category, name, model, of ?? '', status].join(' ').toLowerCase()
  })

/** Indices of the samples that a filter allows. */
export function filtered({ tasks, samples }: Listing, texts: readonly string[], filter: Filter): number[] {
  const words = filter.q.toLowerCase().split(/\s+/).filter(Boolean)
  return samples.flatMap((sample, index) => {
    const allowed =
      (filter.model === '' || sample.model === filter.model) &&
      (filter.level === '' || tasks[sample.task]?.level === filter.level) &&
      hasStatus(sample, filter.status) &&
      (filter.change === '' || sample.change === filter.change) &&
      words.every((word) => texts[index]?.includes(word))
    return allowed ? [index] : []
  })
}
