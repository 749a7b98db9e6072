import { lstatSync } from 'node:fs'
import { z } from 'zod'
import { hashOf } from '../cache/hash.ts'
import { wholeLines } from '../ledger/lines.ts'
import { GenerationError } from './error.ts'
import type { Message } from './types.ts'

/** What was asked and answered: a file of this name makes a folder a recording. */
export const transcriptName = 'transcript.jsonl'

const usage = z.object({
  input: z.int().nonnegative(),
  /** reasoning included */
  output: z.int().nonnegative(),
  reasoning: z.int().nonnegative().optional(),
  /** the server has told nothing: four characters are taken for a token */
  estimated: z.literal(true).optional(),
})

/** Tokens of one answer. */
export type Usage = z.infer<typeof usage>

const sampleName = { suite: z.string(), task: z.string(), sample: z.int().nonnegative() }

/** One of the samples of a task. */
export interface SampleName {
  suite: string
  task: string
  /** its number, from 0 on */
  sample: number
}

const promptLine = z.object({
  kind: z.literal('prompt'),
  hash: z.string(),
  version: z.string(),
  messages: z.array(z.object({ role: z.enum(['system', 'user', 'assistant']), content: z.string() })),
})

const answerLine = z.object({
  kind: z.literal('answer'),
  ...sampleName,
  turn: z.int().positive(),
  /** hash of the prompt */
  prompt: z.string(),
  text: z.string(),
  reasoning: z.string(),
  finish: z.string(),
  usage,
  unusable: z.string().optional(),
  ms: z.number(),
  time: z.iso.datetime(),
})

const turnOutcome = z.object({
  /** `correct`, `undecided`, or what has stopped the sample first */
  verdict: z.string(),
  /** the class of the compile error, or the code of the device's report */
  class: z.string().nullable(),
  compiled: z.boolean(),
  correct: z.boolean(),
  /** nanoseconds of one launch */
  latency: z.number().nullable(),
  speedup: z.number().nullable(),
  findings: z.array(z.object({ kind: z.string(), text: z.string() })),
})

/** What became of a turn. */
export type TurnOutcome = z.infer<typeof turnOutcome>

const outcomeLine = z.object({
  kind: z.literal('outcome'),
  ...sampleName,
  turn: z.int().positive(),
  ...turnOutcome.shape,
})

const line = z.discriminatedUnion('kind', [promptLine, answerLine, outcomeLine])

export type TranscriptLine = z.infer<typeof line>
export type PromptLine = z.infer<typeof promptLine>
export type AnswerLine = z.infer<typeof answerLine>
export type OutcomeLine = z.infer<typeof outcomeLine>

/** Names what is sent to a model. */
export const promptHash = (messages: readonly Message[]): string =>
  hashOf(JSON.stringify(messages.map(({ role, content }) => [role, content])))

/** The lines of a transcript, one by one. What a killed run has left behind the last line end is left out. */
export function* readTranscript(path: string): Generator<TranscriptLine> {
  const facts = lstatSync(path, { throwIfNoEntry: false })
  if (!facts) return
  // a pipe or a device would keep the reader waiting, and a link leads out of the run
  if (!facts.isFile()) throw new GenerationError(`${path}: is no regular file`)
  let number = 0
  // a line ends at \n alone: answers may have what else ends lines of texts
  for (const { text } of wholeLines(path)) yield parse(text, path, ++number)
}

function parse(text: string, path: string, number: number): TranscriptLine {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new GenerationError(`${path}:${number}: is not JSON; restore the file, or begin a run of another name`)
  }
  const parsed = line.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new GenerationError(
    `${path}:${number}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is no line of a transcript'}`,
  )
}
