import { z } from 'zod'
import { hashOf } from '../cache/hash.ts'
import { errorProof } from './proof-error.ts'
import { kernelProof } from './proof-kernel.ts'
import { preferenceProof } from './proof-preference.ts'
import { projectProof } from './proof-project.ts'
import { snippetProof } from './proof-snippet.ts'

/** Where a row is from. */
const provenance = z.strictObject({
  /** file or address of the material */
  source: z.string(),
  /** of the source's repository */
  revision: z.string().exactOptional(),
  /** of the content of the source */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** SPDX expression, or `unknown` */
  licence: z.string(),
  /** who has written what a model wrote */
  model: z.string().exactOptional(),
  /** version of the prompt that it answered */
  prompt: z.string().exactOptional(),
  /** version of the prompt that has asked for its question, where that is another one */
  questionPrompt: z.string().exactOptional(),
  /** places of the passages that were found for its question, best first: those of the proof */
  retrieved: z.array(z.string()).exactOptional(),
  /** in a ledger: run/task/sample/case */
  verdict: z.string().exactOptional(),
})

export type Provenance = z.infer<typeof provenance>

const answer = z.strictObject({ thought: z.string().exactOptional(), answer: z.string().min(1) })

const common = {
  /** of kind, request and answers: no two rows of a set have one */
  id: z.string().regex(/^[0-9a-f]{32}$/),
  system: z.string().exactOptional(),
  /** what the user says, in one turn */
  request: z.string().min(1),
  /** reasoning, without marks around it */
  thought: z.string().exactOptional(),
  /** Markdown, code in fences */
  answer: z.string().min(1),
  /** of preferences: what `answer` is better than */
  rejected: answer.exactOptional(),
  /** name of a task, or what else splits are made by */
  operator: z.string().exactOptional(),
  provenance,
}

/** One line of a data set: everything that it takes to train on it, and to check it again. */
export const row = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('documentation'), ...common, proof: snippetProof }),
  z.strictObject({ kind: z.literal('api'), ...common, proof: snippetProof }),
  z.strictObject({ kind: z.literal('kernel'), ...common, proof: kernelProof }),
  z.strictObject({ kind: z.literal('project'), ...common, proof: projectProof }),
  z.strictObject({ kind: z.literal('error'), ...common, proof: errorProof }),
  z.strictObject({ kind: z.literal('preference'), ...common, proof: preferenceProof }),
  /** of somebody else's corpus: it is held to what it claims */
  z.strictObject({ kind: z.literal('mixed'), ...common, proof: z.strictObject({}) }),
])

export type Row = z.infer<typeof row>
export type RowKind = Row['kind']
export type RowOf<K extends RowKind> = Extract<Row, { kind: K }>

/** Kinds of rows, in the order in which tables show them. */
export const rowKinds: readonly RowKind[] = row.options.map(({ shape }) => shape.kind.value)

type WithoutId<R> = R extends Row ? Omit<R, 'id'> : never

/** A row that has no id yet. */
export type Draft = WithoutId<Row>

/** Names a row by what is trained on. */
export const rowId = ({ kind, request, thought = '', answer: chosen, rejected }: Draft): string =>
  hashOf(kind, request, thought, chosen, rejected ? JSON.stringify([rejected.thought ?? '', rejected.answer]) : '')

/** Gives a draft its id. Throws where it is no row: that is our own mistake. */
export const rowOf = (draft: Draft): Row => row.parse({ id: rowId(draft), ...draft })
