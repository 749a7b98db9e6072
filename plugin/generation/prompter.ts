import { createHash } from 'node:crypto'
import type { KernelTask } from '../task/index.ts'
import { readAnswer } from './answer.ts'
import { allCalls, callsFor, cardOf, entriesNamedIn, entryOf } from './api-card.ts'
import { readProgramAnswer } from './dsl/answer.ts'
import { languageDigest, programMessages } from './dsl/prompt.ts'
import { packagedHost, type HostFolder } from './host-part.ts'
import { bounds, repairText, shortened } from './repair-prompt.ts'
import { cardSection, documentsSection, taskText } from './task-prompt.ts'
import { loadTemplates, render, type Templates } from './template.ts'
import type { EarlierTurn, Message, Passage, Prompter, PromptOptions } from './types.ts'

/** Raise it when what is rendered for the same task and templates changes: `prompter.test.ts` tells. */
export const promptVersion = '5'

export interface PrompterOptions {
  /** folder of the user's own templates, each instead of the packaged one of its name */
  templates?: string
  /** the operator whose host part a kernel of a task is given */
  hostFolder?: HostFolder
}

/** A prompter that reads its templates now: a change of them is seen by the next one. */
export function createPrompter({ templates: own, hostFolder = packagedHost }: PrompterOptions = {}): Prompter {
  const templates = loadTemplates(own)
  const task = async (task: KernelTask, options: PromptOptions, named: readonly string[]): Promise<string> => {
    const entries = options.cardTokens > 0 ? callsFor(task.interface.category, options.mode).map(entryOf) : []
    const card = await cardOf([...named, ...entries], options.cardTokens, options.mode)
    return taskText(templates, task, options, { card, passages: passagesFor(queryOf(task), options), hostFolder })
  }
  const system = (): Message => ({ role: 'system', content: render(templates.of('system'), {}) })
  /** `named`: entries of the card that come first */
  const opening = async (of: KernelTask, options: PromptOptions, named: readonly string[]): Promise<Message[]> =>
    options.language === 'dsl'
      ? programMessages(templates, of, options, passagesFor(queryOf(of), options))
      : [system(), { role: 'user', content: await task(of, options, named) }]
  return {
    first: async (kernelTask, options) => ({
      version: versionOf(templates, options),
      messages: await opening(kernelTask, options, []),
    }),
    async repair(kernelTask, options, turns, history) {
      const newest = turns.at(-1)
      if (!newest) throw new Error(`task ${kernelTask.interface.name}: there is no answer to repair`)
      const complaint = complaintOf(newest)
      const hasCard = options.language !== 'dsl' && options.cardTokens > 0
      const named = hasCard ? entriesNamedIn(complaint) : []
      const documents = documentsSection(templates, passagesFor(complaint.slice(0, queryLength), options))
      const { findings, answer } = newest
      const version = versionOf(templates, options)
      if (history === 'keep') {
        const card = cardSection(templates, await cardOf(named, options.cardTokens, options.mode))
        const messages: Message[] = [
          ...newest.prompt.messages,
          { role: 'assistant', content: shortened(answer, bounds.answer) },
          { role: 'user', content: repairText(templates, { answer: null, findings, card, documents }) },
        ]
        return { version, messages }
      }
      // the card of the task begins with what was complained of
      const start = await opening(kernelTask, options, named)
      const repair = repairText(templates, { answer, findings, card: '', documents })
      const messages = start.map((each) =>
        each.role === 'user' ? { ...each, content: `${each.content}\n\n${repair}` } : each,
      )
      return { version, messages }
    },
    read: (answer, { mode, language }) => (language === 'dsl' ? readProgramAnswer(answer) : readAnswer(answer, mode)),
  }
}

/** Characters of a complaint that documents are searched for. */
const queryLength = 2000

const complaintOf = ({ findings }: EarlierTurn): string => findings.map(({ text }) => text).join('\n')

/** What documents are searched for, for a task. */
const queryOf = ({ interface: { name, category }, description = '' }: KernelTask): string =>
  `${name} ${category} ${description}`

const passagesFor = (query: string, { documents }: PromptOptions): readonly Passage[] => documents?.(query) ?? []

let digest: string | undefined

/** Of all that a card may hold: it follows from the headers, which nobody numbers. */
const cardDigest = (): string =>
  (digest ??= createHash('sha256')
    .update(
      allCalls()
        .map(({ call }) => entryOf(call))
        .join('\n'),
    )
    .digest('hex'))

/** The version of rendering, with hashes of templates of the user, and of the card or the language where they take part. */
function versionOf(templates: Templates, { language, cardTokens }: PromptOptions): string {
  const parts = [
    ...(templates.ownDigest === null ? [] : [templates.ownDigest]),
    ...(language === 'dsl' ? [languageDigest()] : cardTokens > 0 ? [cardDigest()] : []),
  ]
  return [promptVersion, ...parts.map((part) => part.slice(0, 12))].join('+')
}

/** With the packaged templates. */
export const prompter: Prompter = createPrompter()
