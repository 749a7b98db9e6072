import { existsSync, watch as fsWatch } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { takenBy } from '../candidates/index.ts'
import { packageVersion } from '../files/index.ts'
import { Spending } from '../generation/budget.ts'
import { indexDocuments } from '../generation/documents.ts'
import { GenerationError } from '../generation/error.ts'
import { Loop, type LoopResult, type RunSample } from '../generation/loop.ts'
import type { Model } from '../generation/model.ts'
import { record } from '../generation/record.ts'
import { RunFolder } from '../generation/run-folder.ts'
import type { Settings } from '../generation/run-settings.ts'
import { errorsTable, turnsTable, type CountedSample } from '../generation/summary.ts'
import type { Prompter, PromptOptions } from '../generation/types.ts'
import { renderText } from '../ledger/table.ts'
import { exitCodes, neutralText, qualifiedName, type Profile } from '../model/index.ts'
import type { KernelTask } from '../task/index.ts'
import { runSuites, type RunSuites } from '../vitest/run-suites.ts'
import { judgeIn } from './generate-judge.ts'
import { modelOf } from './generate-model.ts'
import { generateOptionsOf, type GenerateOptions } from './generate-options.ts'
import { GenerateProgress } from './generate-progress.ts'
import { chosenTasks, drawn } from './generate-tasks.ts'
import { configurationOf } from './suites.ts'
import { messageOf, UserError } from './user-error.ts'

/** Lines about prompts without an answer, and about samples that could not be judged, that are printed one by one. */
const shownLines = 5

/** What a run is made with. */
interface Setup {
  options: GenerateOptions
  tasks: readonly KernelTask[]
  suites: RunSuites
  model: Model
  /** what the ledger calls the model */
  label: string
  target: string
  soc: string
  profile: Profile
}

/** `generate`: from tasks to kernels, by way of a model. */
export async function generateCommand(args: readonly string[]): Promise<void> {
  const options = generateOptionsOf(args)
  if (!options) return
  try {
    const setup = await setUp(options)
    if (options.watchTask === undefined) await generate(setup, options.name)
    else await watch(setup)
  } catch (error) {
    if (error instanceof GenerationError) throw new UserError(neutralText(error.message), error.exitCode)
    throw error
  }
}

async function setUp(options: GenerateOptions): Promise<Setup> {
  const { model, label } = await modelOf('generate', options, process.env, say)
  // inputs of all turns are the same, so that whoever replays a run meets the same findings
  process.env['NPU_SEED'] = String(options.seed)
  const { root, options: resolved } = await configurationOf(process.cwd())
  const run = resolve(options.out, options.name)
  // which it is in the list that candidates are named by
  if (run.includes(',')) throw new UserError(`${run}: folders of candidates have no comma; give another --out`)
  const suites = runSuites(resolved, root)
  const taken = takenBy(options.name, suites)
  if (taken !== undefined) throw new UserError(`--name ${options.name}: is called like ${taken}; give another name`)
  const chosen = await chosenTasks(suites.suites, options.tasks)
  const tasks = answerable(
    options.draw === undefined ? chosen : drawn(chosen, options.draw, options.seed),
    model,
    options,
  )
  const without = options.case === undefined ? [] : tasks.filter((task) => !hasCase(task, options.case!))
  if (without.length > 0)
    throw new UserError(
      `--case ${options.case}: ${without
        .map((task) => task.interface.name)
        .slice(0, 5)
        .join(', ')} ${without.length === 1 ? 'has' : 'have'} no such static case`,
    )
  return {
    options,
    tasks,
    suites,
    model,
    label,
    target: resolved.target.name,
    soc: resolved.soc,
    profile: resolved.profile,
  }
}

const say = (line: string): void => console.error(neutralText(`generate: ${line}`))

/** The tasks that were named, and those that a pattern has chosen as far as the model can say anything about them. */
function answerable(tasks: readonly KernelTask[], model: Model, options: GenerateOptions): readonly KernelTask[] {
  const known = tasks.filter(({ interface: task }) => model.hasTask?.(task) ?? true)
  if (known.length === 0)
    throw new UserError(`--tasks: ${options.model} has no answer for any of the ${tasks.length} tasks`)
  const named = new Set(options.tasks)
  const kept = tasks.filter(
    (task) => known.includes(task) || named.has(task.interface.name) || named.has(qualifiedName(task.interface)),
  )
  if (kept.length < tasks.length)
    say(`${tasks.length - kept.length} of ${tasks.length} tasks are left out: ${options.model} has no answer for them`)
  return kept
}

