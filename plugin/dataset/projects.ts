import { hashOf } from '../cache/hash.ts'
import { writeFiles } from '../generation/answer.ts'
import { estimatedTokens } from '../generation/model.ts'
import { caseText, hardwareText } from '../generation/task-facts.ts'
import type { Prompt, Prompter } from '../generation/types.ts'
import { qualifiedName, type DType, type KernelCase, type TilingFacts, type ProjectFile } from '../model/index.ts'
import type { KernelTask } from '../task/index.ts'
import type { Answered, Builder, Item } from './builder.ts'
import type { Judging } from './judging.ts'
import { libraryFigures, libraryQuestions } from './library-figures.ts'
import type { ProjectSource } from './project-source.ts'
import { projectFor } from './prune-project.ts'
import { scenariosOf, type ScenarioLimits } from './scenarios.ts'
import { digestOfFiles } from './source.ts'
import { standaloneFiles } from './standalone.ts'
import { asked } from './templates.ts'
import { tilingDifferences } from './tiling-agreement.ts'
import type { Decision, Rejection, WorkFolder } from './work-folder.ts'

/** Raise it when what is rendered for the same scenario changes. */
export const projectPrompts = 'projects 1'

/** Tokens that the scenarios of one prompt take together, and one of them alone. */
const promptTokens = 12_000
const scenarioTokens = 9_000

/** Shorter reasoning explains nothing. */
export const shortestThought = 400

/** A project for one case, whose host part is asked about. */
export interface Scenario extends Item {
  suite: string
  task: string
  kernelCase: KernelCase
  tiling: TilingFacts
  files: ProjectFile[]
  pruned: boolean
  /** why nothing, or not everything, could be taken out */
  note?: string
  /** of the sources that it is made of */
  sha256: string
}

/** What was found of one operator in one round: a scenario, none, or why there is none. */
interface Found {
  scenario?: Scenario
  problem?: string
}

export interface ProjectOptions {
  sources: readonly ProjectSource[]
  folder: WorkFolder
  judging: Judging
  /** prompts of the benchmark itself: rows are asked for as kernels are */
  prompter: Prompter
  fill: (name: string, facts: Readonly<Record<string, string>>) => string
  limits: ScenarioLimits
  batch: number
  /** scenarios of all operators at most */
  limit: number
  /** one line about an operator that no scenario is made of */
  tell: (line: string) => void
}

/** Rows about whole operators: reasoning that ends in the tiling of one case, which is held against what the host part really says. */
export class ProjectBuilder implements Builder<Scenario> {
  readonly name = 'projects'
  readonly batch: number
  readonly weight = { of: (scenario: Scenario) => estimatedTokens(shownText(scenario)), most: promptTokens }
  readonly #options: ProjectOptions

  constructor(options: ProjectOptions) {
    this.#options = options
    this.batch = options.batch
  }

