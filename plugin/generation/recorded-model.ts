import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { qualifiedName } from '../model/index.ts'
import { GenerationError } from './error.ts'
import { UnansweredError, type Model, type Question, type Reply } from './model.ts'
import { readTranscript, transcriptName, type AnswerLine } from './transcript.ts'

/** Answers as somebody has answered the same prompts before; every run folder is such a recording. */
export class RecordedModel implements Model {
  readonly concurrency = 1
  readonly #folder: string
  readonly #answers: ReadonlyMap<string, readonly AnswerLine[]>

  private constructor(folder: string, answers: ReadonlyMap<string, readonly AnswerLine[]>) {
    this.#folder = folder
    this.#answers = answers
  }

  /** Reads the transcript of a folder, or those of the folders in it. */
  static async open(folder: string): Promise<RecordedModel> {
    const files = transcriptsIn(folder)
    if (files.length === 0)
      throw new GenerationError(
        `--model recorded:${folder}: there is no ${transcriptName}, and none in a folder of it`,
        64,
      )
    const answers = new Map<string, AnswerLine[]>()
    for (const file of files)
      for (const line of readTranscript(file)) {
        if (line.kind !== 'answer') continue
        const key = `${line.prompt} ${line.sample}`
        answers.set(key, [...(answers.get(key) ?? []), line])
      }
    return new RecordedModel(folder, answers)
  }

  ask({ task, sample, turn, hash }: Question): Promise<Reply> {
    const found = this.#answers.get(`${hash} ${sample.sample}`)
    // a model that repeats itself may be asked the same twice
    const answer = found?.find((each) => each.turn === turn) ?? found?.at(-1)
    if (answer) {
      const { text, reasoning, finish, usage, unusable, ms } = answer
      return Promise.resolve({ text, reasoning, finish, usage, unusable, ms })
    }
    const name = `${qualifiedName(task.interface)}, sample ${sample.sample}, turn ${turn}`
    return Promise.reject(
      new UnansweredError(`${name}: ${this.#folder} has no recording of this prompt (${hash}): record it again`),
    )
  }
}

function transcriptsIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
  return ['', ...names].map((name) => join(folder, name, transcriptName)).filter((file) => existsSync(file))
}
