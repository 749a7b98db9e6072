import type { Spending } from '../generation/budget.ts'
import { UnansweredError, type Model } from '../generation/model.ts'
import { promptHash, type AnswerLine } from '../generation/transcript.ts'
import type { Prompt } from '../generation/types.ts'
import { itemsOf } from './answer-items.ts'
import type { Builder, Item } from './builder.ts'
import type { Rejection, WorkFolder } from './work-folder.ts'

export interface BuildOptions {
  folder: WorkFolder
  model: Model
  /** what rows call the model */
  label: string
  spending: Spending
  signal: AbortSignal
  /** is called whenever something was decided */
  onChange?: () => void
}

/** What making a data set has come to. */
export interface BuildOutcome {
  prompts: number
  /** prompts that somebody has yet to answer */
  pending: number
  /** one line for each prompt without an answer */
  unanswered: readonly string[]
  /** why nothing more was asked; undefined where everything was */
  stopped: string | undefined
}

interface Batch<I> {
  place: string
  items: readonly I[]
}

/** Items by the prompts that ask about them: those of one prompt are the same in every call. */
async function* batchesOf<I extends Item>(builder: Builder<I>): AsyncGenerator<Batch<I>, void> {
  const { name, batch, weight } = builder
  let number = 0
  let next: I[] = []
  let sum = 0
  const place = (): string => `${name}/${String(++number).padStart(4, '0')}`
  for await (const item of builder.items()) {
    const own = weight?.of(item) ?? 0
    if (next.length === batch || (next.length > 0 && sum + own > (weight?.most ?? 0))) {
      yield { place: place(), items: next }
      next = []
      sum = 0
    }
    next.push(item)
    sum += own
  }
  if (next.length > 0) yield { place: place(), items: next }
}

/** Asks about everything that is not decided, and decides what was answered. Several prompts at a time, as the model says. */
export async function build<I extends Item>(builder: Builder<I>, options: BuildOptions): Promise<BuildOutcome> {
  const outcome = { prompts: 0, pending: 0, unanswered: [] as string[], stopped: undefined as string | undefined }
  const batches = batchesOf(builder)
  const work = async (): Promise<void> => {
    for (;;) {
      options.signal.throwIfAborted()
      outcome.stopped ??= options.spending.spent()
      const { value: batch, done } = await batches.next()
      if (done || !batch) return
      outcome.prompts++
      await settle(builder, batch, options, outcome)
      options.onChange?.()
    }
  }
  await Promise.all(Array.from({ length: options.model.concurrency }, work))
  return outcome
}

async function settle<I extends Item>(
  builder: Builder<I>,
  { place, items }: Batch<I>,
  options: BuildOptions,
  outcome: { pending: number; unanswered: string[]; stopped: string | undefined },
): Promise<void> {
  const { folder, label: model, signal } = options
  const open = items.filter(({ key }) => !folder.isDecided(key))
  if (open.length === 0) return
  const prompt = await builder.promptOf(items)
  const hash = promptHash(prompt.messages)
  let line = folder.answerTo(hash)
  if (!line && outcome.stopped === undefined) {
    try {
      line = await answered(place, prompt, hash, options)
      if (!line) outcome.pending++
    } catch (error) {
      if (!(error instanceof UnansweredError)) throw error
      outcome.unanswered.push(error.message)
    }
  }
  if (!line) return
  const read = itemsOf(line.text)
  for (const [i, item] of items.entries()) {
    if (folder.isDecided(item.key)) continue
    signal.throwIfAborted()
    const number = i + 1
    const refused = refusal(line, read, number)
    const decision = refused
      ? { rows: [], rejections: [refused] }
      : await builder.decide(item, { items: read, number, line, prompt: prompt.version, model })
    folder.decide(item.key, decision)
  }
}

/** Why nothing of an answer can be taken for an item. */
function refusal(line: AnswerLine, read: ReturnType<typeof itemsOf>, number: number): Rejection | undefined {
  if (line.unusable !== undefined) return { reason: 'unusable answer', detail: line.unusable }
  if (read.problem !== undefined) return { reason: 'unusable answer', detail: read.problem }
  if (read.entries.has(number)) return undefined
  const malformed = read.malformed.get(number)
  return malformed === undefined
    ? { reason: 'not answered', detail: `the answer says nothing of item ${number}` }
    : { reason: 'malformed entry', detail: malformed }
}

async function answered(
  place: string,
  prompt: Prompt,
  hash: string,
  { folder, model, spending, signal }: BuildOptions,
): Promise<AnswerLine | undefined> {
  const sample = { suite: 'dataset', task: place, sample: 0 }
  const reply = await model.ask({ sample, place, turn: 1, prompt, hash }, signal)
  if (reply === 'pending') return undefined
  const { unusable, ...told } = reply
  const time = new Date().toISOString()
  const line = { ...sample, turn: 1, prompt: hash, ...told, ...(unusable !== undefined && { unusable }), time }
  folder.noteAnswer(line, prompt)
  spending.add(reply.usage)
  return { kind: 'answer', ...line }
}
