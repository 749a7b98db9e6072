import type { KernelTask } from '../task/index.ts'
import { readAnswer } from './answer.ts'
import { packagedHost, type HostFolder } from './host-part.ts'
import { taskText } from './task-prompt.ts'
import { loadTemplates, render } from './template.ts'
import type { Message, Prompter, PromptOptions } from './types.ts'

/** Raise it when what is rendered for the same task and templates changes: `prompter.test.ts` tells. */
export const promptVersion = '1'

export interface PrompterOptions {
  /** folder of the user's own templates, each instead of the packaged one of its name */
  templates?: string
  /** the operator whose host part a kernel of a task is given */
  hostFolder?: HostFolder
}

/** What documents are searched for, for a task. */
const queryOf = ({ interface: { name, category }, description = '' }: KernelTask): string =>
  `${name} ${category} ${description}`

/** A prompter that reads its templates now: a change of them is seen by the next one. */
export function createPrompter({ templates: own, hostFolder = packagedHost }: PrompterOptions = {}): Prompter {
  const templates = loadTemplates(own)
  const version = templates.ownDigest === null ? promptVersion : `${promptVersion}+${templates.ownDigest.slice(0, 12)}`
  const first = (task: KernelTask, options: PromptOptions): Message[] => {
    const passages = options.documents?.(queryOf(task)) ?? []
    return [
      { role: 'system', content: render(templates.of('system'), {}) },
      { role: 'user', content: taskText(templates, task, options, { card: '', passages, hostFolder }) },
    ]
  }
  return {
    first: async (task, options) => ({ version, messages: first(task, options) }),
    async repair(task, options, turns, history) {
      const newest = turns.at(-1)
      if (!newest) throw new Error('there is no answer to repair')
      const findings = newest.findings.map(({ kind, text }) => `${kind}: ${text}`).join('\n\n')
      const start = history === 'keep' ? newest.prompt.messages : first(task, options)
      const messages: Message[] = [
        ...start,
        { role: 'assistant', content: newest.answer },
        { role: 'user', content: findings },
      ]
      return { version, messages }
    },
    read: (answer, { mode }) => readAnswer(answer, mode),
  }
}

/** With the packaged templates. */
export const prompter: Prompter = createPrompter()
