import { surroundings } from '../../generation/api-calls.ts'
import type { AnswerLine } from '../../generation/transcript.ts'
import type { Prompt } from '../../generation/types.ts'
import type { Answered, Builder } from '../builder.ts'
import { textIn } from '../entries.ts'
import type { Compiler } from '../kernels/compile.ts'
import { asked, type datasetTemplates } from '../templates.ts'
import type { Decision, Rejection } from '../work-folder.ts'
import { claimedNames } from './api-names.ts'
import { checkAnswer, isAbout } from './check.ts'
import { compileSnippets } from './compile-snippets.ts'
import type { DocumentItem } from './find.ts'
import { quoted } from './quotes.ts'
import { snippetsOf, type Snippet } from './snippets.ts'

export const documentsVersion = 'documents-1'

/** Words of what an answer holds. */
const bounds = { question: [5, 90], thought: [25, 400], answer: [12, 600] } as const

/** Rows of questions on documents, with reasoning and answers whose code compiles. */
export class DocumentsBuilder implements Builder<DocumentItem> {
  readonly name = 'documents'
  readonly batch: number
  readonly #items: readonly DocumentItem[]
  readonly #each: number
  readonly #licence: string
  readonly #compiler: Compiler
  readonly #render: ReturnType<typeof datasetTemplates>
  /** what compilers have said of the code of the newest answer: all of it is compiled together */
  #compiled: { line: AnswerLine; problems: ReadonlyMap<string, string | null> } | undefined

  constructor(
    items: readonly DocumentItem[],
    options: {
      batch: number
      /** rows of one item */
      each: number
      licence: string
      compiler: Compiler
      templates: ReturnType<typeof datasetTemplates>
    },
  ) {
    this.#items = items
    this.batch = options.batch
    this.#each = options.each
    this.#licence = options.licence
    this.#compiler = options.compiler
    this.#render = options.templates
  }

  items(): readonly DocumentItem[] {
    return this.#items
  }

  promptOf(items: readonly DocumentItem[]): Prompt {
    const several = this.#each > 1
    const shown = items.map(({ title, text, source, kind }, i) => {
      const place = kind === 'api' ? `the API \`${title}\`` : `${title} (${source.replace(/:\d+$/, '')})`
      return `<passage item="${i + 1}" of="${place}">\n${text}\n</passage>`
    })
    const related = [...new Set(items.flatMap((item) => item.related))].filter(
      (text) => !items.some((item) => item.text.includes(text)),
    )
    const isApi = items.every(({ kind }) => kind === 'api')
    const facts = {
      count: String(items.length),
      about: isApi ? ', each a page of the manual of an API' : '',
      rows: several ? `${this.#each} rows on different points` : 'one row',
      entries: several ? `${this.#each} objects for each item` : 'one object for each item',
      code: this.#render('documents-code', { surroundings: surroundings.text }),
      items: `## Passages\n\n${shown.join('\n\n')}`,
      related:
        related.length === 0
          ? ''
          : `## For reference only: passages of other places that may help\n\n${related.map((text) => `<reference>\n${text}\n</reference>`).join('\n\n')}`,
    }
    return {
      version: documentsVersion,
      messages: asked(this.#render('documents-system', {}), this.#render('documents', facts)),
    }
  }

  async decide(item: DocumentItem, answered: Answered): Promise<Decision> {
    const problems = await this.#problems(answered)
    const rows: Decision['rows'][number][] = []
    const rejections: Rejection[] = []
    for (const entry of (answered.items.entries.get(answered.number) ?? []).slice(0, this.#each)) {
      const made = this.#rowOf(item, entry, answered, problems)
      if ('reason' in made) rejections.push({ reason: made.reason, detail: `${item.source}: ${made.detail}` })
      else rows.push(made)
    }
    return { rows, rejections }
  }

  #rowOf(
    item: DocumentItem,
    entry: Readonly<Record<string, unknown>>,
    { model, prompt }: Answered,
    problems: ReadonlyMap<string, string | null>,
  ): Decision['rows'][number] | Rejection {
    const texts = { question: '', thought: '', answer: '' }
    for (const field of ['question', 'thought', 'answer'] as const) {
      const read = textIn(entry, field, bounds[field])
      if ('problem' in read) return { reason: 'malformed entry', detail: read.problem }
      texts[field] = read.text
    }
    const { question: request, thought, answer } = texts
    // what it is shown under says names as well: a code of a report, an option
    const passages = [`${item.title}\n\n${item.text}`, ...item.related]
    const about = { ...item, text: passages[0]! }
    const wrong = checkAnswer({ request, thought, answer }, passages) ?? isAbout(about, request, answer)
    if (wrong) return wrong
    const code = snippetsOf(answer)
    for (const snippet of code) {
      const problem = problems.get(keyOf(snippet))
      if (problem !== null) return { reason: 'does not compile', detail: problem ?? 'it was not compiled' }
    }
    const quotes = Math.max(quoted(answer, passages).words, quoted(thought, passages).words)
    return {
      kind: item.kind,
      request,
      thought,
      answer,
      operator: item.kind === 'api' ? item.title : item.document,
      proof: { quotes, code, names: claimedNames(`${thought}\n\n${answer}`), passages },
      provenance: { source: item.source, sha256: item.sha256, licence: this.#licence, model, prompt },
    }
  }

  /** What compilers say of all the code of an answer. */
  async #problems({ items, line }: Answered): Promise<ReadonlyMap<string, string | null>> {
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
