import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { byteOrderMark } from '../../files/index.ts'
import { wholeLines } from '../../ledger/lines.ts'
import { KeptLines } from '../kept-lines.ts'
import { rowLines } from '../row-file.ts'
import { row as rowSchema, type Row } from '../row.ts'
import type { Rejection, WorkFolder } from '../work-folder.ts'
import { refusalOf, textOf, type Filters, type Measures } from './filters.ts'
import { NearDuplicates } from './near-duplicates.ts'
import { countsByRatio, lastRank, rankOf } from './ratios.ts'
import { shinglesOf, wordsOf, type Shingles } from './shingles.ts'

/** A file of rows and its share of the mix; undefined: whole. */
export interface MixSource {
  path: string
  name: string
  ratio: number | undefined
}

export interface MixOptions {
  folder: WorkFolder
  sources: readonly MixSource[]
  filters: Filters
  measures: Measures
  /** the share of runs of words in common from which on two rows are the same; 1 leaves only what is the same */
  threshold: number
  seed: number
  signal: AbortSignal
  /** is called after each row of the first pass and of the second one */
  onRow?: () => void
}

const filteredName = 'filtered.jsonl'

/** What has become of a line in the first pass. */
const filteredLine = z.object({
  /** number of the source, number of the line */
  key: z.string(),
  id: z.string().optional(),
  reason: z.string().optional(),
  detail: z.string().optional(),
})

const runLength = 5

const shinglesOfRow = (row: Row): Shingles => shinglesOf(wordsOf(textOf(row)), runLength)

/**
 * Joins files of rows: a first pass filters, and keeps in `filtered.jsonl` what has become of each line; a second one takes as many of each
 * source as the ratios say. Both go on where a kill has ended them, and no row is held longer than it takes to look at it.
 */
export async function mixRows(options: MixOptions): Promise<void> {
  const filtered = new KeptLines(join(options.folder.path, filteredName), (value) => filteredLine.parse(value).key)
  await filterAll(filtered, options)
  takeAll(filtered, options)
}

/** Places of rows that were kept, so that they can be compared with again. */
class KeptRows {
  readonly #files: number[]
  readonly #source: number[] = []
  readonly #offset: number[] = []
  readonly #bytes: number[] = []
  readonly ids = new Set<string>()

  constructor(sources: readonly MixSource[]) {
    this.#files = sources.map(({ path }) => openSync(path, 'r'))
  }

  add(id: string, source: number, { offset, bytes }: { offset: number; bytes: number }): void {
    this.ids.add(id)
    this.#source.push(source)
    this.#offset.push(offset)
    this.#bytes.push(bytes)
  }

  at(index: number): Row {
    const line = Buffer.alloc(this.#bytes[index]!)
    readSync(this.#files[this.#source[index]!]!, line, 0, line.length, this.#offset[index]!)
    return rowSchema.parse(JSON.parse(line.toString('utf8').replace(byteOrderMark, '')))
  }

  close(): void {
    for (const file of this.#files) closeSync(file)
  }
}

async function filterAll(filtered: KeptLines, options: MixOptions): Promise<void> {
  const kept = new KeptRows(options.sources)
  const near = new NearDuplicates(options.threshold)
  const shinglesAt = (index: number): Shingles => shinglesOfRow(kept.at(index))
  try {
    for (const [index, { path }] of options.sources.entries()) {
      for (const line of rowLines(path)) {
        options.signal.throwIfAborted()
        const key = `${index}:${line.number}`
        const known = filteredLine.safeParse(filtered.get(key)).data
        if ('problem' in line) {
          if (!known) filtered.add(key, { key, reason: 'no row', detail: line.problem })
        } else if (known) {
          // what an earlier call has kept is compared with as well
          if (known.reason === undefined) {
            near.findOrAdd(shinglesOfRow(line.row), shinglesAt)
            kept.add(line.row.id, index, line)
          }
        } else {
          const refusal = await decide(line.row, { kept, near, shinglesAt }, options)
          if (!refusal) kept.add(line.row.id, index, line)
          filtered.add(key, { key, id: line.row.id, ...refusal })
        }
        options.onRow?.()
      }
    }
  } finally {
    kept.close()
  }
}

async function decide(
  row: Row,
  { kept, near, shinglesAt }: { kept: KeptRows; near: NearDuplicates; shinglesAt: (index: number) => Shingles },
  { filters, measures }: MixOptions,
): Promise<Rejection | undefined> {
  if (kept.ids.has(row.id)) return { reason: 'duplicate', detail: row.id }
  const refusal = await refusalOf(row, filters, measures)
  if (refusal) return refusal
  const duplicate = near.findOrAdd(shinglesOfRow(row), shinglesAt)
  if (!duplicate) return undefined
  const { index, similarity } = duplicate
  return { reason: 'near duplicate', detail: `${(100 * similarity).toFixed(1)} % of ${kept.at(index).id}` }
}

/** The last rank that is taken of each source with a ratio. */
function lastRanks(filtered: KeptLines, { sources, seed }: MixOptions): ReadonlyMap<number, number> {
  const ranks = new Map<number, number[]>()
  for (const { text } of wholeLines(filtered.path)) {
    const { key, id, reason } = filteredLine.parse(JSON.parse(text))
    if (reason !== undefined || id === undefined) continue
    const source = Number(key.split(':')[0])
    const known = ranks.get(source)
    if (known) known.push(rankOf(id, seed))
    else ranks.set(source, [rankOf(id, seed)])
  }
  const counts = new Map(sources.map((_, index) => [String(index), ranks.get(index)?.length ?? 0]))
  const ratios = new Map(sources.flatMap(({ ratio }, index) => (ratio === undefined ? [] : [[String(index), ratio]])))
  const taken = countsByRatio(counts, ratios)
  return new Map(
    sources.flatMap(({ ratio }, index) =>
      ratio === undefined ? [] : [[index, lastRank(ranks.get(index) ?? [], taken.get(String(index)) ?? 0)]],
    ),
  )
}

function takeAll(filtered: KeptLines, options: MixOptions): void {
  const { folder, sources, seed, signal } = options
  const last = lastRanks(filtered, options)
  for (const [index, { path, name }] of sources.entries()) {
    for (const line of rowLines(path)) {
      signal.throwIfAborted()
      const key = `${index}:${line.number}`
      if (folder.isDecided(key)) continue
      const { reason, detail = '' } = filteredLine.parse(filtered.get(key))
      const refuse = (rejection: Rejection): void => void folder.decide(key, { rows: [], rejections: [rejection] })
      if (reason !== undefined || 'problem' in line)
        refuse({ reason: reason ?? 'no row', detail: `${name}:${line.number}: ${detail}` })
      else if (rankOf(line.row.id, seed) > (last.get(index) ?? Infinity))
        refuse({ reason: 'beyond its ratio', detail: `${name}:${line.number}` })
      else {
        const { id: _, ...draft } = line.row
        folder.decide(key, { rows: [draft], rejections: [] })
      }
      options.onRow?.()
    }
  }
}
