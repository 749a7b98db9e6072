import { join } from 'node:path'
import { z } from 'zod'
import { hashOf } from '../cache/hash.ts'
import { WorkedFolder, type Settings } from '../generation/run-settings.ts'
import { transcriptName, type AnswerLine } from '../generation/transcript.ts'
import type { Prompt } from '../generation/types.ts'
import { KeptLines } from './kept-lines.ts'
import { rowsName } from './row-file.ts'
import { rowOf, type Draft, type Row } from './row.ts'

export const rejectedName = 'rejected.jsonl'
const decidedName = 'decided.jsonl'
const foundName = 'found.jsonl'

/** Why something did not become a row. */
export interface Rejection {
  /** one of few words, which are counted, e.g. `does not compile` */
  reason: string
  /** what exactly, for a person */
  detail: string
}

/** What has become of something that was asked about: any number of rows, and what was refused. */
export interface Decision {
  rows: readonly Draft[]
  rejections: readonly Rejection[]
}

const keyed = z.object({ key: z.string() })
const identified = z.object({ id: z.string() })
const transcribed = z.looseObject({ kind: z.string(), prompt: z.string().optional(), hash: z.string().optional() })

const keyOf = (value: unknown): string | undefined => keyed.safeParse(value).data?.key
const idOf = (value: unknown): string | undefined => identified.safeParse(value).data?.id

function keyOfTranscript(value: unknown): string | undefined {
  const { kind, prompt, hash } = transcribed.parse(value)
  if (kind === 'prompt') return `prompt ${hash}`
  return kind === 'answer' ? `answer ${prompt}` : undefined
}

/**
 * The folder of a builder: what was found, asked and answered, rows and what was refused. Lines are only added, so that whoever
 * goes on after a kill asks and judges nothing twice: a row is there before the thing that it is of counts as decided.
 */
export class WorkFolder {
  readonly path: string
  readonly #worked: WorkedFolder
  readonly #transcript: KeptLines
  readonly #found: KeptLines
  readonly #rows: KeptLines
  readonly #rejected: KeptLines
  readonly #decided: KeptLines

  /** Begins a data set, or goes on with one of the same settings. Throws a `GenerationError`. */
  constructor(named: string, settings: Settings) {
    this.#worked = new WorkedFolder(named, settings, '--out')
    this.path = this.#worked.path
    const open = (name: string, key: (value: unknown) => string | undefined): KeptLines =>
      new KeptLines(join(this.path, name), key)
    try {
      this.#transcript = open(transcriptName, keyOfTranscript)
      this.#found = open(foundName, keyOf)
      this.#rows = open(rowsName, idOf)
      this.#rejected = open(rejectedName, idOf)
      this.#decided = open(decidedName, keyOf)
    } catch (error) {
      this.close()
      throw error
    }
  }

  /** What is costly to find, found once: `make` is called where no earlier call has kept it. JSON. */
  async found<T>(key: string, make: () => Promise<T>): Promise<T> {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what this very method has written
    if (this.#found.has(key)) return (this.#found.get(key) as { value: T }).value
    const value = await make()
    this.#found.add(key, { key, value })
    return value
  }

  /** The answer to a prompt, where it was answered. */
  answerTo(hash: string): AnswerLine | undefined {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by noteAnswer
    return this.#transcript.get(`answer ${hash}`) as AnswerLine | undefined
  }

  /** Keeps an answer, and its prompt where it is the first to it. */
  noteAnswer(answer: Omit<AnswerLine, 'kind'>, { version, messages }: Prompt): void {
    const hash = answer.prompt
    if (!this.#transcript.has(`prompt ${hash}`))
      this.#transcript.add(`prompt ${hash}`, { kind: 'prompt', hash, version, messages })
    // it has cost money
    this.#transcript.add(`answer ${hash}`, { kind: 'answer', ...answer }, true)
    this.#worked.touch()
  }

  isDecided(key: string): boolean {
    return this.#decided.has(key)
  }

  /** Keeps what has become of something. Returns the rows that are new: none is there twice. */
  decide(key: string, { rows, rejections }: Decision): Row[] {
    const made = rows.map(rowOf)
    const added = made.filter(({ id }) => !this.#rows.has(id))
    for (const row of added) this.#rows.add(row.id, row)
    for (const rejection of rejections) {
      const id = hashOf(key, rejection.reason, rejection.detail)
      if (!this.#rejected.has(id)) this.#rejected.add(id, { id, key, ...rejection })
    }
    this.#decided.add(key, { key, rows: made.map(({ id }) => id), rejected: rejections.length })
    this.#worked.touch()
    return added
  }

  /** Rows, and things that were refused. */
  get counts(): { rows: number; rejected: number; decided: number } {
    return { rows: this.#rows.size, rejected: this.#rejected.size, decided: this.#decided.size }
  }

  /** Lets others work in the folder. */
  close(): void {
    this.#worked.close()
  }
}
