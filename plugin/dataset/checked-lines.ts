import { join } from 'node:path'
import { z } from 'zod'
import { WorkedFolder, type Settings } from '../generation/run-settings.ts'
import { wholeLines } from '../ledger/lines.ts'
import type { CheckedLine } from './check.ts'
import { KeptLines } from './kept-lines.ts'

/** How many rows of a kind there are. */
export interface CheckCounts {
  right: number
  wrong: number
  /** claim nothing that anything could be held to */
  nothing: number
  unchecked: number
  /** of the right ones, how many have code that was compiled */
  compiled: number
  /** why imported rows are wrong: how many, by reason; a row may have several */
  reasons: Map<string, number>
}

const keptLine = z.object({
  number: z.int(),
  kind: z.string().nullable(),
  outcome: z.enum(['right', 'wrong', 'nothing to verify', 'not checked']),
  reasons: z.array(z.string()),
  compiled: z.boolean(),
})

type Counted = z.infer<typeof keptLine>

const counted = {
  right: 'right',
  wrong: 'wrong',
  'nothing to verify': 'nothing',
  'not checked': 'unchecked',
} as const

const checkedName = 'checked.jsonl'

/** What has become of the lines of a file: counted, and kept in a folder where one is given, so that a killed check goes on. */
export class CheckedLines {
  readonly #counts = new Map<string, CheckCounts>()
  readonly #worked: WorkedFolder | undefined
  readonly #kept: KeptLines | undefined

  /** Throws a `GenerationError` where the folder is of another check. */
  constructor(kept: { folder: string; settings: Settings } | undefined) {
    if (!kept) return
    this.#worked = new WorkedFolder(kept.folder, kept.settings, '--out')
    try {
      this.#kept = new KeptLines(join(this.#worked.path, checkedName), (value) => String(keptLine.parse(value).number))
      if (this.#kept.size > 0)
        for (const { text } of wholeLines(this.#kept.path)) this.#count(keptLine.parse(JSON.parse(text)))
    } catch (error) {
      this.close()
      throw error
    }
  }

  has(number: number): boolean {
    return this.#kept?.has(String(number)) ?? false
  }

  add(line: CheckedLine): void {
    const { kind = null, reasons = [], compiled = false, id, number, outcome, problems } = line
    this.#count({ number, kind, outcome, reasons: [...reasons], compiled })
    // a check that goes on looks at it again
    if (outcome === 'not checked') return
    this.#kept?.add(String(number), { number, id, kind, outcome, compiled, reasons, problems })
    this.#worked?.touch()
  }

  #count({ kind, outcome, reasons, compiled }: Counted): void {
    const name = kind ?? 'no row'
    const count = this.#counts.get(name) ?? {
      right: 0,
      wrong: 0,
      nothing: 0,
      unchecked: 0,
      compiled: 0,
      reasons: new Map(),
    }
    this.#counts.set(name, count)
    count[counted[outcome]]++
    if (outcome === 'right' && compiled) count.compiled++
    for (const reason of reasons) count.reasons.set(reason, (count.reasons.get(reason) ?? 0) + 1)
  }

  /** By kind, in the order in which they were first met. */
  counts(): ReadonlyMap<string, CheckCounts> {
    return this.#counts
  }

  close(): void {
    this.#worked?.close()
  }
}
