import type { Prompt } from '../../generation/types.ts'
import type { Answered, Builder } from '../builder.ts'
import { asked, type datasetTemplates } from '../templates.ts'
import type { Decision, Rejection, WorkFolder } from '../work-folder.ts'
import { unknownNames } from './api-names.ts'
import { saysText, tooLongQuote } from './check.ts'
import { textsIn } from './checked-rows.ts'
import type { DocumentItem } from './find.ts'
import { codeBlocksOf } from './sections.ts'

export const questionsVersion = 'questions-1'

/** What was asked for a section, and the version of the prompt that has asked for it. */
interface Questions {
  prompt: string
  questions: readonly string[]
}

/** The questions of a section, as they were kept when its prompt was answered. */
export const questionsOf = async (
  folder: WorkFolder,
  { key }: DocumentItem,
  made: Questions = { prompt: questionsVersion, questions: [] },
): Promise<Questions> => await folder.found(`questions ${key}`, () => Promise.resolve(made))

/** Asks for questions on sections of documents, for others to answer. It makes no rows. */
export class QuestionsBuilder implements Builder<DocumentItem> {
  readonly name = 'questions'
  readonly batch: number
  readonly #sections: readonly DocumentItem[]
  readonly #each: number
  readonly #folder: WorkFolder
  readonly #render: ReturnType<typeof datasetTemplates>

  constructor(
    sections: readonly DocumentItem[],
    options: {
      batch: number
      /** questions of one section */
      each: number
      folder: WorkFolder
      templates: ReturnType<typeof datasetTemplates>
    },
  ) {
    this.#sections = sections
    this.batch = options.batch
    this.#each = options.each
    this.#folder = options.folder
    this.#render = options.templates
  }

  items(): readonly DocumentItem[] {
    return this.#sections
  }

  promptOf(sections: readonly DocumentItem[]): Prompt {
    const shown = sections.map(
      ({ title, text, document }, i) => `<section item="${i + 1}" of="${title} (${document})">\n${text}\n</section>`,
    )
    const facts = {
      count: String(sections.length),
      questions: this.#each > 1 ? `${this.#each} questions on different points` : 'one question',
      entries: this.#each > 1 ? `${this.#each} objects for each item` : 'one object for each item',
      sections: shown.join('\n\n'),
    }
    return {
      version: questionsVersion,
      messages: asked(this.#render('documents-system', {}), this.#render('questions', facts)),
    }
  }

  async decide(section: DocumentItem, { items, number, prompt }: Answered): Promise<Decision> {
    const questions: string[] = []
    const rejections: Rejection[] = []
    for (const entry of (items.entries.get(number) ?? []).slice(0, this.#each)) {
      const read = textsIn(entry, ['question'])
      const wrong = 'reason' in read ? read : problemOf(read.texts.question, section)
      if (wrong) rejections.push({ reason: wrong.reason, detail: `${section.source}: ${wrong.detail}` })
      else if ('texts' in read) questions.push(read.texts.question)
    }
    await questionsOf(this.#folder, section, { prompt, questions })
    return { rows: [], rejections }
  }
}

/** Why a question is none that stands alone and gives nothing away. */
function problemOf(question: string, { title, text }: DocumentItem): Rejection | null {
  if (codeBlocksOf(question).length > 0) return { reason: 'question with code', detail: question.slice(0, 80) }
  const unknown = unknownNames(question, [title, text])
  if (unknown.length > 0) return { reason: 'unknown name', detail: unknown.join(', ') }
  return saysText(question) ?? tooLongQuote(question, [text])
}
