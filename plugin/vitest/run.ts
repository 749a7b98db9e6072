import { randomInt } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'
import type { Vitest } from 'vitest/node'
import { realPath } from '../candidates/index.ts'
import { ledgerOf, type LedgerEntry } from '../ledger/index.ts'
import type { ConfinementLayer, Target } from '../model/index.ts'
import { KernelService, type EarlierArgs } from '../service/index.ts'
import { baselineOf, defaultHostOf } from '../suites/index.ts'
import { SampleBasis } from './basis.ts'
import type { WorkerOptions } from './meta.ts'
import type { ResolvedOptions } from './options.ts'
import { prefetchInOrder } from './prefetch.ts'
import { relateCandidates } from './related.ts'
import { runGateOf } from './run-gate.ts'
import { runSuites, type RunSuites } from './run-suites.ts'
import { NpuReporter } from './reporter.ts'
import { resumedRun, runSettings } from './resume.ts'
import { nameSamples } from './sample-names.ts'
import { SpecCandidates } from './spec-candidates.ts'
import { declaredTags } from './tags.ts'
import { conditionsOf, TaskDigests } from './task-digest.ts'
import { readVendorFigures } from './vendor-figures.ts'

/** What lives as long as one Vitest instance, however many projects it has. */
export interface Run {
  service: KernelService
  started: Promise<void>
  worker: WorkerOptions
  /** the file that the verdicts of this run are written to */
  ledger: () => string
}

// Vitest loads a coverage provider in a way of its own: where the package is linked there are two copies of this module.
const key = Symbol.for('vitest-npu.runs')
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nobody else knows the symbol
const shared = globalThis as { [key]?: WeakMap<Vitest, Run> }
const runs = (shared[key] ??= new WeakMap<Vitest, Run>())

/** The run of a Vitest instance; undefined before it begins, and where the plugin is not used. */
export const runOf = (vitest: Vitest): Run | undefined => runs.get(vitest)

/** Ends what `startRun` has begun. */
export async function endRun(vitest: Vitest): Promise<void> {
  const run = runs.get(vitest)
  runs.delete(vitest)
  await run?.service.close()
}

/** Variables that decide which candidate runs on what; the seed is added where it matters. */
const reproducedVariables = ['NPU_CANDIDATES', 'NPU_TARGET', 'NPU_SOC', 'NPU_WARNINGS']

/** Absolute paths of the folders that hold candidates. */
export const candidateFolders = ({ candidates }: ResolvedOptions, root: string): string[] =>
  [candidates].flat().map((folder) => resolve(root, folder))

/** What candidates run on, as the options say. */
export function targetOf(
  options: ResolvedOptions,
  root: string,
  { suites, shared }: Pick<RunSuites, 'suites' | 'shared'>,
  onProgress: (line: string) => void,
): Target {
  const { soc, cann, jobs, launchTimeoutMs, compileTimeoutMs, memoryLimitMiB, allowWeakConfinement } = options
  return options.target.create({
    cacheDir: resolve(root, options.cacheDir),
    soc,
    cann,
    jobs,
    launchTimeoutMs,
    compileTimeoutMs,
    memoryLimitMiB,
    allowWeakConfinement,
    defaultHost: (task) => defaultHostOf(task, suites, shared),
    onProgress,
  })
}

/** Why nothing runs on a machine that lacks layers of the confinement, where not all of them may be missing. */
export function confinementRefusal(
  missing: readonly ConfinementLayer[],
  allowed: readonly ConfinementLayer[],
  unconfined?: string,
): string | undefined {
  const refused = missing.filter((layer) => !allowed.includes(layer))
  if (refused.length === 0) return undefined
  const layers = refused.map((layer) => `'${layer}'`).join(', ')
  const why = unconfined ?? `this machine has no ${refused.join(' and no ')}, without which no candidate is run`
  return `${why}: nothing is judged; allowWeakConfinement: [${layers}] does without, for kernels of your own alone`
}

