import { join } from 'node:path'
import { ledgerVersion, type LedgerEntry } from '../ledger/index.ts'
import { failuresOfOurs } from '../ledger/outcome.ts'
import { messageOf, type Profile, type Verdict, type ProjectFile } from '../model/index.ts'
import type { KernelTask } from '../task/index.ts'
import type { Spending } from './budget.ts'
import { programName } from './dsl/answer.ts'
import { GenerationError } from './error.ts'
import { findingsOf, improvementOf } from './findings.ts'
import { UnansweredError, type Model } from './model.ts'
import { turnOutcomeOf } from './outcome.ts'
import { keyOf, type RunFolder, type SamplePlace, type Turn } from './run-folder.ts'
import { stepOf, turnThatCounts, type Rules } from './steps.ts'
import { promptHash, type SampleName } from './transcript.ts'
import type { Answer, EarlierTurn, Finding, Prompt, PromptOptions, Prompter } from './types.ts'

/** A sample of a run. */
export interface RunSample {
  name: SampleName
  task: KernelTask
  place: SamplePlace
}

/** Judges samples by the files that lie in their folders: what the ledger says of each, by {@link keyOf}. */
export type Judge = (
  samples: readonly RunSample[],
  signal: AbortSignal,
) => Promise<ReadonlyMap<string, readonly LedgerEntry[]>>

/** What entries of samples without files say. */
export interface EntryFacts {
  /** who has written the samples */
  model: string
  target: string
  soc: string
  profile: Profile
  seed: number
}

/** What a loop works with. */
export interface LoopOptions {
  folder: RunFolder
  samples: readonly RunSample[]
  model: Model
  prompter: Prompter
  prompts: PromptOptions
  judge: Judge
  rules: Rules
  spending: Spending
  facts: EntryFacts
  /** is called whenever something has become of a sample */
  onChange?: () => void
}

/** What a loop has come to. */
export interface LoopResult {
  /** prompts that somebody has yet to answer */
  pending: number
  /** one line for each prompt without an answer */
  unanswered: readonly string[]
  /** one line for each sample that could not be judged because of us */
  unjudged: readonly string[]
  /** why nothing more was asked; undefined where everything was */
  stopped: string | undefined
  /** what has ended the run */
  fatal: GenerationError | undefined
}

/** Samples that are judged in one run. */
const batchSize = 64
/** A run costs seconds: it begins with so many samples, or when nobody answers meanwhile, or after a while. */
const enough = 16
const longestWaitMs = 10_000

interface State extends RunSample {
  key: string
  turns: readonly Turn[]
}

/** Asks, judges and asks again, until every sample is right or has had its turns. Answers go on coming in while others are judged. */
export class Loop {
  readonly #options: LoopOptions
  readonly #states: State[]
  /** samples of each task */
  readonly #byTask = new Map<KernelTask, State[]>()
  readonly #toAsk: State[] = []
  readonly #toJudge: State[] = []
  /** those that are queued, asked about or judged; one whose prompt found no answer stays, as it is not asked about again */
  readonly #open = new Set<State>()
  readonly #stop = new AbortController()
  /** ends what is asked alone: what has been answered is judged */
  readonly #silence = new AbortController()
  #asking = 0
  #judging = 0
  #waitingSince = 0
  #timer: NodeJS.Timeout | undefined
  #pending = 0
  readonly #unanswered: string[] = []
  readonly #unjudged: string[] = []
  #stopped: string | undefined
  #fatal: GenerationError | undefined
  #finish: () => void = () => {}

