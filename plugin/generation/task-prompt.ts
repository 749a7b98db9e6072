import type { KernelCase } from '../model/index.ts'
import { staticCaseOf } from '../task/facts.ts'
import type { KernelTask } from '../task/index.ts'
import { writeFiles } from './answer.ts'
import { hostPartOf, type HostFolder } from './host-part.ts'
import { kernelArguments, kernelSkeletonOf, skeletonOf } from './skeleton.ts'
import {
  attributesText,
  casesText,
  caseText,
  combinationsText,
  domainText,
  hardwareText,
  inputsText,
  outputsText,
  toleranceText,
} from './task-facts.ts'
import { render, type Facts, type Templates } from './template.ts'
import type { Passage, PromptOptions } from './types.ts'

/** What a prompt holds besides what the task says. */
export interface Extras {
  /** entries of the API card; empty: none */
  card: string
  passages: readonly Passage[]
  hostFolder: HostFolder
}

/** The static case that the options name. Throws where there is none, with those that there are. */
export function staticCaseFor(task: KernelTask, { case: id }: PromptOptions): KernelCase {
  const found = id === undefined ? undefined : staticCaseOf(task.staticCases, id)
  if (found) return found
  const ids = task.staticCases.map(({ name }) => name.replace('static ', ''))
  throw new Error(
    `task ${task.interface.name}: ${id === undefined ? 'a prompt for one static case has to be told which' : `there is no static case ${id}`}; there are ${ids.join(', ')}`,
  )
}

/** The section of a template, or nothing where what it is about is empty. */
export const section = (templates: Templates, name: string, fact: string, text: string): string =>
  text === '' ? '' : render(templates.of(name), { [fact]: text })

export const cardSection = (templates: Templates, card: string): string => section(templates, 'card', 'card', card)

export const documentsSection = (templates: Templates, passages: readonly Passage[]): string =>
  section(
    templates,
    'documents',
    'passages',
    passages.map(({ place, text }) => `From ${place}:\n\n${text}`).join('\n\n'),
  )

/** What a prompt says of a task, whatever it is to be written in. */
export function factsOf(templates: Templates, task: KernelTask, options: PromptOptions) {
  const { name } = task.interface
  const cases = options.shapes === 'static' ? [staticCaseFor(task, options)] : task.staticCases
  const fill = (template: string, facts: Facts): string => render(templates.of(template), facts)
  return {
    operator: name,
    description: task.description ?? `The spec of ${name} does not say it in words: its name and interface do.`,
    inputs: inputsText(task),
    outputs: outputsText(task),
    attributes: attributesText(task),
    combinations: combinationsText(task),
    shapes:
      options.shapes === 'static'
        ? fill('static', { case: cases.map(caseText).join('\n') })
        : fill('dynamic', { cases: casesText(cases), domain: domainText(task) }),
    tolerance: toleranceText(task, cases),
    hardware: hardwareText(options.soc),
  }
}

/** What a model is told of a task. */
export function taskText(templates: Templates, task: KernelTask, options: PromptOptions, extras: Extras): string {
  const { interface: description } = task
  const { kernel, inputs } = description
  const fill = (name: string, facts: Facts): string => render(templates.of(name), facts)
  const { attributes, ...facts } = factsOf(templates, task, options)
  const files =
    options.mode === 'full'
      ? fill('files-full', { files: writeFiles(skeletonOf(description)) })
      : fill('files-kernel-only', {
          host: writeFiles(hostPartOf(description, extras.hostFolder)),
          files: writeFiles([kernelSkeletonOf(description)]),
        })
  return fill('task', {
    ...facts,
    category: description.category,
    kernel,
    assignment: fill(options.mode, {}),
    attributes: section(templates, 'attributes', 'attributes', attributes),
    rules: fill('rules', {
      kernel,
      arguments: [...kernelArguments(description), 'workspace', 'tiling'].map((name) => `GM_ADDR ${name}`).join(', '),
      macro: `DTYPE_${inputs[0]!.name.toUpperCase()}`,
    }),
    card: cardSection(templates, extras.card),
    documents: documentsSection(templates, extras.passages),
    files,
    format: fill(`format-${options.mode}`, { kernel }),
  })
}
