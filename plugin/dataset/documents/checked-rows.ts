import type { AnswerLine } from '../../generation/transcript.ts'
import type { Answered } from '../builder.ts'
import { textIn } from '../entries.ts'
import type { Compiler } from '../kernels/compile.ts'
import type { Provenance } from '../row.ts'
import type { Decision, Rejection } from '../work-folder.ts'
import { claimedNames } from './api-names.ts'
import { checkAnswer, isAbout, type Subject } from './check.ts'
import { compileSnippets } from './compile-snippets.ts'
import { quoted } from './quotes.ts'
import { snippetsOf, type Snippet } from './snippets.ts'

/** Words of what an answer holds. */
const bounds = { question: [5, 90], thought: [25, 400], answer: [12, 600] } as const

/** What an entry says under some names, each of as many words as it may have. */
export function textsIn<F extends keyof typeof bounds>(
  entry: Readonly<Record<string, unknown>>,
  fields: readonly F[],
): { texts: Record<F, string> } | Rejection {
  const texts: Partial<Record<F, string>> = {}
  for (const field of fields) {
    const read = textIn(entry, field, bounds[field])
    if ('problem' in read) return { reason: 'malformed entry', detail: read.problem }
    texts[field] = read.text
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every field was set
  return { texts: texts as Record<F, string> }
}

/** What a row is made of, beside what was answered. */
export interface Material {
  subject: Subject
  /** all that was shown for it, what it is about first */
  passages: readonly string[]
  operator: string
  provenance: Provenance
}

/** Makes rows about documents of what holds: names, quotations, and code that compiles. */
export class CheckedRows {
  readonly #compiler: Compiler
  /** what compilers have said of the code of the newest answer: all of it is compiled together */
  #compiled: { line: AnswerLine; problems: ReadonlyMap<string, string | null> } | undefined

  constructor(compiler: Compiler) {
    this.#compiler = compiler
  }

  /** The row of one entry of an answer, or what is wrong with it. */
  async rowOf(
    texts: { question: string; thought: string; answer: string },
    { subject, passages, operator, provenance }: Material,
    answered: Answered,
  ): Promise<Decision['rows'][number] | Rejection> {
    const { question: request, thought, answer } = texts
    const wrong = checkAnswer({ request, thought, answer }, passages) ?? isAbout(subject, request, answer)
    if (wrong) return wrong
    const code = snippetsOf(answer)
    const problems = await this.#problemsOf(answered)
    for (const snippet of code) {
      const problem = problems.get(keyOf(snippet))
      if (problem !== null) return { reason: 'does not compile', detail: problem ?? 'it was not compiled' }
    }
    const quotes = Math.max(quoted(answer, passages).words, quoted(thought, passages).words)
    const names = claimedNames(`${thought}\n\n${answer}`)
    const proof = { quotes, code, names, passages: [...passages] }
    return { kind: subject.kind, request, thought, answer, operator, proof, provenance }
  }

  /** What compilers say of all the code of an answer. */
  async #problemsOf({ items, line }: Answered): Promise<ReadonlyMap<string, string | null>> {
    if (this.#compiled?.line !== line) {
      const answers = [...items.entries.values()]
        .flat()
        .flatMap(({ answer }) => (typeof answer === 'string' ? [answer] : []))
      const snippets = answers.flatMap(snippetsOf)
      const problems = await compileSnippets(this.#compiler, snippets)
      this.#compiled = { line, problems: new Map(snippets.map((snippet, i) => [keyOf(snippet), problems[i] ?? null])) }
    }
    return this.#compiled.problems
  }
}

const keyOf = ({ skeleton, text }: Snippet): string => `${skeleton}\n${text}`
