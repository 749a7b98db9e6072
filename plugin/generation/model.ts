import type { TaskInterface } from '../model/index.ts'
import type { SampleName, Usage } from './transcript.ts'
import type { Prompt } from './types.ts'

/** What a model is asked, and for whom. */
export interface Question {
  /** a sample of a task, or the prompt of whoever else asks */
  sample: SampleName
  /** the folder of the prompt, below that of whoever asks, e.g. `AddCustom/s0/turn1`: no other prompt has it */
  place: string
  /** 1 for the first prompt of a sample */
  turn: number
  prompt: Prompt
  /** names the messages of the prompt */
  hash: string
}

/** What a model has answered. */
export interface Reply {
  text: string
  /** what it thought before, as far as it tells; no part of the answer */
  reasoning: string
  /** why it stopped: `stop`, `length`, `content-filter`, …; `context-too-long` where it was not asked at all */
  finish: string
  usage: Usage
  /** why nothing of the answer can be taken, though it has come: it was cut off at a bound of ours */
  unusable?: string | undefined
  /** from the request to the end of the answer, without waiting to be asked */
  ms: number
}

/** Whoever answers prompts. */
export interface Model {
  /** prompts that are asked at the same time */
  readonly concurrency: number
  /** Whether it can answer anything about a task; missing where it can about all. */
  hasTask?(task: Pick<TaskInterface, 'suite' | 'name'>): boolean
  /** `pending`: nobody has answered yet. Rejects with an {@link UnansweredError} or a {@link GenerationError}. */
  ask(question: Question, signal: AbortSignal): Promise<Reply | 'pending'>
}

/** This prompt has no answer; others may have one. */
export class UnansweredError extends Error {
  override name = 'UnansweredError'
}

/** Characters of an answer and its reasoning; what is longer is cut off, and unusable. */
export const maxAnswer = 2 << 20

/** Tokens as they are counted where nobody tells: four characters each. */
export const estimatedTokens = (text: string): number => Math.ceil(text.length / 4)

/** The answer as far as it may go, and why it is unusable where it went on. */
export function bounded(text: string): Pick<Reply, 'text' | 'unusable'> {
  if (text.length <= maxAnswer) return { text }
  return { text: text.slice(0, maxAnswer), unusable: `the answer is longer than ${maxAnswer >> 20} MiB` }
}