  constructor(options: LoopOptions) {
    this.#options = options
    const { folder } = options
    this.#states = options.samples.map((sample) => {
      const key = keyOf(sample.name)
      const state: State = {
        ...sample,
        key,
        get turns() {
          return folder.turns.get(key) ?? []
        },
      }
      this.#byTask.set(sample.task, [...(this.#byTask.get(sample.task) ?? []), state])
      return state
    })
    // also for samples that this call was not asked for
    for (const turns of folder.turns.values()) for (const { answer } of turns) options.spending.add(answer.usage)
  }

  /** Samples that are asked about, or wait for it; and those that are judged, or wait for that. */
  get open(): { asking: number; toAsk: number; judging: number } {
    return { asking: this.#asking, toAsk: this.#toAsk.length, judging: this.#judging + this.#toJudge.length }
  }

  /** Runs to the end, or until `signal` says so: what was answered and judged until then is kept. */
  async run(signal: AbortSignal): Promise<LoopResult> {
    const abort = (): void => this.#stop.abort()
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    try {
      const finished = new Promise<void>((resolve) => (this.#finish = resolve))
      for (const state of this.#states) this.#attempt(() => this.#advance(state))
      this.#pump()
      await finished
    } finally {
      clearTimeout(this.#timer)
      signal.removeEventListener('abort', abort)
    }
    this.#attempt(() => this.#settle())
    return {
      pending: this.#pending,
      unanswered: this.#unanswered,
      unjudged: this.#unjudged,
      stopped: this.#stopped,
      fatal: this.#fatal,
    }
  }

  /** Puts a sample where it goes on. */
  #advance(state: State): void {
    const { rules } = this.#options
    const siblings = this.#byTask.get(state.task)!
    const last = state.turns.at(-1)
    // answered, and killed before anything was done with it
    if (last && !last.outcome) return this.#take(state, last)
    const all = siblings.map(({ turns }) => turns)
    if (stepOf(state.turns, all, rules) === 'ask') this.#queue(state)
  }

  #queue(state: State): void {
    if (this.#open.has(state)) return
    this.#open.add(state)
    this.#toAsk.push(state)
  }

  /** Starts what can be started. */
  #pump(): void {
    const { model, spending } = this.#options
    this.#options.onChange?.()
    const isStopped = (): boolean => this.#stop.signal.aborted
    while (
      !isStopped() &&
      !this.#silence.signal.aborted &&
      this.#asking < model.concurrency &&
      this.#toAsk.length > 0
    ) {
      this.#stopped ??= spending.spent()
      if (this.#stopped !== undefined) this.#toAsk.length = 0
      const state = this.#toAsk.shift()
      if (state) void this.#ask(state)
    }
    if (!isStopped() && this.#judging === 0 && this.#toJudge.length > 0) {
      const isIdle = this.#asking === 0
      const left = this.#waitingSince + longestWaitMs - performance.now()
      if (isIdle || this.#toJudge.length >= enough || left <= 0) void this.#judge(this.#toJudge.splice(0, batchSize))
      else {
        clearTimeout(this.#timer)
        this.#timer = setTimeout(() => this.#pump(), left)
      }
    }
    const hasWork = !isStopped() && this.#toJudge.length > 0
    if (this.#asking === 0 && this.#judging === 0 && !hasWork) this.#finish()
  }

  async #ask(state: State): Promise<void> {
    this.#asking++
    const signal = AbortSignal.any([this.#stop.signal, this.#silence.signal])
    try {
      const prompt = await this.#promptOf(state)
      const { name: sample } = state
      const turn = state.turns.length + 1
      const place = join(state.place.task, state.place.sample, `turn${turn}`)
      const hash = promptHash(prompt.messages)
      const reply = await this.#options.model.ask({ sample, place, turn, prompt, hash }, signal)
      if (reply === 'pending') {
        this.#pending++
        return
      }
      const { unusable, ...told } = reply
      const time = new Date().toISOString()
      const line = { ...sample, turn, prompt: hash, ...told, ...(unusable !== undefined && { unusable }), time }
      this.#options.folder.noteAnswer(line, prompt)
      this.#options.spending.add(reply.usage)
      this.#take(state, state.turns.at(-1)!)
    } catch (error) {
      if (error instanceof UnansweredError) this.#unanswered.push(error.message)
      else if (!signal.aborted) {
        this.#fatal ??= generationErrorOf(error)
        this.#silence.abort()
      }
    } finally {
      this.#asking--
      this.#pump()
    }
  }

  async #promptOf({ task, turns }: State): Promise<Prompt> {
    const { prompter, prompts, rules, folder } = this.#options
    if (turns.length === 0) return await prompter.first(task, prompts)
    const earlier = turns.map(({ answer, outcome }): EarlierTurn => {
      const findings = outcome?.findings ?? []
      const prompt = folder.prompts.get(answer.prompt)
      if (!prompt) throw new GenerationError(`${folder.path}: the prompt ${answer.prompt} is missing in the transcript`)
      return { prompt, answer: answer.text, findings: rules.feedback === 'first' ? findings.slice(0, 1) : findings }
    })
    return await prompter.repair(task, prompts, earlier, rules.history)
  }

  /** Lays the files of an answer where candidates lie; where there are none the turn has ended. */
  #take(state: State, turn: Turn): void {
    const { folder, rules } = this.#options
    const read = this.#read(turn)
    const problem = read.kind === 'files' ? folder.writeFiles(state.place, read.files) : undefined
    if (read.kind === 'files' && problem === undefined) {
      if (!rules.judges) return
      if (this.#toJudge.length === 0) this.#waitingSince = performance.now()
      this.#open.add(state)
      this.#toJudge.push(state)
      return
    }
    folder.removeFiles(state.place)
    const verdict =
      read.kind === 'files'
        ? ({ kind: 'unusable-answer', message: problem ?? '' } as const)
        : { kind: read.kind, message: read.reason }
    const findings: Finding[] = [{ kind: verdict.kind, text: verdict.message }]
    this.#noteOutcome(state, turn, [this.#entryOf(state, verdict)], findings)
  }

  #read({ answer }: Turn): Answer {
    if (answer.unusable !== undefined)
      return { kind: answer.finish === 'context-too-long' ? 'no-answer' : 'unusable-answer', reason: answer.unusable }
    return this.#options.prompter.read(answer.text, this.#options.prompts)
  }

  async #judge(states: readonly State[]): Promise<void> {
    this.#judging = states.length
    this.#waitingSince = performance.now()
    try {
      const judged = await this.#options.judge(states, this.#stop.signal)
      for (const state of states) {
        const entries = judged.get(state.key) ?? []
        const [ours] = failuresOfOurs(entries)
        if (entries.length === 0 || ours) this.#leave(state, ours)
        else this.#conclude(state, entries)
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#end(error)
    } finally {
      this.#judging = 0
      this.#pump()
    }
  }

  #leave({ name: { task, sample } }: State, ours: LedgerEntry | undefined): void {
    if (this.#stop.signal.aborted) return
    const why = ours?.verdict.kind === 'infrastructure' ? ours.verdict.message : 'the run of Vitest says nothing of it'
    this.#unjudged.push(`${task}, sample ${sample} could not be judged: ${why.split('\n')[0]}`)
  }

  #conclude(state: State, entries: readonly LedgerEntry[]): void {
    const turn = state.turns.at(-1)!
    const read = this.#read(turn)
    const files: readonly ProjectFile[] = read.kind === 'files' ? read.files : []
    const root = this.#options.folder.folderOf(state.place)
    const program = files.some(({ path }) => path === programName)
      ? this.#options.folder.programOf(state.place)
      : undefined
    const wrong = findingsOf(entries, { files, root, ...(program !== undefined && { program }) })
    const findings = wrong.length === 0 && this.#options.rules.improve ? improvementOf(entries) : wrong
    this.#noteOutcome(state, turn, entries, findings)
  }

  #noteOutcome(state: State, turn: Turn, entries: readonly LedgerEntry[], findings: readonly Finding[]): void {
    const { folder, facts, rules } = this.#options
    const written = entries.map((entry) => ({ ...entry, model: facts.model }))
    folder.noteOutcome({ ...state.name, turn: turn.answer.turn, ...turnOutcomeOf(entries, findings) }, written)
    this.#open.delete(state)
    const isFirst = turn.answer.turn === 1 && rules.strategy === 'best-of-n'
    // who has waited for this one goes on, or does not
    const siblings = this.#byTask.get(state.task)!
    const all = siblings.map(({ turns }) => turns)
    for (const each of isFirst ? siblings.filter(({ turns }) => turns.length === 1) : [state])
      if (stepOf(each.turns, all, rules) === 'ask') this.#queue(each)
  }

  #entryOf({ task, place }: State, verdict: Verdict): LedgerEntry {
    const { suite, group, name, category } = task.interface
    const { facts } = this.#options
    const time = new Date().toISOString()
    return {
      v: ledgerVersion,
      suite,
      group,
      task: name,
      category,
      sample: place.sample,
      stage: 'compile',
      case: 'compiles',
      verdict,
      ...facts,
      time,
    }
  }

  /** The files of each sample are those of the turn that counts, and so is the ledger. */
  #settle(): void {
    const { folder, rules, prompter, prompts } = this.#options
    for (const { turns, place } of this.#states) {
      const counts = turnThatCounts(turns, rules)
      const turn = turns[(counts ?? 0) - 1]
      if (!rules.improve || !turn || counts === turns.length) continue
      const read = prompter.read(turn.answer.text, prompts)
      if (read.kind === 'files') folder.writeFiles(place, read.files)
    }
    // also of samples that this call was not asked for
    folder.writeLedger((sample) => turnThatCounts(folder.turns.get(keyOf(sample)) ?? [], rules))
  }

  #attempt(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#end(error)
    }
  }

  /** Ends the run: nothing more is asked or judged. */
  #end(error: unknown): void {
    this.#fatal ??= generationErrorOf(error)
    this.#stop.abort()
  }
}

const generationErrorOf = (error: unknown): GenerationError =>
  error instanceof GenerationError ? error : new GenerationError(messageOf(error))
