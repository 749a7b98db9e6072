import type { ProjectFile } from '../model/index.ts'
import type { KernelTask } from '../task/index.ts'

/** What a model is asked to write: the whole operator, or its kernel beside a host part that is given. */
export type Mode = 'full' | 'kernel-only'

/** What is written: an operator project, or a program of the DSL. */
export const languages = ['ascendc', 'dsl'] as const

export type Language = (typeof languages)[number]

/** `static`: one case, for which the kernel may be specialised; `dynamic`: every shape of the task's domain. */
export type Shapes = 'static' | 'dynamic'

/** What a prompt is rendered from, besides its task. */
export interface PromptOptions {
  /** `ascendc` when left out */
  language?: Language
  mode: Mode
  shapes: Shapes
  /** number of the static case, of `static` alone */
  case?: number
  /** name of the SoC profile, e.g. `Ascend910B2` */
  soc: string
  /** tokens of the API card at most; 0 leaves the card out */
  cardTokens: number
  /** passages of the user's own documents that fit the task, best first */
  documents?: (query: string) => readonly Passage[]
}

/** A passage of a document. */
export interface Passage {
  /** path relative to the folder of documents, with the line it begins in */
  place: string
  text: string
}

export interface Message {
  role: 'system' | 'user' | 'assistant'
  content: string
}

/** What is sent to a model, wholly determined by task, options and what was answered before. */
export interface Prompt {
  /** version of templates and rendering */
  version: string
  messages: readonly Message[]
}

/** What an answer holds. `no-answer`: not one file; `unusable-answer`: files that cannot be taken as they are. */
export type Answer =
  | { kind: 'files'; files: readonly ProjectFile[] }
  | { kind: 'no-answer' | 'unusable-answer'; reason: string }

/** One thing to repair, in words for a model: what happened, where, and what is legal. */
export interface Finding {
  /** e.g. `compile-failed`, `wrong-values`, `race`, `no-answer` */
  kind: string
  text: string
}

/** A turn that a repair follows. */
export interface EarlierTurn {
  prompt: Prompt
  /** what the model answered, as it came, without its reasoning */
  answer: string
  findings: readonly Finding[]
}

/** Renders prompts and reads answers. */
export interface Prompter {
  first: (task: KernelTask, options: PromptOptions) => Promise<Prompt>
  /**
   * `keep` sends the whole conversation so far; `fresh` only the newest answer with its findings, beside the task.
   */
  repair: (
    task: KernelTask,
    options: PromptOptions,
    turns: readonly EarlierTurn[],
    history: 'keep' | 'fresh',
  ) => Promise<Prompt>
  read: (answer: string, options: PromptOptions) => Answer
}
