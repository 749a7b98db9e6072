import { relative, resolve } from 'node:path'
import type { Reporter, TestCase, TestModule, TestSpecification, TestSuite, Vitest } from 'vitest/node'
import type { GateResult, LedgerEntry } from '../ledger/index.ts'
import type { EarlierRun } from '../ledger/earlier-run.ts'
import { newRunId } from '../ledger/runs.ts'
import { LedgerWriter } from '../ledger/writer.ts'
import { SourceStore } from '../ledger/sources.ts'
import { neutralText, type Ignored } from '../model/index.ts'
import { candidateSources, type SourcePlaces } from '../service/index.ts'
import { npuKernelBench, ownSpecs } from '../suites/index.ts'
import { entriesOf, entryOf, judgedIn, leftOutOf } from './entries.ts'
import { exitCodeOf, exitWith, failuresOf, type RunOutcome } from './exit.ts'
import { generatedOnlyNote } from './generated-only.ts'
import { kernelAnnotations, raceAnnotations } from './github.ts'
import './meta.ts'
import { foldFailures } from './same-defect.ts'
import { Progress, type Specs } from './progress.ts'
import { stepSummary, writeStepSummary } from './step-summary.ts'
import { askGate, lostOf, type RunGate } from './run-gate.ts'
import type { BasisTask } from './basis.ts'
import { cutShortNote, footnote, renderText, type Table } from '../ledger/table.ts'
import { implausibleNote, rememberedNote, summaryTables, unreachedNote, type KnownSuite } from './summary.ts'

/** Options of the reporter; `npuKernels()` sets them. */
export interface NpuReporterOptions {
  /** file that shows the ledger of the latest run, relative to the root */
  ledger?: string
  /** folder that keeps the ledger of each run, relative to the root */
  runs?: string
  /** what the run is begun with, kept beside its ledger for whoever continues it */
  settings?: Readonly<Record<string, unknown>>
  /** the run that is continued */
  earlier?: EarlierRun | undefined
  /** names what the lines of a sample follow from beside its sources; null: nobody can tell */
  basisOf?: (task: BasisTask) => string | null
  /** folders that look like candidates and are not judged, asked for when the run starts */
  ignored?: () => readonly Ignored[]
  /** the folders of candidates that somebody has named, and how many samples are in them */
  named?: { folders: readonly string[]; found: () => number }
  /** the suites of the run, for the order and the names of the closing table */
  suites?: readonly KnownSuite[]
}

/** Reporters whose output other programs read from stdout, unless a file is named for it. */
const machineReporters = new Set(['json', 'junit', 'tap', 'tap-flat'])

/** Ignored folders named one by one. */
const shownIgnored = 5

/**
 * Writes the ledger and closes a run with a table of rates and speedups. It works from `task.meta` alone, and so also
 * under `--merge-reports`. Where another reporter owns stdout it writes to stderr.
 */
export class NpuReporter implements Reporter {
  /** what the run has to keep */
  gate: RunGate | undefined
  readonly #options: NpuReporterOptions
  readonly #id: string
  #vitest: Vitest | undefined
  #ledger: LedgerWriter | undefined
  #sources: SourceStore | undefined
  #stdout = true
  #progress: Progress | undefined
  #specs: Specs = { begun: 0, done: 0, all: 0 }
  /** of the specs that workers have begun */
  #tests = 0
  #saidIgnored = ''
  #ledgerFailed = false
  /** entries of every module of this session: a rerun in watch mode replaces those of its own modules only */
  readonly #known = new Map<string, LedgerEntry[]>()
  #firstRun = true
  /** by module that is under way: its tests, and the first one whose line has not been considered */
  readonly #order = new Map<string, { groups: readonly TestCase[][]; next: number }>()
  /** ids of the tests that the ledger has a line of */
  readonly #written = new Set<string>()
  #refusal: RunOutcome['refusal']

  constructor(options: NpuReporterOptions = {}) {
    this.#options = options
    this.#id = options.earlier?.id ?? newRunId()
  }