/** Starts the service and hooks it to the Vitest instance; synchronous, as projects are configured in parallel. */
export function startRun(vitest: Vitest, options: ResolvedOptions): Run {
  const { root } = vitest.config
  const { jobs, launchTimeoutMs } = options
  const cacheDir = resolve(root, options.cacheDir)
  const interfaces = join(cacheDir, 'interfaces')
  const folders = candidateFolders(options, root)
  const { suites, shared, tasks } = runSuites(options, root)
  const candidates = new SpecCandidates(folders, { suites, shared, tasks, model: options.model })
  const digests = new TaskDigests(vitest, { conditions: conditionsOf(options) })
  const resumed = resumedRun(options, resolve(root, options.runs))
  const seed = options.seed ?? resumed?.seed ?? randomInt(2 ** 31)
  const digestOf = (spec: string, project: string): string | null => digests.of(spec, project)
  const target = targetOf(options, root, { suites, shared }, (line) => reporter.progress(line))
  const vendorFigures = readVendorFigures(resolve(root, options.vendorFigures), target.description.soc)
  const basis = new SampleBasis({
    digestOf,
    target,
    baselineOf: (task) => baselineOf(task, suites, shared),
    vendorFigures,
  })
  const reporter: NpuReporter = new NpuReporter({
    ledger: options.ledger,
    runs: options.runs,
    settings: runSettings(options, seed),
    earlier: resumed?.earlier,
    basisOf: (task) => basis.of(task),
    ignored: () => candidates.ignored,
    suites,
    ...(options.namesCandidates && { named: { folders, found: () => candidates.found.samples.length } }),
  })
  reporter.gate = runGateOf(options.gate, vitest.config, { ...target.description, profile: options.profile })
  const refusalOf = (missing: readonly ConfinementLayer[]): string | undefined => {
    const line = confinementRefusal(missing, options.allowWeakConfinement, target.description.unconfined)
    if (line === undefined) return undefined
    reporter.refuse(line)
    void vitest.cancelCurrentRun('test-failure')
    return line
  }
  const earlierOf = ({
    model,
    suite,
    task,
    sample,
    spec,
    project,
    ...built
  }: EarlierArgs): readonly LedgerEntry[] | null => {
    const digest = basis.of({ suite, task, spec, project })
    return (
      resumed?.earlier.find({ model, suite, task, sample }, digest === null ? undefined : { ...built, digest }) ?? null
    )
  }
  const service = new KernelService({ target, cacheDir, jobs, digestOf, refusalOf, earlierOf })

  vitest.config.reporters.push(reporter, { onTestRunEnd: () => digests.close() })
  prefetchInOrder(vitest, service, candidates, interfaces)
  relateCandidates(vitest.config, (files) => candidates.specsOfAll(files))
  // candidates are watched and never imported: what they hold is not for this process to run
  if (vitest.config.watch) vitest.vite.watcher.add(folders.map(realPath))
  vitest.config.watchTriggerPatterns = [
    ...(vitest.config.watchTriggerPatterns ?? []),
    { pattern: /\.(cpp|cc|cxx|h|hpp|inl)$/, testsToRun: (file) => candidates.specsOf(resolve(root, file)) },
  ]
  const worker: WorkerOptions = {
    root,
    socket: service.path,
    candidates: folders,
    suites,
    shared,
    tasks,
    target: target.description.name,
    soc: target.description.soc,
    seed,
    namedSeed: options.seed ?? resumed?.namedSeed,
    resumes: resumed !== undefined,
    remember: options.remember,
    fuzzRuns: options.fuzzRuns,
    fuzzBudgetMs: options.fuzzBudgetMs,
    narrowDevices: options.narrowDevices && target.description.narrows === true,
    guided: options.guided,
    launchTimeoutMs,
    latencyIterations: options.latencyIterations,
    timesInTurn: target.measure !== undefined,
    latencyCase: options.latencyCase,
    vendorFigures,
    timeline: options.timeline,
    maxElements: options.maxElements,
    corpus: resolve(root, options.corpus),
    run: dirname(ledgerOf(resolve(root, options.runs), reporter.id)),
    // one more than there are devices: while its inputs are drawn, the others launch
    samplesAtOnce: jobs + 1,
    profile: options.profile,
    warnings: options.warnings,
    interfaces,
    tags: declaredTags(suites),
    model: options.model,
    environment: reproducedVariables.flatMap((name) => (process.env[name] ? [`${name}=${process.env[name]}`] : [])),
  }
  const started = Promise.all([service.start(), nameSamples(vitest)]).then(() => {})
  const run: Run = { service, started, worker, ledger: () => reporter.ledgerPath }
  runs.set(vitest, run)
  return run
}
