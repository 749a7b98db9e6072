import { relative, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Reporter, TestModule, SerializedError } from 'vitest/node'
import { exitCodes, neutralText } from '../model/index.ts'
import { specsOf } from '../suites/index.ts'
import { runOf } from '../vitest/run.ts'
import { runSuites } from '../vitest/run-suites.ts'
import { SpecCandidates } from '../vitest/spec-candidates.ts'
import { configurationOf } from './suites.ts'
import { UserError } from './user-error.ts'

/** What is configured where nothing is: beside this module, whatever that is compiled to. */
const defaultConfig = fileURLToPath(
  new URL(import.meta.url.replace(/^.*(\.\w+)$/, './default-config$1'), import.meta.url),
)

/** Ignored folders that an error names one by one. */
const shownIgnored = 5

/**
 * Judges the samples of a folder in a run of Vitest, by the configuration of the project in the current folder or by
 * none, and returns the ledger of the run. Progress goes to stderr. A signal ends it as it ends Vitest: the ledger has the
 * specs that were finished.
 */
export async function judgeSamples(folder: string): Promise<string> {
  const { ledger, exitCode } = await judgeFolders([folder], process.stderr)
  process.exitCode = exitCode
  return ledger()
}

/** What judging some folders has come to. */
export interface JudgedFolders {
  ledger: () => string
  /** a sample that is wrong is no failure; one that could not be judged is */
  exitCode: number
}

/** The same for several folders, which hold samples or are such; what Vitest says goes to `output`. */
export async function judgeFolders(folders: readonly string[], output: Writable): Promise<JudgedFolders> {
  process.env['NPU_CANDIDATES'] = folders.join(',')
  const { root, isConfigured, specs } = await specsWithSamples(folders.map((folder) => resolve(folder)))
  const { createVitest } = await import('vitest/node')
  const reporter = new OnlyErrors()
  const vitest = await createVitest(
    'test',
    {
      root,
      watch: false,
      reporters: [reporter],
      passWithNoTests: true,
      ...(!isConfigured && { config: defaultConfig }),
    },
    {},
    { stdout: output, stderr: output },
  )
  const run = runOf(vitest)
  if (!run) throw new UserError(`the Vitest configuration of ${root} does not use npuKernels(): nothing can be judged`)
  const tellPlace = (): void => console.error(`stopped: what was judged is in ${run.ledger()}`)
  process.once('exit', tellPlace)
  try {
    await vitest.start(specs)
  } finally {
    await vitest.close()
    process.off('exit', tellPlace)
  }
  const isUnjudged = reporter.lacksSpecs || process.exitCode === exitCodes.infrastructure
  return { ledger: run.ledger, exitCode: isUnjudged ? exitCodes.infrastructure : exitCodes.fine }
}

/** What each spec says is in the ledger: what remains are errors of nobody's, and specs that cannot be loaded. */
class OnlyErrors implements Reporter {
  /** a spec has come to no end, so that the ledger lacks its samples */
  lacksSpecs = false

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    for (const { message } of errors) console.error(neutralText(message))
    for (const module of modules) {
      const own = module.errors()
      for (const { message } of own) console.error(neutralText(`${module.relativeModuleId}: ${message}`))
      if (own.length > 0 || module.state() === 'pending' || module.state() === 'queued') this.lacksSpecs = true
    }
  }
}

/** The specs of the tasks that the folders have samples of. */
async function specsWithSamples(
  folders: readonly string[],
): Promise<{ root: string; isConfigured: boolean; specs: string[] }> {
  const { root, isConfigured, options } = await configurationOf(process.cwd())
  const suites = runSuites(options, root)
  const candidates = new SpecCandidates(folders, suites)
  const all = suites.suites.flatMap((suite) => specsOf(suite, suites.suites))
  const specs = all.filter((spec) => candidates.samplesOfSpec(spec).length > 0)
  if (specs.length > 0) return { root, isConfigured, specs }
  const reasons = candidates.ignored.map(({ path, reason }) => `${relative(process.cwd(), path) || path}: ${reason}`)
  const because = reasons.slice(0, shownIgnored).map((reason) => `; ${reason}`)
  throw new UserError(`${folders.join(' and ')}: holds neither a ledger nor a sample of a task${because.join('')}`)
}
