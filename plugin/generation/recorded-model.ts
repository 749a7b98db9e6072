import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { hashOf } from '../cache/hash.ts'
import { qualifiedName, type TaskInterface } from '../model/index.ts'
import { asksForProgram } from './dsl/prompt.ts'
import { GenerationError } from './error.ts'
import { UnansweredError, type Model, type Question, type Reply } from './model.ts'
import { readTranscript, transcriptName, type AnswerLine, type SampleName } from './transcript.ts'
import type { Message } from './types.ts'

/** What a prompt asks, and what was said in it, by their hashes: thousands of answers may be to one long prompt. */
interface RecordedPrompt {
  question: string
  said: string | undefined
}

const recordedPrompt = (messages: readonly Message[]): RecordedPrompt => ({
  question: questionIn(messages),
  said: saidIn(messages),
})

/** A prompt and one answer to it. */
interface Recorded {
  answer: AnswerLine
  /** missing where a transcript is not whole */
  prompt: RecordedPrompt | undefined
}

/** Answers as somebody has answered the same prompts before; every run folder is such a recording. */
export class RecordedModel implements Model {
  readonly concurrency = 1
  readonly #folder: string
  readonly #tell: (line: string) => void
  /** answers by the hash of their prompt and the number of their sample */
  readonly #answers = new Map<string, AnswerLine[]>()
  /** answers by their sample and turn */
  readonly #byTurn = new Map<string, Recorded[]>()
  readonly #tasks = new Set<string>()

  private constructor(folder: string, tell: (line: string) => void) {
    this.#folder = folder
    this.#tell = tell
  }

  /** Reads the transcript of a folder, or those of the folders in it; `tell` is given what a user should know of an answer. */
  static async open(folder: string, tell: (line: string) => void = () => {}): Promise<RecordedModel> {
    const files = transcriptsIn(folder)
    if (files.length === 0)
      throw new GenerationError(
        `--model recorded:${folder}: there is no ${transcriptName}, and none in a folder of it`,
        64,
      )
    const model = new RecordedModel(folder, tell)
    for (const file of files) model.#read(file)
    return model
  }

  #read(file: string): void {
    const prompts = new Map<string, RecordedPrompt>()
    for (const line of readTranscript(file)) {
      if (line.kind === 'prompt') prompts.set(line.hash, recordedPrompt(line.messages))
      if (line.kind !== 'answer') continue
      this.#tasks.add(qualifiedName({ suite: line.suite, name: line.task }))
      append(this.#answers, `${line.prompt} ${line.sample}`, line)
      append(this.#byTurn, turnOf(line), { answer: line, prompt: prompts.get(line.prompt) })
    }
  }

  /** Whether anybody has answered a prompt of this task. */
  hasTask(task: Pick<TaskInterface, 'suite' | 'name'>): boolean {
    return this.#tasks.has(qualifiedName(task))
  }

  ask({ sample, turn, prompt, hash }: Question): Promise<Reply> {
    const name = `${sample.suite}/${sample.task}, sample ${sample.sample}, turn ${turn}`
    const found = this.#answers.get(`${hash} ${sample.sample}`)
    // a model that repeats itself may be asked the same twice
    let answer = found?.find((each) => each.turn === turn) ?? found?.at(-1)
    if (!answer && turn > 1) {
      answer = this.#repairOf({ ...sample, turn }, prompt.messages)
      if (answer) this.#tell(`${name}: was answered when the findings were worded otherwise`)
    }
    if (!answer && turn === 1) {
      answer = this.#sameTask({ ...sample, turn }, prompt.messages)
      if (answer)
        this.#tell(
          asksForProgram(prompt.messages)
            ? `${name}: was answered when the language was described otherwise`
            : `${name}: was answered when the rules were worded otherwise`,
        )
    }
    if (answer) {
      const { text, reasoning, finish, usage, unusable, ms } = answer
      return Promise.resolve({ text, reasoning, finish, usage, unusable, ms })
    }
    return Promise.reject(
      new UnansweredError(`${name}: ${this.#folder} has no recording of this prompt (${hash}): record it again`),
    )
  }

  /** The answer to the same question, before which the language of programs alone was described otherwise, or with other rules. */
  #sameTask(turn: SampleName & { turn: number }, messages: readonly Message[]): AnswerLine | undefined {
    const asked = questionIn(messages)
    return this.#byTurn.get(turnOf(turn))?.find(({ prompt }) => prompt?.question === asked)?.answer
  }

  /** The answer to the same conversation, in which the last message alone, what was found, is another one. */
  #repairOf(turn: SampleName & { turn: number }, messages: readonly Message[]): AnswerLine | undefined {
    const said = saidIn(messages)
    if (said === undefined) return undefined
    return this.#byTurn.get(turnOf(turn))?.find(({ prompt }) => prompt?.said === said)?.answer
  }
}

const turnOf = ({ suite, task, sample, turn }: SampleName & { turn: number }): string =>
  `${suite}/${task} ${sample} ${turn}`

/** Names what is asked, without our rules, nor what is said before of the language of programs. */
function questionIn(messages: readonly Message[]): string {
  const kept = asksForProgram(messages) ? messages.filter(({ role }) => role !== 'system') : messages
  return hashOf(JSON.stringify(kept.map(withoutRules)))
}

/** Rules grow as we learn what goes wrong; the question stays. */
const withoutRules = ({ role, content }: Message): Message => ({
  role,
  content: role === 'user' ? content.replace(/^## Rules\n[^]*?^(?=## )/m, '') : content,
})

/** Names the first prompt without our rules, and all that the model has said; undefined where no answer of it is among the messages. */
function saidIn(messages: readonly Message[]): string | undefined {
  const first = messages.findIndex(({ role }) => role === 'assistant')
  if (first < 0) return undefined
  // the language of programs is described anew when it grows; what a project is written in stays
  const isProgram = asksForProgram(messages)
  const isKept = ({ role }: Message, i: number): boolean =>
    role === 'assistant' || (i < first && !(role === 'system' && isProgram))
  return hashOf(JSON.stringify(messages.filter(isKept).map(withoutRules)))
}

function append<T>(map: Map<string, T[]>, key: string, value: T): void {
  const values = map.get(key)
  if (values) values.push(value)
  else map.set(key, [value])
}

function transcriptsIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
  return ['', ...names].map((name) => join(folder, name, transcriptName)).filter((file) => existsSync(file))
}
