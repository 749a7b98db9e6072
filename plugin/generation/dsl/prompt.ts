import { createHash } from 'node:crypto'
import { declarationsText } from '../../dsl/declarations.ts'
import type { KernelTask } from '../../task/index.ts'
import { inputsText, vectorCoresText } from '../task-facts.ts'
import { documentsSection, factsOf, section } from '../task-prompt.ts'
import { render, type Templates } from '../template.ts'
import type { Message, Passage, PromptOptions } from '../types.ts'
import { programName } from './answer.ts'
import { allExamples, examplesFor } from './examples.ts'
import { languageText } from './language.ts'
import { programSkeletonOf } from './skeleton.ts'

/** The language, and programs in it: what whoever writes one has to know, whatever the task. */
function systemText(templates: Templates, { interface: task }: KernelTask): string {
  const examples = examplesFor(task).map(({ text }) => `\`\`\`ts\n${text}\`\`\``)
  return render(templates.of('dsl-system'), {
    language: languageText(task.name),
    declarations: declarationsText(),
    examples: examples.join('\n\n'),
  })
}

/** What a model is told of a task that it writes a program for. */
function taskText(
  templates: Templates,
  task: KernelTask,
  options: PromptOptions,
  passages: readonly Passage[],
): string {
  const { attributes, ...facts } = factsOf(templates, task, options)
  return render(templates.of('dsl-task'), {
    ...facts,
    inputs: inputsText(task, '`.given` says in the host part whether it is there'),
    hardware: vectorCoresText(options.soc),
    attributes: section(templates, 'dsl-attributes', 'attributes', attributes),
    documents: documentsSection(templates, passages),
    skeleton: programSkeletonOf(task),
  })
}

/** The first prompt for a program: the language apart from the task, which stays the same when the language grows. */
export const programMessages = (
  templates: Templates,
  task: KernelTask,
  options: PromptOptions,
  passages: readonly Passage[],
): Message[] => [
  { role: 'system', content: systemText(templates, task) },
  { role: 'user', content: taskText(templates, task, options, passages) },
]

/** Of all that is said of the language, and of the programs that may be shown. */
export const languageDigest = (): string =>
  createHash('sha256')
    .update([languageText(''), declarationsText(), ...allExamples().map(({ text }) => text)].join('\0'))
    .digest('hex')

/** Whether messages ask for a program of the DSL. */
export const asksForProgram = (messages: readonly Message[]): boolean =>
  messages.some(({ role, content }) => role === 'user' && content.includes(`<file path="${programName}">`))
