import { surroundings } from '../../generation/api-calls.ts'
import type { Prompt } from '../../generation/types.ts'
import type { Answered, Builder } from '../builder.ts'
import type { Compiler } from '../kernels/compile.ts'
import { asked, type datasetTemplates } from '../templates.ts'
import type { Decision, Rejection } from '../work-folder.ts'
import { CheckedRows, textsIn, type Material } from './checked-rows.ts'
import type { DocumentItem } from './find.ts'

export const documentsVersion = 'documents-1'

/** What a thought and an answer have to be like: the same whoever has asked. */
export const answerRules = (render: ReturnType<typeof datasetTemplates>): string =>
  render('documents-rules', { code: render('documents-code', { surroundings: surroundings.text }) })

/** Rows of questions on documents, with reasoning and answers whose code compiles. */
export class DocumentsBuilder implements Builder<DocumentItem> {
  readonly name = 'documents'
  readonly batch: number
  readonly #items: readonly DocumentItem[]
  readonly #each: number
  readonly #licence: string
  readonly #rows: CheckedRows
  readonly #render: ReturnType<typeof datasetTemplates>

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
    this.#rows = new CheckedRows(options.compiler)
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
      rules: answerRules(this.#render),
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
    const rows: Decision['rows'][number][] = []
    const rejections: Rejection[] = []
    for (const entry of (answered.items.entries.get(answered.number) ?? []).slice(0, this.#each)) {
      const read = textsIn(entry, ['question', 'thought', 'answer'])
      const made =
        'reason' in read ? read : await this.#rows.rowOf(read.texts, this.#materialOf(item, answered), answered)
      if ('reason' in made) rejections.push({ reason: made.reason, detail: `${item.source}: ${made.detail}` })
      else rows.push(made)
    }
    return { rows, rejections }
  }

  #materialOf(item: DocumentItem, { model, prompt }: Answered): Material {
    const { kind, title, source, sha256, document } = item
    // what it is shown under says names as well: a code of a report, an option
    const own = `${title}\n\n${item.text}`
    return {
      subject: { kind, title, texts: [own] },
      passages: [own, ...item.related],
      operator: kind === 'api' ? title : document,
      provenance: { source, sha256, licence: this.#licence, model, prompt },
    }
  }
}
