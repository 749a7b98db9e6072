import { deflateRawSync } from 'node:zlib'
import { neutralValue } from '../model/index.ts'
import type { SourceTexts } from '../ledger/index.ts'
import type { Listing, TaskDetails, TaskSources } from './model.ts'

/** Bytes of packed sources that a page may hold: a browser opens it, and a mail may carry it. */
export const pageSourceBytes = 16 << 20

/** A value as the page reads it: JSON, deflated, in base64, which nothing in it can end. */
export const packed = (value: unknown): string => deflateRawSync(JSON.stringify(value), { level: 9 }).toString('base64')

/** Sources packed for the page, task by task; null for a task of which nothing was recorded, or that has no room. */
export interface PackedSources {
  tasks: (string | null)[]
  /** samples whose sources are recorded, and left out of the page */
  leftOut: number
}

/**
 * Packs the sources of each task. Room is shared out task by task; where the samples of a task are too many, those that are
 * wrong come first.
 */
export function packSources(
  { samples }: Listing,
  details: readonly TaskDetails[],
  read: (hash: string) => SourceTexts | undefined,
  limit = pageSourceBytes,
): PackedSources {
  let room = limit
  let leftOut = 0
  const tasks = details.map((task, index) => {
    const found: [sample: number, hash: string, texts: SourceTexts][] = []
    for (const [sample, { sources }] of Object.entries(task)) {
      const texts = sources === undefined ? undefined : read(sources)
      if (sources !== undefined && texts) found.push([Number(sample), sources, texts])
    }
    const wrong = found.filter(([sample]) => samples[sample]?.status !== 'correct')
    const share = room / (details.length - index)
    for (const some of [found, wrong]) {
      if (some.length === 0) continue
      const sources: TaskSources = Object.fromEntries(some.map(([, hash, texts]) => [hash, neutralValue(texts)]))
      const text = packed(sources)
      if (text.length > share) continue
      room -= text.length
      leftOut += found.length - some.length
      return text
    }
    leftOut += found.length
    return null
  })
  return { tasks, leftOut }
}