const hasCase = ({ staticCases }: KernelTask, id: number): boolean =>
  staticCases.some(({ name }) => name === `static ${id}`)

/** Runs to the end, and tells what has become of it. */
async function generate(setup: Setup, name: string): Promise<RunFolder> {
  const { options } = setup
  const { createPrompter } = await import('../generation/prompter.ts')
  const prompter = attempt(() =>
    createPrompter(options.prompts === undefined ? {} : { templates: resolve(options.prompts) }),
  )
  const documents = options.docs === undefined ? undefined : indexDocuments(resolve(options.docs))
  const prompts: PromptOptions = {
    // not said of runs that were begun without such an option
    ...(options.language !== 'ascendc' && { language: options.language }),
    mode: options.mode,
    shapes: options.case === undefined ? 'dynamic' : 'static',
    ...(options.case !== undefined && { case: options.case }),
    soc: setup.soc,
    cardTokens: options.language === 'dsl' ? 0 : options.cardTokens,
    ...(documents && { documents: documents.find }),
  }
  const folder = await RunFolder.open(
    resolve(options.out, name),
    await settingsOf(setup, prompter, prompts, documents?.hash),
  )
  const abort = new AbortController()
  const stop = (): void => {
    // the second time at once
    process.once('SIGINT', () => process.exit(130))
    abort.abort()
  }
  process.once('SIGINT', stop)
  try {
    const { result, counted } = await loop(setup, { folder, prompter, prompts, signal: abort.signal })
    const place = relative(process.cwd(), folder.path) || folder.path
    tell(result, counted, setup, place)
    if (options.record !== undefined) record(folder.path, resolve(options.record))
    if (result.fatal) throw result.fatal
    if (result.unanswered.length > 0 || result.unjudged.length > 0) process.exitCode = exitCodes.infrastructure
    if (abort.signal.aborted) {
      console.error(`stopped: the same command goes on with ${place}`)
      folder.close()
      // a run of Vitest may still be under way
      process.exit(130)
    }
    return folder
  } finally {
    process.off('SIGINT', stop)
    folder.close()
  }
}

function attempt<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new GenerationError(messageOf(error), exitCodes.usage)
  }
}

/** Whether templates and host parts are such that every task can be asked about; returns the version of the prompts. */
async function promptable(tasks: readonly KernelTask[], prompter: Prompter, prompts: PromptOptions): Promise<string> {
  const [task] = tasks
  if (!task) throw new UserError('--tasks: chooses no task')
  try {
    if (prompts.mode === 'kernel-only') {
      const { hostPartOf, packagedHost } = await import('../generation/host-part.ts')
      for (const each of tasks) hostPartOf(each.interface, packagedHost)
    }
    return (await prompter.first(task, prompts)).version
  } catch (error) {
    throw new GenerationError(messageOf(error), exitCodes.usage)
  }
}

/** What a run is begun with, and goes on with. */
async function settingsOf(
  { options, tasks, label, target, profile }: Setup,
  prompter: Prompter,
  prompts: PromptOptions,
  documents: string | undefined,
): Promise<Settings> {
  const version = await promptable(tasks, prompter, prompts)
  const { model, strategy, feedback, history, improve, temperature, topP, maxTokens, reasoningEffort, seed } = options
  return {
    version: packageVersion(),
    model,
    label,
    prompts: version,
    ...prompts,
    documents,
    strategy,
    feedback,
    history,
    improve,
    temperature,
    topP,
    maxTokens,
    reasoningEffort,
    seed,
    target,
    profile,
    revision: await revision(),
    begun: new Date().toISOString(),
  }
}

/** The revision of the folder that the command is called in, where it is of a repository. */
async function revision(): Promise<string | null> {
  const { stdout, exitCode } = await execa('git', ['rev-parse', 'HEAD'], { reject: false })
  return exitCode === 0 ? stdout.trim() : null
}

interface Work {
  folder: RunFolder
  prompter: Prompter
  prompts: PromptOptions
  signal: AbortSignal
}