  /** Names the run that is reported. */
  get id(): string {
    return this.#id
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
    this.#stdout = !ownsStdout(vitest)
    const { root } = vitest.config
    const { ledger = '.npu/ledger.jsonl', runs = '.npu/runs', settings, earlier } = this.#options
    const place = { shown: resolve(root, ledger), runs: resolve(root, runs) }
    this.#ledger = new LedgerWriter(place, { settings, id: this.#id })
    this.#sources = new SourceStore(this.#ledger.path)
    if (earlier) this.progress(`the run ${earlier.id} is continued: ${earlier.size} samples are judged`)
  }

  /** The file that the verdicts of this run are written to. */
  get ledgerPath(): string {
    return this.#ledger?.path ?? ''
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#progress = new Progress(performance.now(), process.stdout.isTTY && !process.env['CI'])
    this.#specs = { begun: 0, done: 0, all: specifications.length }
    this.#tests = 0
  }

  /** A line about work that takes long, e.g. the first build of the emulator. */
  progress(line: string): void {
    this.#say(dim(`npu: ${line}`))
  }

  /** The one line that a run ends with which judges nothing. */
  refuse(line: string, refusal: RunOutcome['refusal'] = 'infrastructure'): void {
    this.#refusal = refusal
    this.#say(`npu: ${line}`)
  }