  /** The first scenario of every operator, then the second ones, until there are enough. */
  async *items(): AsyncGenerator<Scenario> {
    const { sources, folder, tell, limit, limits } = this.#options
    const all = Array.from({ length: limits.count }, (_, round) => sources.map((source) => ({ source, round }))).flat()
    let count = 0
    const found = ahead(all, async ({ source, round }) => {
      const key = `${qualifiedName(source.task.interface)} ${source.source} ${round}`
      return { source, ...(await folder.found(key, async () => await this.#find(source, round))) }
    })
    for await (const { source, scenario, problem } of found) {
      if (problem !== undefined) tell(`${source.source}: ${problem}`)
      if (!scenario) continue
      if ((await this.#figuresOf(scenario)) === null) {
        tell(`${source.source}: asks the library what nobody can work out`)
        continue
      }
      yield scenario
      if (++count >= limit) return
    }
  }

  async #find({ task, sample, source }: ProjectSource, round: number): Promise<Found> {
    const { judging, limits } = this.#options
    const { suite, name } = task.interface
    const machine = await judging.machineOf(task)
    const built = await machine.buildWhole(sample)
    if (!built.ok) return { problem: `does not build: ${built.verdict.kind}` }
    const cases = await scenariosOf(task, built.artifact, judging, limits)
    const chosen = cases[round]
    if (!chosen) return round > 0 ? {} : { problem: 'no case has a tiling that can be worked out by hand' }
    const files = await standaloneFiles(sample)
    const project = await projectFor(task, chosen, files, judging)
    if ('problem' in project) return { problem: `${chosen.kernelCase.name}: the project alone ${project.problem}` }
    const key = hashOf(suite, name, source, JSON.stringify(chosen.kernelCase))
    const scenario = { key, suite, task: name, ...chosen, ...project, sha256: digestOfFiles(files) }
    const tokens = estimatedTokens(shownText(scenario))
    if (tokens > scenarioTokens) return { problem: `${chosen.kernelCase.name}: the project has ${tokens} tokens` }
    return { scenario }
  }

  async promptOf(scenarios: readonly Scenario[]): Promise<Prompt> {
    const { fill, judging } = this.#options
    const figures = await Promise.all(scenarios.map(async (scenario) => await this.#figuresOf(scenario)))
    const parts = scenarios.map((scenario, i) => {
      const task = this.#taskOf(scenario)
      return fill('project', {
        number: String(i + 1),
        operator: scenario.task,
        description: task.description ?? '',
        case: caseText(scenario.kernelCase),
        figures: figures[i] ? `What functions of the library tell in this toolkit:\n\n${figures[i]}` : '',
        files: shownText(scenario),
      })
    })
    const user = fill('projects', { hardware: hardwareText(judging.soc), scenarios: parts.join('\n\n') })
    return { version: projectPrompts, messages: asked(fill('projects-system', {}), user) }
  }

  /** What the library tells its host part; null where that cannot be found out. */
  async #figuresOf({ files }: Scenario): Promise<string | null> {
    const { folder, judging } = this.#options
    const questions = libraryQuestions(files)
    if (questions.length === 0) return ''
    const key = `library ${JSON.stringify(questions)}`
    return await folder.found(key, async () => (await libraryFigures(questions, judging)) ?? null)
  }

  async decide(scenario: Scenario, { items, number, prompt, model }: Answered): Promise<Decision> {
    const [entry] = items.entries.get(number) ?? []
    const refused = refusalOf(entry, scenario)
    if (refused) return { rows: [], rejections: [refused] }
    const { suite, task, kernelCase, tiling, files, pruned, sha256 } = scenario
    const source = this.#sourceOf(scenario)
    const request = await this.#requestOf(scenario)
    return {
      rows: [
        {
          kind: 'project',
          ...request,
          thought: String(entry!['thought']).trim(),
          answer: answerOf(scenario),
          operator: task,
          proof: { suite, task, case: kernelCase, soc: this.#options.judging.soc, tiling, files, pruned },
          provenance: {
            source: source.source,
            ...(source.revision !== undefined && { revision: source.revision }),
            sha256,
            licence: source.licence,
            model,
            prompt,
          },
        },
      ],
      rejections: [],
    }
  }

  /** What the benchmark asks for this case alone. */
  async #requestOf(scenario: Scenario): Promise<{ system: string; request: string }> {
    const { prompter, judging } = this.#options
    return await requestFor(this.#taskOf(scenario), scenario.kernelCase, { prompter, soc: judging.soc })
  }

  #sourceOf({ suite, task }: Scenario): ProjectSource {
    return this.#options.sources.find(({ task: { interface: one } }) => one.suite === suite && one.name === task)!
  }

  #taskOf(scenario: Scenario): KernelTask {
    return this.#sourceOf(scenario).task
  }
}

/** The prompt of the benchmark for one case of a task, whether or not it is of the public list. */
export async function requestFor(
  task: KernelTask,
  kernelCase: KernelCase,
  { prompter, soc }: { prompter: Prompter; soc: string },
): Promise<{ system: string; request: string }> {
  const { combination } = kernelCase
  const ofCase = <A extends { dtypes: DType[] }>(all: readonly A[]): A[] =>
    all.map((argument) => ({ ...argument, dtypes: [argument.dtypes[combination] ?? argument.dtypes[0]!] }))
  const { inputs, outputs } = task.interface
  // a project for one case supports its dtypes, and need not support others
  const alone: KernelTask = {
    ...task,
    interface: { ...task.interface, inputs: ofCase(inputs), outputs: ofCase(outputs) },
    staticCases: [{ ...kernelCase, combination: 0, name: 'static 0' }],
  }
  const { messages } = await prompter.first(alone, { mode: 'full', shapes: 'static', case: 0, soc, cardTokens: 0 })
  const of = (role: string): string => messages.find((message) => message.role === role)?.content ?? ''
  return { system: of('system'), request: of('user') }
}

/** Characters of kernels that are shown: the tiling follows from the host part, which is shown as a whole. */
const kernelCharacters = 6000

/** What a prompt shows of a project: the host part, and of the kernel as much as there is room for, from its entry on. */
function shownText({ files }: Pick<Scenario, 'files'>): string {
  const [host, kernel] = ['op_host/', 'op_kernel/'].map((side) => files.filter(({ path }) => path.startsWith(side)))
  const entries = kernel!.filter(({ path }) => path.endsWith('.cpp'))
  const headers = kernel!
    .filter((file) => !entries.includes(file))
    .toSorted((a, b) => a.content.length - b.content.length)
  let room = kernelCharacters
  const shown = [...entries, ...headers].filter(({ content }) => (room -= content.length) >= 0)
  const left = kernel!.filter((file) => !shown.includes(file)).map(({ path }) => path)
  const note = left.length === 0 ? '' : `\n\nNot shown, with helpers that the kernel calls: ${left.join(', ')}`
  return writeFiles([...host!, ...shown]) + note
}

/** Does some things ahead of whoever asks for them: two at a time, told in order. */
async function* ahead<T, R>(all: readonly T[], work: (each: T) => Promise<R>): AsyncGenerator<R> {
  const begun: Promise<R>[] = []
  for (const each of all) {
    const next = work(each)
    // told when it is its turn
    next.catch(() => {})
    begun.push(next)
    if (begun.length > 1) yield await begun.shift()!
  }
  for (const next of begun) yield await next
}

/** The operator, and what its host part says of the case. */
export const answerOf = ({
  files,
  tiling: { blockDim, tilingKey, fields },
}: Pick<Scenario, 'files' | 'tiling'>): string =>
  `${writeFiles(files)}\n\nTiling of this case:\n\n\`\`\`json\n${JSON.stringify({ blockDim, tilingKey, fields }, undefined, 1)}\n\`\`\``

function refusalOf(entry: Record<string, unknown> | undefined, { tiling }: Scenario): Rejection | undefined {
  const thought = entry?.['thought']
  if (typeof thought !== 'string' || thought.trim().length < shortestThought)
    return { reason: 'no reasoning', detail: `fewer than ${shortestThought} characters` }
  const [, spoken] = /\b((?:scenario|item) \d+)\b/i.exec(thought) ?? []
  if (spoken !== undefined) return { reason: 'reasoning about the prompt', detail: `it speaks of ${spoken}` }
  const [wrong] = tilingDifferences(entry?.['tiling'], tiling)
  if (!wrong) return undefined
  return {
    reason: 'tiling disagrees',
    detail: `${wrong.field} is ${JSON.stringify(wrong.is) ?? 'no field'}, and was said to be ${JSON.stringify(wrong.told) ?? 'nothing'}`,
  }
}
