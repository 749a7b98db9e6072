import type { ProjectFile } from '../model/index.ts'
import { writeFiles } from '../generation/answer.ts'
import { entriesNamedIn } from '../generation/api-card.ts'
import { estimatedTokens } from '../generation/model.ts'
import type { Prompt, Prompter } from '../generation/types.ts'
import { classOf, compileAttempt, judgeAttempt } from './attempts.ts'
import type { Answered, Builder, Item } from './builder.ts'
import {
  judgedSource,
  kernelError,
  mistakenErrors,
  ownError,
  type ApiError,
  type ErrorMaterial,
  type KernelError,
} from './error-sources.ts'
import type { ProjectSource } from './project-source.ts'
import type { Draft } from './row.ts'
import { snippetText, withSnippet } from './snippet.ts'
import { asked } from './templates.ts'
import type { Decision, Rejection } from './work-folder.ts'

/** Raise it when what is rendered for the same errors changes. */
export const errorPrompts = 'errors 1'

/** Tokens that the errors of one prompt take together. */
const promptTokens = 12_000
const shortestThought = 200

export interface ErrorOptions extends ErrorMaterial {
  sources: readonly ProjectSource[]
  prompter: Prompter
  fill: (name: string, facts: Readonly<Record<string, string>>) => string
  batch: number
  limit: number
  /** errors of one signature at most */
  alike: number
}

const refused = (reason: string, detail: string): Decision => ({ rows: [], rejections: [{ reason, detail }] })

function provenanceOf(
  { suite, task, source, sha256 }: ApiError | KernelError,
  sources: readonly ProjectSource[],
  { model, prompt }: Answered,
): Draft['provenance'] {
  const from = sources.find(
    (each) => each.source === source && each.task.interface.suite === suite && each.task.interface.name === task,
  )
  return {
    source,
    ...(from?.revision !== undefined && { revision: from.revision }),
    sha256,
    licence: from?.licence ?? 'unknown',
    model,
    prompt,
  }
}

/** The text that an entry says under a name, where it is long enough. */
function textIn(entry: Record<string, unknown> | undefined, name: string, shortest: number): string | Rejection {
  const text = entry?.[name]
  if (typeof text === 'string' && text.trim().length >= shortest) return text.trim()
  return { reason: `no ${name}`, detail: `fewer than ${shortest} characters` }
}

const findingsText = ({ findings }: { findings: readonly { text: string }[] }): string =>
  findings.map(({ text }) => text.trim()).join('\n\n')

