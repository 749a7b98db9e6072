import { join } from 'node:path'
import { existsSync } from 'node:fs'
import { packagedPrograms } from '../candidates/packaged.ts'
import { Decontamination, type ProtectedTask } from '../dataset/hygiene/decontamination.ts'
import { listBelow, readRegular } from '../files/index.ts'
import { createPrompter } from '../generation/prompter.ts'
import { neutralText } from '../model/index.ts'
import { defaultSoc } from '../soc/profile.ts'
import { baselineOf, sharedTasks, suitesByTask, type ResolvedSuite } from '../suites/index.ts'
import { loadTasks } from './specs.ts'
import { requiredSuites } from './suites.ts'
import { didYouMean, UserError } from './user-error.ts'

/** Of one source. */
const maxBytes = 1 << 20

const sourcesIn = (folder: string, isOne: (name: string) => boolean): { name: string; text: string }[] =>
  listBelow(folder)
    .filter(({ name, kind }) => kind === 'file' && isOne(name))
    .map(({ name }) => ({ name, text: readRegular(join(folder, name), maxBytes).toString('utf8') }))

const isSource = (name: string): boolean => /\.(?:h|hpp|cpp)$/.test(name)

/**
 * The tasks of some suites with what must not be learned of them: what prompts say, and their baselines. Headers that baselines share are
 * protected each by itself.
 */
export async function protectedTasks(suites: readonly ResolvedSuite[]): Promise<ProtectedTask[]> {
  const { tasks, broken } = await loadTasks(suites)
  for (const line of broken) console.error(neutralText(line))
  const shared = sharedTasks(suitesByTask(suites))
  const prompter = createPrompter()
  const found: ProtectedTask[] = []
  for (const task of tasks) {
    const { suite, name } = task.interface
    const options = { mode: 'full', shapes: 'dynamic', soc: defaultSoc, cardTokens: 0 } as const
    const { messages } = await prompter.first(task, options)
    const words = messages.filter(({ role }) => role === 'user').map(({ content }) => content)
    found.push({
      suite,
      task: name,
      words: [task.description ?? [], words].flat(),
      code: [...baselineCode(task.interface, suites, shared), ...programOf(name)],
    })
  }
  const folders = new Map(suites.flatMap(({ name, baseline }) => (baseline === null ? [] : [[baseline, name]])))
  for (const [baseline, suite] of folders) {
    const common = join(baseline, 'common')
    if (!existsSync(common)) continue
    for (const { name, text } of sourcesIn(common, isSource))
      found.push({ suite, task: `common/${name}`, words: [], code: [text] })
  }
  return found
}

/** The program of the DSL that comes with the package, of a task that has one. */
function programOf(name: string): string[] {
  const path = join(packagedPrograms, `${name}.npu.ts`)
  return existsSync(path) ? [readRegular(path, maxBytes).toString('utf8')] : []
}

function baselineCode(
  task: { suite: string; name: string },
  suites: readonly ResolvedSuite[],
  shared: Parameters<typeof baselineOf>[2],
): string[] {
  const sample = baselineOf(task, suites, shared)
  if (!sample) return []
  if (sample.program !== undefined) return [readRegular(sample.program, maxBytes).toString('utf8')]
  return sourcesIn(sample.root, isSource).map(({ text }) => text)
}

/** What finds the tasks of suites in rows, by the option --benchmarks; undefined where none is protected. Throws a UserError. */
export async function benchmarksOf(
  given: string | undefined,
  tasks: string | undefined,
): Promise<Decontamination | undefined> {
  if (given === 'none') return undefined
  const known = await requiredSuites(tasks)
  const names = given?.split(',').map((each) => each.trim())
  const unknown = names?.find((name) => known.every((suite) => suite.name !== name))
  if (unknown !== undefined) {
    const all = known.map(({ name }) => name)
    throw new UserError(
      `--benchmarks ${unknown}: there is none${didYouMean(unknown, all)}; there are ${all.join(', ')}, none`,
    )
  }
  return new Decontamination(await protectedTasks(known.filter(({ name }) => names?.includes(name) ?? true)))
}
