import type { AnswerLine } from '../generation/transcript.ts'
import type { Prompt } from '../generation/types.ts'
import type { AnswerItems } from './answer-items.ts'
import type { Decision } from './work-folder.ts'

/** Something that a builder asks about. */
export interface Item {
  /** names it in the folder of the builder: the same in every call, and no other's */
  key: string
}

/** An answer and where it is from. */
export interface Answered {
  items: AnswerItems
  /** number of the item in its prompt, from 1 on */
  number: number
  line: AnswerLine
  /** version of the prompt */
  prompt: string
  /** who has answered */
  model: string
}

/** Makes rows of one kind: finds what to ask about, asks several things at once, and decides what an answer is worth. */
export interface Builder<I extends Item = Item> {
  /** folder of its prompts, e.g. `projects` */
  readonly name: string
  /** items of one prompt at most */
  readonly batch: number
  /** what an item takes in a prompt, and what all of one may take together; left out: items are alike */
  readonly weight?: { of: (item: I) => number; most: number }
  /** What there is to ask about, in an order that does not change. */
  items(): AsyncIterable<I> | Iterable<I>
  /** The prompt for some items, which are numbered from 1 on in it. */
  promptOf(items: readonly I[]): Prompt | Promise<Prompt>
  /** What becomes of an item by an answer to its prompt. Rejects with an `InfrastructureError` where that cannot be told. */
  decide(item: I, answered: Answered): Promise<Decision>
  /** What the card counts beside rows and refusals, once everything was asked about. */
  figures?(): Readonly<Record<string, number>>
}

/** A builder, whatever it asks about. */
// oxlint-disable-next-line typescript/no-explicit-any -- what it has found is handed to nobody but itself
export type AnyBuilder = Builder<any>