async function loop(
  setup: Setup,
  { folder, prompter, prompts, signal }: Work,
): Promise<{ result: LoopResult; counted: CountedSample[] }> {
  const { options, tasks, model, label, target, soc, profile } = setup
  const samples = tasks.flatMap((task) =>
    Array.from({ length: options.samples }, (_, sample) => sampleOf(task, sample, setup)),
  )
  const { turns, strategy, feedback, history, improve, judges, seed } = options
  const spending = new Spending(options.budget, options.prices)
  const counted = samples.map(({ name, task: { interface: task } }): CountedSample => {
    const key = `${name.suite}/${name.task}/${name.sample}`
    return {
      level: task.group ?? task.suite,
      task: `${task.suite}/${task.name}`,
      get turns() {
        return folder.turns.get(key) ?? []
      },
    }
  })
  const running: Loop = new Loop({
    folder,
    samples,
    model,
    prompter,
    prompts,
    judge: judgeIn((place) => folder.candidateOf(place)),
    rules: { turns, strategy, feedback, history, improve, judges },
    spending,
    facts: { model: label, target, soc, profile, seed },
  })
  const progress = new GenerateProgress(counted, spending, () => running.open)
  try {
    return { result: await running.run(signal), counted }
  } finally {
    progress.end()
  }
}

function sampleOf(task: KernelTask, sample: number, { options, suites }: Setup): RunSample {
  const { suite, name } = task.interface
  return {
    name: { suite, task: name, sample },
    task,
    place: {
      task: suites.shared[name] ? join(suite, name) : name,
      sample: options.case === undefined ? `s${sample}` : `fixed_case_${options.case}/s${sample}`,
    },
  }
}

function tell(result: LoopResult, counted: readonly CountedSample[], { options }: Setup, place: string): void {
  const tables = [turnsTable(counted, options.prices), ...errorsTable(counted)]
  console.log(neutralText(renderText(tables)))
  const lines = [
    ...some(result.unanswered),
    ...some(result.unjudged),
    ...(result.stopped === undefined ? [] : [`${result.stopped}: the same command with a larger one goes on`]),
    ...(result.pending > 0
      ? [
          `${result.pending} prompts wait for an answer.md beside them in ${options.model.replace(/^files:/, '')}: the same command takes them`,
        ]
      : []),
  ]
  for (const line of lines) console.error(neutralText(line))
  if (counted.some(({ turns }) => turns.some(({ outcome }) => outcome))) console.error(`npx vitest-npu score ${place}`)
}

const some = (lines: readonly string[]): string[] =>
  lines.length <= shownLines ? [...lines] : [...lines.slice(0, shownLines), `and ${lines.length - shownLines} more`]

/** The templates that come with the package. */
const packagedTemplates = fileURLToPath(new URL('../../plugin/generation/prompts', import.meta.url))

/** Editors write a file in several steps. */
const settledMs = 300

/** One sample of one task, again whenever a template has changed, each in a folder of its own, until somebody ends it. */
async function watch(setup: Setup): Promise<void> {
  const { options } = setup
  const templates = options.prompts === undefined ? packagedTemplates : resolve(options.prompts)
  if (!existsSync(templates)) throw new UserError(`--prompts: there is no folder ${templates}`)
  const changes = new Changes(templates)
  for (let number = 1; ; number++) {
    const name = `${options.name}-${number}`
    if (existsSync(resolve(options.out, name))) continue
    const since = changes.count
    try {
      tellFindings(await generate({ ...setup, options: { ...options, samples: 1 } }, name))
    } catch (error) {
      // a template that cannot be read is there to be corrected
      if (!(error instanceof GenerationError)) throw error
      console.error(neutralText(error.message))
    }
    console.error(`waiting for a change in ${relative(process.cwd(), templates) || templates}`)
    await changes.after(since)
  }
}

function tellFindings(folder: RunFolder): void {
  for (const turns of folder.turns.values())
    for (const { answer, outcome } of turns) {
      console.log(`turn ${answer.turn}: ${outcome?.verdict ?? 'not judged'}`)
      for (const { text } of outcome?.findings ?? []) console.log(neutralText(text))
    }
}

/** Counts the changes below a folder. */
class Changes {
  count = 0
  readonly #waiting = new Set<() => void>()

  constructor(folder: string) {
    let timer: NodeJS.Timeout | undefined
    fsWatch(folder, { recursive: true }, () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        this.count++
        for (const go of this.#waiting) go()
        this.#waiting.clear()
      }, settledMs)
    })
  }

  /** Resolves when there has been another change. */
  async after(count: number): Promise<void> {
    if (this.count === count) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }
}
