import { writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { findSamples } from '../candidates/index.ts'
import { FileError, makeFolder } from '../files/index.ts'
import { exitCodes, neutralText, sampleTitle, type Sample } from '../model/index.ts'
import { htmlOf } from '../mutation/html.ts'
import { machineOf, type RunMachine } from '../mutation/machine.ts'
import { judgeOriginal, NotCleanError, type PassedOriginal } from '../mutation/original.ts'
import { countsOf, isPartial, missedThreshold, reportOf, type MutationRun } from '../mutation/report.ts'
import { judgeMutants, type JudgedMutant } from '../mutation/run.ts'
import { mutantsOf, type NamedMutant } from '../mutation/selection.ts'
import { describeMutant, textOf } from '../mutation/text.ts'
import { folderAround, Workspace } from '../mutation/workspace.ts'
import { ServiceClient } from '../service/client.ts'
import { KernelService } from '../service/index.ts'
import { baselineOf } from '../suites/index.ts'
import type { KernelTask } from '../task/index.ts'
import { Corpus } from '../vitest/corpus.ts'
import { latencyCaseOf } from '../vitest/latency-case.ts'
import type { ResolvedOptions } from '../vitest/options.ts'
import { candidateFolders, confinementRefusal, targetOf } from '../vitest/run.ts'
import { runSuites, type RunSuites } from '../vitest/run-suites.ts'
import { packageVersion } from '../files/index.ts'
import { mutateOptionsOf, type MutateOptions } from './mutate-options.ts'
import { loadTask } from './specs.ts'
import { configurationOf } from './suites.ts'
import { didYouMean, messageOf, UserError } from './user-error.ts'

/** Milliseconds between two lines of progress. */
const progressEveryMs = 10_000

/** What the mutants of a command are made and judged with. */
interface Project {
  root: string
  options: ResolvedOptions
  suites: RunSuites
  task: KernelTask
  sample: Sample
  seed: number
}

/** `mutate`: edits a kernel and tells what its cases do not notice. */
export async function mutateCommand(args: readonly string[]): Promise<void> {
  const asked = mutateOptionsOf(args)
  if (!asked) return
  const project = await projectOf(asked, process.cwd())
  const { sample } = project
  const base = folderAround(sample)
  const mutants = await chosenMutants(asked, project, base)
  if (mutants.length === 0)
    throw new UserError(`no edit of ${relative(process.cwd(), sample.kernelDir)} is chosen; see --mutate and --kinds`)
  if (asked.dryRun) return list(mutants)
  const { run, stopped } = await judged(asked, project, { base, mutants })
  write(run, asked)
  const missed = missedThreshold(countsOf(run.mutants), asked.thresholdBreak)
  if (stopped !== undefined) process.exitCode = stopped
  else if (missed !== undefined) {
    console.error(missed)
    const unjudged = run.mutants.some(({ status }) => status === 'RuntimeError')
    process.exitCode = unjudged ? exitCodes.infrastructure : exitCodes.gate
  }
}

async function chosenMutants(
  { patterns, kinds, every, count }: MutateOptions,
  { sample, seed }: Project,
  base: string,
): Promise<NamedMutant[]> {
  try {
    return await mutantsOf(sample, base, { patterns, kinds, every, sample: count, seed }, process.cwd())
  } catch (error) {
    // what a build would refuse as well
    if (error instanceof FileError) throw new UserError(neutralText(`${sampleTitle(sample)}: ${error.message}`))
    throw error
  }
}

function list(mutants: readonly NamedMutant[]): void {
  for (const mutant of mutants) console.log(describeMutant({ mutant, status: 'Pending' }))
  console.log(`${mutants.length} mutants`)
}

async function projectOf(asked: MutateOptions, folder: string): Promise<Project> {
  const { root, options } = await configured(asked, folder)
  const suites = runSuites(options, root)
  const task = await loadTask(suites.suites, asked.task)
  const sample = sampleOf(task, asked.sample, { root, options, suites })
  return { root, options, suites, task, sample, seed: asked.seed ?? options.seed ?? 0 }
}

/** The options of the configuration, or those of a project without one. */
async function configured({ tasks }: MutateOptions, folder: string): Promise<Pick<Project, 'root' | 'options'>> {
  const { root, options } = await configurationOf(folder)
  return { root, options: tasks === undefined ? options : { ...options, tasks: resolve(folder, tasks) } }
}

/** The candidate of that name; without one the baseline, or the only candidate. */
function sampleOf(
  task: KernelTask,
  name: string | undefined,
  { root, options, suites: { suites, shared, tasks } }: Pick<Project, 'root' | 'options' | 'suites'>,
): Sample {
  const baseline = name === undefined ? baselineOf(task.interface, suites, shared) : undefined
  // of a program there are no sources to edit
  if (baseline && baseline.program === undefined) return baseline
  const folders = candidateFolders(options, root)
  const { samples, ignored } = findSamples(folders, { suites, shared, tasks, task: task.interface })
  const found =
    name === undefined && samples.length === 1 ? samples[0] : samples.find((each) => sampleTitle(each) === name)
  if (found) return found
  const names = samples.map(sampleTitle)
  const there = names.length > 0 ? `there are ${names.join(', ')}` : 'there is none'
  const places = folders.map((each) => relative(root, each) || each).join(' and ')
  const reasons = ignored.map(({ path, reason }) => `; ${path} ${reason}`).join('')
  const what =
    name === undefined ? `${task.interface.name} has no baseline: name a sample` : `no sample is called ${name}`
  throw new UserError(neutralText(`${what}${didYouMean(name ?? '', names)}; in ${places} ${there}${reasons}`))
}

interface Plan {
  base: string
  mutants: readonly NamedMutant[]
}

/** Judges the kernel, then its mutants. `stopped` is the exit code where a signal has ended it. */
async function judged(
  { concurrency, thresholdBreak }: MutateOptions,
  project: Project,
  { base, mutants }: Plan,
): Promise<{ run: MutationRun; stopped: number | undefined }> {
  const { root, options, suites, task, sample, seed } = project
  const abort = new AbortController()
  const { signal } = abort
  let stopped: number | undefined
  const stop = (name: NodeJS.Signals): void => {
    stopped = 128 + (name === 'SIGINT' ? 2 : 15)
    // the second time at once
    process.once(name, () => process.exit(stopped))
    abort.abort()
  }
  const target = targetOf(options, root, suites, (line) => console.log(line))
  const service = new KernelService({
    target,
    cacheDir: resolve(root, options.cacheDir),
    jobs: options.jobs,
    refusalOf: (missing) => confinementRefusal(missing, options.allowWeakConfinement, target.description.unconfined),
  })
  const workspaces: Workspace[] = []
  const removeCopies = (): void => workspaces.forEach((workspace) => workspace.close())
  await service.start()
  const client = new ServiceClient(service.path)
  process.once('exit', removeCopies)
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stop)
  try {
    const { profile, warnings, soc, latencyCase, maxElements } = options
    const timed = latencyCaseOf(task.staticCases, { latencyCase, fixedCase: sample.fixedCase, maxElements })
    const machine = machineOf({ task, service, client, rules: { profile, warnings, soc, latencyCase: timed }, signal })
    const original = await originalOf(machine, project, target.description.narrows === true, signal).catch(
      (error: unknown) => {
        if (signal.aborted) return undefined
        throw error
      },
    )
    const common = {
      task: task.interface.name,
      sample: sampleTitle(sample),
      root,
      seed,
      version: packageVersion(),
      thresholdBreak,
    }
    if (!original) {
      const pending = mutants.map((mutant): JudgedMutant => ({ mutant, status: 'Pending', coveredBy: [], ms: 0 }))
      return { run: { ...common, cases: [], mutants: pending }, stopped }
    }
    console.log(
      `${task.interface.name} ${neutralText(sampleTitle(sample))}: right on ${original.cases.length} cases; ${mutants.length} mutants`,
    )
    for (let i = 0; i < Math.min(concurrency ?? options.jobs, mutants.length); i++)
      workspaces.push(
        new Workspace(base, [sample.root, ...(sample.repository === undefined ? [] : [sample.repository])]),
      )
    const onJudged = progress(mutants.length)
    const done = await judgeMutants({ machine, original, sample, workspaces, signal, onJudged }, mutants)
    return { run: { ...common, cases: original.cases, mutants: done }, stopped }
  } finally {
    client.close()
    await service.close()
    removeCopies()
    process.off('exit', removeCopies)
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, stop)
  }
}

