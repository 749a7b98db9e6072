import type { ProjectFile } from '../../model/index.ts'
import { hashOf } from '../../cache/hash.ts'
import { writeFiles } from '../../generation/answer.ts'
import type { Prompt } from '../../generation/types.ts'
import type { RowOf } from '../row.ts'
import type { Judged } from './judged.ts'
import type { Pair } from './pairs.ts'

/** What rows of one ledger say of it. */
export interface Source {
  /** names the ledger */
  name: string
  sha256: string
  /** of the candidates */
  licence: string
}

/** Names a pair in the folder of its rows. */
export const pairKey = ({ strategy, chosen, rejected }: Pair): string =>
  hashOf(strategy, chosen.sources, rejected.sources)

/** Files in the order in which prompts ask for them: the host part first. */
export const ordered = (files: readonly ProjectFile[]): ProjectFile[] =>
  files
    .map(({ path, content }) => ({ path, content: content.endsWith('\n') ? content : `${content}\n` }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))

const sideOf = ({ files, kind, time, seed }: Judged): RowOf<'preference'>['proof']['chosen'] => ({
  files: ordered(files),
  outcome: kind,
  latency: time?.ns ?? null,
  band: time?.band === undefined ? null : time.band * time.ns,
  seed,
})

/** A pair as a row: the prompt of its task, and both candidates as answers of the form that it asks for. */
export function preferenceOf(pair: Pair, prompt: Prompt, source: Source): Omit<RowOf<'preference'>, 'id'> {
  const { strategy, chosen, rejected } = pair
  const said = (role: string): string =>
    prompt.messages
      .filter((message) => message.role === role)
      .map(({ content }) => content)
      .join('\n\n')
  const system = said('system')
  return {
    kind: 'preference',
    ...(system !== '' && { system }),
    request: said('user'),
    answer: writeFiles(ordered(chosen.files)),
    rejected: { answer: writeFiles(ordered(rejected.files)) },
    operator: chosen.task,
    proof: {
      suite: chosen.suite,
      task: chosen.task,
      strategy,
      chosen: sideOf(chosen),
      rejected: sideOf(rejected),
    },
    provenance: {
      source: source.name,
      sha256: source.sha256,
      licence: source.licence,
      ...(chosen.model !== null && { model: chosen.model }),
      prompt: prompt.version,
      verdict: `${chosen.verdict} > ${rejected.verdict}`,
    },
  }
}
