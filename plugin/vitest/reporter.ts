import { appendFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Reporter, TestModule, TestSpecification, Vitest } from 'vitest/node'
import type { LedgerEntry } from '../ledger/index.ts'
import { LedgerWriter } from '../ledger/writer.ts'
import { SourceStore } from '../ledger/sources.ts'
import type { Ignored } from '../model/index.ts'
import { candidateSources, type SourcePlaces } from '../service/index.ts'
import { npuKernelBench, ownSpecs } from '../suites/index.ts'
import { entriesOf, leftOutOf } from './entries.ts'
import { generatedOnlyNote } from './generated-only.ts'
import { raceAnnotations } from './github.ts'
import './meta.ts'
import { footnote, renderMarkdown, renderText, type Table } from '../ledger/table.ts'
import { implausibleNote, rememberedNote, summaryTables, unreachedNote, type KnownSuite } from './summary.ts'

/** Options of the reporter; `npuKernels()` sets them. */
export interface NpuReporterOptions {
  /** file that shows the ledger of the latest run, relative to the root */
  ledger?: string
  /** folder that keeps the ledger of each run, relative to the root */
  runs?: string
  /** folders that look like candidates and are not judged, asked for when the run starts */
  ignored?: () => readonly Ignored[]
  /** the suites of the run, for the order and the names of the closing table */
  suites?: readonly KnownSuite[]
}

/** Reporters whose output other programs read from stdout, unless a file is named for it. */
const machineReporters = new Set(['json', 'junit', 'tap', 'tap-flat'])

/** Milliseconds between two progress lines where no live window shows progress. */
const progressEveryMs = 10_000
/** Ignored folders named one by one. */
const shownIgnored = 5

/**
 * Writes the ledger and closes a run with a table of rates and speedups. It works from `task.meta` alone, and so also
 * under `--merge-reports`. Where another reporter owns stdout it writes to stderr.
 */
export class NpuReporter implements Reporter {
  readonly #options: NpuReporterOptions
  #vitest: Vitest | undefined
  #ledger: LedgerWriter | undefined
  #sources: SourceStore | undefined
  #stdout = true
  #started = 0
  #lastProgress = 0
  #modules = 0
  #done = 0
  #saidIgnored = ''
  #ledgerFailed = false
  /** entries of every module of this session: a rerun in watch mode replaces those of its own modules only */
  readonly #known = new Map<string, LedgerEntry[]>()
  #firstRun = true

  constructor(options: NpuReporterOptions = {}) {
    this.#options = options
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
    this.#stdout = !ownsStdout(vitest)
    const { root } = vitest.config
    const { ledger = '.npu/ledger.jsonl', runs = '.npu/runs' } = this.#options
    this.#ledger = new LedgerWriter({ shown: resolve(root, ledger), runs: resolve(root, runs) })
    this.#sources = new SourceStore(this.#ledger.path)
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#started = performance.now()
    this.#lastProgress = this.#started
    this.#modules = specifications.length
    this.#done = 0
  }

  /** A line about work that takes long, e.g. the first build of the emulator. */
  progress(line: string): void {
    this.#say(dim(`npu: ${line}`))
  }

  /** The one line that a run ends with which judges nothing. */
  refuse(line: string): void {
    this.#say(`npu: ${line}`)
  }

  onTestModuleEnd(module: TestModule): void {
    this.#done++
    const entries = linesOf(module)
    if (entries.length > 0 && this.#firstRun) this.#write((ledger) => ledger.append(entries))
    this.#keepSources(module)
    const now = performance.now()
    if (process.stdout.isTTY || now - this.#lastProgress < progressEveryMs) return
    this.#lastProgress = now
    const seconds = (now - this.#started) / 1000
    this.progress(`${this.#done} of ${this.#modules} specs after ${seconds.toFixed(0)} s`)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) this.#known.set(`${module.project.name}\0${module.moduleId}`, linesOf(module))
    this.#firstRun = false
    // the tables are of what this run was asked for
    const entries = modules.flatMap(entriesOf)
    if (entries.length === 0) return
    this.#write((ledger) => ledger.finish([...this.#known.values()].flat()))
    const tables = summaryTables(entries, this.#options.suites ?? [npuKernelBench, ownSpecs])
    this.#sayIgnored()
    const notes = notesOf(entries).map((line) => dim(`  ${line}`))
    this.#say(`\n${renderText(tables)}\n${notes.join('\n')}\n`)
    this.#writeStepSummary(tables, entries)
    if (process.env['GITHUB_ACTIONS'] === 'true')
      for (const command of raceAnnotations(entries)) this.#say(`\n${command}`)
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

  /** A ledger that cannot be written is said once and fails nothing. */
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

  #writeStepSummary(tables: readonly Table[], entries: readonly LedgerEntry[]): void {
    const file = process.env['GITHUB_STEP_SUMMARY']
    if (!file) return
    try {
      appendFileSync(file, `${renderMarkdown(tables)}\n${notesOf(entries).join('\n\n')}\n`)
    } catch (error) {
      this.#say(`npu: ${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  #say(text: string): void {
    if (!this.#vitest) return
    if (this.#stdout) this.#vitest.logger.log(text)
    else this.#vitest.logger.error(text)
  }
}

export default NpuReporter

/** What the ledger holds of a module. */
const linesOf = (module: TestModule): LedgerEntry[] => [...entriesOf(module), ...leftOutOf(module)]

/** What stands below the table. */
const notesOf = (entries: readonly LedgerEntry[]): string[] => [
  footnote(entries),
  ...generatedOnlyNote(entries),
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