async function originalOf(
  machine: RunMachine,
  { task, sample, options, root, seed }: Project,
  narrows: boolean,
  signal: AbortSignal,
): Promise<PassedOriginal> {
  const { fuzzRuns, fuzzBudgetMs, maxElements, guided } = options
  const narrowDevices = options.narrowDevices && narrows
  try {
    const { cases: corpus } = new Corpus(resolve(root, options.corpus), task).read()
    const settings = { seed, fuzzRuns, fuzzBudgetMs, maxElements, corpus, narrowDevices, guided }
    return await judgeOriginal(machine, sample, settings, signal)
  } catch (error) {
    if (signal.aborted) throw error
    const name = `${task.interface.name} ${sampleTitle(sample)}`
    if (error instanceof NotCleanError)
      throw new UserError(
        neutralText(`${name} itself is ${error.message}: mutants of a kernel that is wrong say nothing`),
        error.verdict.kind === 'infrastructure' ? exitCodes.infrastructure : exitCodes.failed,
      )
    throw new UserError(neutralText(`${name} cannot be judged: ${messageOf(error)}`), exitCodes.infrastructure)
  }
}

/** Tells now and then how far it is. */
function progress(all: number): (judged: JudgedMutant) => void {
  let [done, left, last] = [0, 0, performance.now()]
  return ({ status }) => {
    done++
    if (status === 'Survived' || status === 'NoCoverage') left++
    if (performance.now() - last < progressEveryMs) return
    last = performance.now()
    console.log(`${done} of ${all} mutants, ${left} not noticed`)
  }
}

function write(run: MutationRun, { reporters, reportsDir }: MutateOptions): void {
  if (reporters.includes('text')) console.log(textOf(run))
  else if (isPartial(run)) console.log('partial: the run was stopped')
  const report = reportOf(run)
  const files = [
    { reporter: 'json', name: 'mutation.json', text: () => `${JSON.stringify(report, undefined, 1)}\n` },
    { reporter: 'html', name: 'mutation.html', text: () => htmlOf(report) },
  ] as const
  const folder = resolve(reportsDir)
  try {
    for (const { reporter, name, text } of files) {
      if (!reporters.includes(reporter)) continue
      makeFolder(folder)
      writeFileSync(join(folder, name), text())
      console.log(relative(process.cwd(), join(folder, name)))
    }
  } catch (error) {
    throw new UserError(`--reports-dir ${reportsDir}: cannot be written: ${messageOf(error)}`)
  }
}