  onTestCaseResult(test: TestCase): void {
    if (this.#firstRun) this.#appendInOrder(test.module)
    const now = performance.now()
    this.#progress?.count(now, entryOf(test))
    const line = this.#progress?.line(now, this.#tests, this.#specs)
    if (line !== undefined) this.progress(neutralText(line))
  }

  onTestModuleCollected(module: TestModule): void {
    this.#specs.begun++
    this.#tests += [...module.children.allTests()].length
  }

  onTestModuleEnd(module: TestModule): void {
    this.#specs.done++
    foldFailures(module)
    if (this.#firstRun) {
      this.#appendInOrder(module)
      this.#order.delete(module.id)
      // a worker that is gone has left some pending between others
      for (const group of groupsOf(module))
        if (group.every((test) => test.result().state !== 'pending')) this.#appendTests(group)
    }
    // before those of Vitest, which come at the end: GitHub shows the first ten of a step
    if (isOnGitHub()) for (const command of kernelAnnotations(module)) this.#say(`\n${command}`)
    this.#keepSources(module)
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[] = [], reason = 'passed'): void {
    // Vitest has an error where it is a worker that is gone
    const isCancelled = reason === 'interrupted' && errors.length === 0
    // the tables are of what this run was asked for
    const entries = modules.flatMap((module) => entriesOf(module, isCancelled))
    const lines = modules.flatMap((module) => linesOf(module, isCancelled))
    const isWatching = this.#vitest?.config.watch === true
    if (isWatching)
      for (const module of modules)
        this.#known.set(`${module.project.name}\0${module.moduleId}`, linesOf(module, isCancelled))
    const isFirst = this.#firstRun
    this.#firstRun = false
    // what `bail` has left out was asked for
    const isCut = (this.#vitest?.config.bail ?? 0) > 0 && !this.#vitest?.config.testNamePattern
    const counted = isCut ? lines : entries
    const tables = summaryTables(counted, this.#options.suites ?? [npuKernelBench, ownSpecs])
    if (entries.length > 0) this.#close(modules, { entries, tables, isFirst, isCancelled })
    if (!this.#vitest || this.#vitest.config.watch) return
    this.#missNamed(entries)
    const { gate } = this
    const asked = gate && askGate(gate, modules, lines)
    for (const line of asked?.lines ?? []) this.#say(line)
    const run = { unhandled: errors.length, isInterrupted: reason === 'interrupted', vitest: this.#vitest }
    if (entries.length > 0 || asked) this.#writeStepSummary(tables, entries, asked?.result)
    const failures = gate?.options.failures
    exitWith(
      exitCodeOf({
        entries,
        isLedgerLost: this.#ledgerFailed,
        gate: asked?.result,
        failures,
        refusal: this.#refusal,
        ...failuresOf(modules, run),
      }),
    )
  }

  /** Whoever names candidates means that there are some; a shard may well be without. */
  #missNamed(entries: readonly LedgerEntry[]): void {
    const { named } = this.#options
    const isNobody = entries.every(({ sample }) => sample === null)
    if (!named || !isNobody || !entries.some(({ verdict }) => verdict.kind === 'no-candidate')) return
    const found = named.found()
    if (this.#vitest?.config.shard && found > 0) return
    const places = named.folders.map((folder) => shown(this.#vitest?.config.root ?? '', folder)).join(' and ')
    const which = found === 0 ? 'there is none' : `none of its ${found} is one for the tasks of this run`
    this.refuse(`candidates are asked for in ${places}, and ${which}: nothing was judged`, 'usage')
  }

  /** The ledger, the tables, and what stands below them. */
  #close(
    modules: readonly TestModule[],
    {
      entries,
      tables,
      isFirst,
      isCancelled,
    }: { entries: readonly LedgerEntry[]; tables: readonly Table[]; isFirst: boolean; isCancelled: boolean },
  ): void {
    const lost = modules.flatMap(lostOf)
    if (isFirst) {
      for (const group of modules.flatMap(groupsOf)) this.#appendTests(group, isCancelled)
      this.#write((ledger) => ledger.finish(undefined, lost))
      this.#write(() => this.#options.earlier?.finish())
    } else this.#write((ledger) => ledger.finish([...this.#known.values()].flat(), lost))
    this.#sayIgnored()
    const notes = notesOf(entries).map((line) => dim(`  ${line}`))
    this.#say(`\n${renderText(tables)}\n${notes.join('\n')}\n`)
    if (this.#ledgerFailed) this.#say(`npu: verdicts of this run are missing in its ledger, which could not be written`)
    if (isOnGitHub()) for (const command of raceAnnotations(entries)) this.#say(`\n${command}`)
  }

  /**
   * Adds the lines of samples of which every test has ended, up to the first one that is under way: samples of a task are judged at
   * the same time, and their lines come in the order of the spec. Those of a sample come all at once, so that nobody takes a
   * part of it for the whole.
   */
  #appendInOrder(module: TestModule): void {
    const order = this.#order.get(module.id) ?? { groups: groupsOf(module), next: 0 }
    this.#order.set(module.id, order)
    for (
      let group = order.groups[order.next];
      group?.every((test) => test.result().state !== 'pending');
      group = order.groups[order.next]
    ) {
      this.#appendTests(group)
      order.next++
      const parent = group[0]?.parent
      if (parent?.type === 'suite') this.#noteSample(parent)
    }
  }

  /** Notes that a sample was judged to its end, for whoever continues this run. */
  #noteSample(suite: TestSuite): void {
    const judged = judgedIn(suite)
    if (!judged) return
    const { built, ...sample } = judged
    const { moduleId, project } = suite.module
    const task = { suite: sample.suite, task: sample.task, spec: moduleId, project: project.name }
    const digest = this.#options.basisOf?.(task) ?? null
    if (digest !== null) this.#write((ledger) => ledger.noteSample({ ...sample, basis: { ...built, digest } }))
  }

  /** Adds what the tests of a sample say, if they have no lines yet. */
  #appendTests(tests: readonly TestCase[], isCancelled = false): void {
    const fresh = tests.filter(({ id }) => !this.#written.has(id))
    if (fresh.length === 0) return
    for (const { id } of fresh) this.#written.add(id)
    const entries = fresh.flatMap((test) => (test.meta().npu?.resumed ? [] : (entryOf(test, isCancelled) ?? [])))
    const lines = [...entries, ...leftOutOf(tests, isCancelled)]
    if (lines.length > 0) this.#write((ledger) => ledger.append(lines))
  }

  #sayIgnored(): void {
    const ignored = this.#options.ignored?.() ?? []
    const root = this.#vitest?.config.root ?? ''
    const lines = ignored
      .slice(0, shownIgnored)
      .map(({ path, reason }) => `  not a candidate: ${shown(root, path)} (${reason})`)
    if (ignored.length > shownIgnored) lines.push(`  and ${ignored.length - shownIgnored} more folders`)
    const text = lines.join('\n')
    if (text !== '' && text !== this.#saidIgnored) this.#say(dim(`\n${text}`))
    this.#saidIgnored = text
  }

  /** What the samples of a module have written is kept beside the ledger, as far as there is room. */
  #keepSources(module: TestModule): void {
    const candidates = new Map<string, SourcePlaces>()
    for (const test of module.children.allTests()) {
      const { sources, places } = test.meta().npu ?? {}
      if (sources !== undefined && places !== undefined) candidates.set(sources, places)
    }
    try {
      for (const [hash, places] of candidates) {
        if (this.#sources?.has(hash) !== false) continue
        const found = candidateSources(places)
        // an editor may have saved meanwhile
        if (found?.hash === hash) this.#sources.keep(hash, found.files)
      }
    } catch (error) {
      this.#sources = undefined
      const message = error instanceof Error ? error.message : String(error)
      this.#say(`npu: the sources of the candidates cannot be kept, reports will be without them: ${message}`)
    }
  }

  /** A ledger that cannot be written is said at once, and where the run ends: what is judged meanwhile is told all the same. */
  #write(work: (ledger: LedgerWriter) => void): void {
    if (!this.#ledger || this.#ledgerFailed) return
    try {
      work(this.#ledger)
    } catch (error) {
      this.#ledgerFailed = true
      this.#say(
        `npu: the ledger ${this.#ledger.path} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }

  #writeStepSummary(tables: readonly Table[], entries: readonly LedgerEntry[], gate: GateResult | undefined): void {
    try {
      writeStepSummary(() => stepSummary(entries, { tables, notes: notesOf(entries), gate }))
    } catch (error) {
      this.#say(`npu: the job summary cannot be written: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  #say(text: string): void {
    if (!this.#vitest) return
    if (this.#stdout) this.#vitest.logger.log(text)
    else this.#vitest.logger.error(text)
  }
}

export default NpuReporter

const isOnGitHub = (): boolean => process.env['GITHUB_ACTIONS'] === 'true'

/** What the ledger holds of a module. */
const linesOf = (module: TestModule, isCancelled: boolean): LedgerEntry[] =>
  groupsOf(module).flatMap((tests) => [
    ...tests.flatMap((test) => entryOf(test, isCancelled) ?? []),
    ...leftOutOf(tests, isCancelled),
  ])

/** The tests of each sample, and those of none. */
function groupsOf(module: TestModule): TestCase[][] {
  const groups = new Map<unknown, TestCase[]>()
  for (const test of module.children.allTests()) {
    const group = groups.get(test.parent)
    if (group) group.push(test)
    else groups.set(test.parent, [test])
  }
  return [...groups.values()]
}

/** What stands below the table. */
const notesOf = (entries: readonly LedgerEntry[]): string[] => [
  footnote(entries),
  ...generatedOnlyNote(entries),
  ...cutShortNote(entries),
  ...implausibleNote(entries),
  ...unreachedNote(entries),
  ...rememberedNote(entries),
]

/** Does a reporter for programs write to stdout in this run? */
function ownsStdout({ config }: Vitest): boolean {
  const { outputFile, reporters } = config
  return reporters.some((reporter) => {
    const [name, options] = Array.isArray(reporter) ? reporter : [reporter, {}]
    if (typeof name !== 'string' || !machineReporters.has(name)) return false
    const files = typeof outputFile === 'object' ? Object.entries(outputFile) : [[name, outputFile]]
    const hasFile = files.some(([reporterName, file]) => reporterName === name && file)
    return !hasFile && !(options && 'outputFile' in options && options.outputFile)
  })
}

const shown = (root: string, path: string): string => {
  const inside = relative(root, path)
  return inside.startsWith('..') ? path : inside
}

const dim = (text: string): string =>
  process.stdout.isTTY && !process.env['NO_COLOR'] ? `\u001B[2m${text}\u001B[22m` : text