/** Rows about calls that do not compile: a snippet, what the compiler says, and what is right there. */
export class ApiErrorBuilder implements Builder<ApiError & Item> {
  readonly name = 'errors-api'
  readonly batch: number
  readonly weight = { of: (error: ApiError) => estimatedTokens(this.#textOf(error, 1)), most: promptTokens }
  readonly #options: ErrorOptions

  constructor(options: ErrorOptions) {
    this.#options = options
    this.batch = options.batch
  }

  /** Errors that came so, then those that were made, at most so many of one signature. */
  async *items(): AsyncGenerator<ApiError> {
    const { sources, alike, limit } = this.#options
    const bySignature = new Map<string, number>()
    let count = 0
    for (const source of sources) {
      const judged = await judgedSource(source, this.#options)
      const own = ownError(judged)
      const errors = judged.verdict.kind === 'correct' ? await mistakenErrors(judged, this.#options) : own ? [own] : []
      for (const error of errors) {
        const known = bySignature.get(error.signature) ?? 0
        if (known >= alike || count >= limit) continue
        bySignature.set(error.signature, known + 1)
        count++
        yield error
      }
    }
  }

  #textOf(error: ApiError, number: number): string {
    const { fill } = this.#options
    const card = entriesNamedIn(findingsText(error)).slice(0, 4).join('\n\n')
    return fill('api-error', {
      number: String(number),
      snippet: shownSnippet(error),
      path: error.snippet.path,
      findings: findingsText(error),
      card: card === '' ? '' : `What the API has of these names:\n\n${card}`,
    })
  }

  promptOf(errors: readonly ApiError[]): Prompt {
    const { fill } = this.#options
    const parts = errors.map((error, i) => this.#textOf(error, i + 1))
    const user = fill('api-errors', { errors: parts.join('\n\n') })
    return { version: errorPrompts, messages: asked(fill('errors-system', {}), user) }
  }

  async decide(error: ApiError, answered: Answered): Promise<Decision> {
    const { items, number } = answered
    const [entry] = items.entries.get(number) ?? []
    const thought = textIn(entry, 'thought', shortestThought)
    if (typeof thought !== 'string') return { rows: [], rejections: [thought] }
    const explanation = textIn(entry, 'answer', 40)
    if (typeof explanation !== 'string') return { rows: [], rejections: [explanation] }
    const fixed = items.blocks.get(`${number}/fixed`)
    if (fixed === undefined) return refused('no correction', `there is no block with name=${number}/fixed`)
    const before = shownSnippet(error)
    if (fixed.trim() === before.trim()) return refused('nothing corrected', 'the snippet is as it was')
    if (linesIn(fixed) < 0.7 * linesIn(before)) return refused('left out', 'the correction has far fewer lines')
    const corrected = error.files.map((file) =>
      file.path === error.snippet.path ? { ...file, content: withSnippet(file.content, error.snippet, fixed) } : file,
    )
    const source = sourceOf(error, this.#options.sources)
    const attempt = await compileAttempt(source.task, corrected, this.#options.judging)
    if (attempt.verdict.kind !== 'correct')
      return refused('does not compile', attempt.findings[0]?.text.slice(0, 400) ?? attempt.verdict.kind)
    const { suite, task, files, class: errorClass } = error
    return {
      rows: [
        {
          kind: 'error',
          request: this.#options.fill('api-error-request', {
            snippet: before,
            path: error.snippet.path,
            findings: findingsText(error),
          }),
          thought,
          answer: `${explanation}\n\n\`\`\`cpp\n${fixed.trimEnd()}\n\`\`\``,
          operator: task,
          proof: {
            level: 'api',
            suite,
            task,
            verdict: 'compile-failed',
            class: errorClass,
            failing: files,
            corrected,
          },
          provenance: provenanceOf(error, this.#options.sources, answered),
        },
      ],
      rejections: [],
    }
  }
}

const linesIn = (text: string): number => text.split('\n').filter((line) => line.trim() !== '').length

function shownSnippet({ files, snippet }: ApiError): string {
  const file = files.find(({ path }) => path === snippet.path)
  return snippetText(file?.content ?? '', snippet)
}

function sourceOf({ source, suite, task }: ApiError | KernelError, sources: readonly ProjectSource[]): ProjectSource {
  const found = sources.find(
    (each) => each.source === source && each.task.interface.suite === suite && each.task.interface.name === task,
  )
  if (!found) throw new Error(`${source}: was found before and is not there any more`)
  return found
}

/** Rows about operators that compile and are wrong: what the judge says, what the flaw is, and the whole operator without it. */
export class KernelErrorBuilder implements Builder<KernelError & Item> {
  readonly name = 'errors-kernel'
  readonly batch: number
  readonly weight = { of: (error: KernelError) => estimatedTokens(this.#textOf(error, 1)), most: promptTokens }
  readonly #options: ErrorOptions

  constructor(options: ErrorOptions) {
    this.#options = options
    this.batch = options.batch
  }

  async *items(): AsyncGenerator<KernelError> {
    const { sources, limit, tell } = this.#options
    const references = new Map<string, ProjectFile[]>()
    let count = 0
    // whoever is right is known before anybody is compared with them
    const all = []
    for (const source of sources) {
      const judged = await judgedSource(source, this.#options)
      const { suite, name } = source.task.interface
      const key = `${suite}/${name}`
      if (judged.verdict.kind === 'correct' && !references.has(key)) references.set(key, judged.files)
      all.push({ key, judged })
    }
    for (const { key, judged } of all) {
      const reference = references.get(key)
      const error = reference && kernelError(judged, reference)
      if (!reference && judged.verdict.kind !== 'correct') tell(`${judged.source.source}: no sample of ${key} is right`)
      if (!error || count >= limit) continue
      count++
      yield error
    }
  }

  #textOf(error: KernelError, number: number): string {
    const { task } = sourceOf(error, this.#options.sources)
    return this.#options.fill('kernel-error', {
      number: String(number),
      operator: error.task,
      description: task.description ?? '',
      failing: writeFiles(error.files),
      findings: findingsText(error),
      reference: referenceText(error),
    })
  }

  promptOf(errors: readonly KernelError[]): Prompt {
    const { fill } = this.#options
    const parts = errors.map((error, i) => this.#textOf(error, i + 1))
    const user = fill('kernel-errors', { errors: parts.join('\n\n') })
    return { version: errorPrompts, messages: asked(fill('errors-system', {}), user) }
  }

  async decide(error: KernelError, answered: Answered): Promise<Decision> {
    const { items, number } = answered
    const { judging, limits, sources } = this.#options
    const [entry] = items.entries.get(number) ?? []
    const thought = textIn(entry, 'thought', shortestThought)
    if (typeof thought !== 'string') return { rows: [], rejections: [thought] }
    const explanation = textIn(entry, 'answer', 40)
    if (typeof explanation !== 'string') return { rows: [], rejections: [explanation] }
    const written = [...items.blocks].flatMap(([name, content]): ProjectFile[] =>
      name.startsWith(`${number}/`) ? [{ path: name.slice(`${number}/`.length), content }] : [],
    )
    if (written.length === 0) return refused('no correction', `there is no block with name=${number}/op_kernel/…`)
    const corrected = [
      ...error.files.filter(({ path }) => !written.some((file) => file.path === path)),
      ...written,
    ].sort((a, b) => (a.path < b.path ? -1 : 1))
    const { task } = sourceOf(error, sources)
    const attempt = await judgeAttempt(task, corrected, judging, limits)
    if (attempt.verdict.kind !== 'correct')
      return refused(
        attempt.verdict.kind === 'compile-failed' ? 'does not compile' : 'is not right',
        `${classOf(attempt.verdict) ?? attempt.verdict.kind}: ${attempt.findings[0]?.text.slice(0, 400) ?? ''}`,
      )
    const { suite, task: name, files, verdict, class: errorClass } = error
    return {
      rows: [
        {
          kind: 'error',
          ...(await this.#requestOf(error)),
          thought,
          answer: `${explanation}\n\n${writeFiles(written)}`,
          operator: name,
          proof: {
            level: 'kernel',
            suite,
            task: name,
            verdict,
            class: errorClass,
            cases: limits,
            failing: files,
            corrected,
          },
          provenance: provenanceOf(error, sources, answered),
        },
      ],
      rejections: [],
    }
  }

  /** What the benchmark asks of whoever has written it. */
  async #requestOf(error: KernelError): Promise<{ system: string; request: string }> {
    const { prompter, judging, sources } = this.#options
    const { task } = sourceOf(error, sources)
    const options = { mode: 'full', shapes: 'dynamic', soc: judging.soc, cardTokens: 0 } as const
    const first = await prompter.first(task, options)
    const turn = { prompt: first, answer: writeFiles(error.files), findings: error.findings }
    const { messages } = await prompter.repair(task, options, [turn], 'fresh')
    const of = (role: string): string => messages.find((message) => message.role === role)?.content ?? ''
    return { system: of('system'), request: of('user') }
  }
}

/** The files of the right operator that the wrong one has not as well. */
function referenceText({ files, reference }: KernelError): string {
  const isSame = (file: ProjectFile): boolean =>
    files.some(({ path, content }) => path === file.path && content === file.content)
  const same = reference.filter(isSame).map(({ path }) => path)
  const note = same.length === 0 ? '' : `\n\nThe same as above: ${same.join(', ')}`
  return writeFiles(reference.filter((file) => !isSame(file))) + note
}
