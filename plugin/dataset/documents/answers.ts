import type { Passage, Prompt } from '../../generation/types.ts'
import type { Answered, Builder, Item } from '../builder.ts'
import { sha256 } from '../hash.ts'
import type { Compiler } from '../kernels/compile.ts'
import { asked, type datasetTemplates } from '../templates.ts'
import type { Decision, Rejection, WorkFolder } from '../work-folder.ts'
import { answerRules } from './builder.ts'
import { CheckedRows, textsIn, type Material } from './checked-rows.ts'
import type { DocumentItem } from './find.ts'
import { questionsOf } from './questions.ts'
import { isOfSection, type Retrieve } from './retrieval.ts'
import { KnownQuestions } from './same-question.ts'

export const answersVersion = 'answers-1'

/** A question on a section, and what was found for it, wherever that stands. */
interface Question extends Item {
  text: string
  section: DocumentItem
  passages: readonly Passage[]
  /** version of the prompt that has asked for it */
  prompt: string
}

/** What has become of sections and their questions, as the card shows it. */
interface Coverage {
  sections: number
  'sections without a question': number
  questions: number
  'questions that found their section': number
}

/** Rows of questions that others have asked, answered from the passages that are retrieved for each. */
export class AnswersBuilder implements Builder<Question> {
  readonly name = 'answers'
  readonly batch: number
  readonly #sections: readonly DocumentItem[]
  readonly #licence: string
  readonly #folder: WorkFolder
  readonly #retrieve: Retrieve
  readonly #rows: CheckedRows
  readonly #render: ReturnType<typeof datasetTemplates>
  #coverage: Coverage | undefined

  constructor(
    sections: readonly DocumentItem[],
    options: {
      batch: number
      licence: string
      folder: WorkFolder
      retrieve: Retrieve
      compiler: Compiler
      templates: ReturnType<typeof datasetTemplates>
    },
  ) {
    this.#sections = sections
    this.batch = options.batch
    this.#licence = options.licence
    this.#folder = options.folder
    this.#retrieve = options.retrieve
    this.#rows = new CheckedRows(options.compiler)
    this.#render = options.templates
  }

  /** None before every section was asked about, so that questions of one prompt are the same in every call. */
  async *items(): AsyncGenerator<Question, void> {
    if (!this.#sections.every(({ key }) => this.#folder.isDecided(key))) return
    const known = new KnownQuestions<DocumentItem>()
    const covered = { 'sections without a question': 0, questions: 0, 'questions that found their section': 0 }
    for (const section of this.#sections) {
      const questions = (await this.#questionsOf(section)).filter((question) => this.#isAsked(question, known))
      yield* questions
      const found = questions.filter(({ passages }) => passages.some((passage) => isOfSection(passage, section)))
      covered.questions += questions.length
      covered['questions that found their section'] += found.length
      if (questions.length === 0) covered['sections without a question']++
    }
    this.#coverage = { sections: this.#sections.length, ...covered }
  }

  /** Whether a question is asked; what is not is refused here. */
  #isAsked(question: Question, known: KnownQuestions<DocumentItem>): boolean {
    const wrong = problemOf(question, known.findOrAdd(question.section.document, question.text, question.section))
    if (wrong && !this.#folder.isDecided(question.key))
      this.#folder.decide(question.key, { rows: [], rejections: [wrong] })
    return wrong === null
  }

  async #questionsOf(section: DocumentItem): Promise<Question[]> {
    const { questions, prompt } = await questionsOf(this.#folder, section)
    return questions.map((text, i) => ({
      key: `${section.key} question ${i + 1} ${sha256(text).slice(0, 16)}`,
      text,
      section,
      passages: this.#retrieve(text),
      prompt,
    }))
  }

  /** Undefined before all questions were asked for. */
  figures(): Readonly<Record<string, number>> {
    return { ...this.#coverage }
  }

  promptOf(questions: readonly Question[]): Prompt {
    const passages = new Map(questions.flatMap((each) => each.passages.map((passage) => [passage.place, passage])))
    const numbers = new Map([...passages.keys()].map((place, i) => [place, i + 1]))
    const facts = {
      count: String(questions.length),
      rules: answerRules(this.#render),
      questions: questions
        .map(({ text, passages: own }, i) => {
          const from = own.map(({ place }) => numbers.get(place)).join(', ')
          return `<question item="${i + 1}" passages="${from}">\n${text}\n</question>`
        })
        .join('\n\n'),
      passages: [...passages.values()]
        .map(({ place, text }) => {
          const of = place.replace(/:\d+$/, '')
          return `<passage number="${numbers.get(place)}" of="${of}">\n${text}\n</passage>`
        })
        .join('\n\n'),
    }
    return {
      version: answersVersion,
      messages: asked(this.#render('documents-system', {}), this.#render('answers', facts)),
    }
  }

  async decide(question: Question, answered: Answered): Promise<Decision> {
    const [entry = {}] = answered.items.entries.get(answered.number) ?? []
    const made = await this.#rowOf(question, entry, answered)
    if (!('reason' in made)) return { rows: [made], rejections: [] }
    return { rows: [], rejections: [{ reason: made.reason, detail: `${question.section.source}: ${made.detail}` }] }
  }

  async #rowOf(question: Question, entry: Readonly<Record<string, unknown>>, answered: Answered) {
    const { missing } = entry
    if (typeof missing === 'string' && missing.trim() !== '')
      return { reason: 'not settled by what was found', detail: missing.trim().slice(0, 200) }
    const read = textsIn(entry, ['thought', 'answer'])
    if ('reason' in read) return read
    const texts = { question: question.text, ...read.texts }
    return await this.#rows.rowOf(texts, this.#materialOf(question, answered), answered)
  }

  #materialOf({ section, passages, prompt: questionPrompt }: Question, { model, prompt }: Answered): Material {
    const { title, source, sha256: hash, document } = section
    const texts = passages.map(({ text }) => text)
    const retrieved = passages.map(({ place }) => place)
    const licence = this.#licence
    return {
      subject: { kind: 'documentation', title, texts },
      passages: texts,
      operator: document,
      provenance: { source, sha256: hash, licence, model, prompt, questionPrompt, retrieved },
    }
  }
}

/** Why a question is not asked: another section has it already, or nothing was found for it. */
function problemOf({ text, section, passages }: Question, before: DocumentItem | undefined): Rejection | null {
  if (before)
    return { reason: 'duplicate question', detail: `${section.source}: asks what ${before.source} asks: ${text}` }
  if (passages.length === 0) return { reason: 'nothing found', detail: `${section.source}: ${text}` }
  return null
}
