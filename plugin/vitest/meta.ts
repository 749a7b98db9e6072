import 'vitest'
import type { LedgerEntry } from '../ledger/index.ts'
import type { ResolvedSuite, SharedTasks } from '../suites/index.ts'
import type { Warnings } from '../evaluation/decide.ts'
import type { Profile, VendorFigures } from '../model/index.ts'
import type { SourcePlaces } from '../service/index.ts'

/**
 * What a test of a kernel suite says about itself in `task.meta.npu`: a ledger entry in the making. It is the one
 * channel that reaches every reporter, also through blob files and `--merge-reports`.
 */
export type KernelMeta = Omit<LedgerEntry, 'v' | 'verdict'> & {
  verdict?: LedgerEntry['verdict']
  /** blocks of the artifact's code that the cases of this test have reached; it does not go into the ledger */
  reached?: string
  /** the run that is continued has judged it: the ledger has this entry already */
  resumed?: true
  /** the plugin has left the test out itself, and its note says why; that does not go into the ledger either */
  spared?: true
  /** where the candidate's sources lie, which the run keeps; it does not go into the ledger either */
  places?: SourcePlaces
}

/** What the main process hands to the workers: small, plain, all paths absolute. */
export interface WorkerOptions {
  root: string
  /** unix socket of the service */
  socket: string
  candidates: string[]
  suites: ResolvedSuite[]
  /** suites by the name of a task that several of them have */
  shared: SharedTasks
  /** names of all tasks */
  tasks: string[]
  target: string
  soc: string
  seed: number
  /** the seed that the user has named: nothing that was found under another counts */
  namedSeed?: number | undefined
  /** whether a run is continued, which may have judged a sample */
  resumes: boolean
  /** whether right verdicts of earlier runs hold */
  remember: boolean
  fuzzRuns: number
  fuzzBudgetMs: number
  /** whether generated cases run on narrow devices as well */
  narrowDevices: boolean
  /** whether what a candidate does decides which cases are generated */
  guided: boolean
  launchTimeoutMs: number
  latencyIterations: number
  /** whether the target times a sample and its baseline in turn */
  timesInTurn: boolean
  latencyCase: 'largest' | number
  /** times of the vendor's operators on this SoC, where they are kept */
  vendorFigures?: VendorFigures | undefined
  /** whether latencies come with what the pipes did when */
  timeline: boolean
  maxElements?: number | undefined
  corpus: string
  /** folder of this run */
  run: string
  /** samples of a task that are judged at the same time */
  samplesAtOnce: number
  profile: Profile
  warnings: Warnings
  /** where the interfaces of tasks are remembered from run to run */
  interfaces: string
  /** who has written the candidates whose folders name nobody, as the user says */
  model?: string | undefined
  /** tags a test may carry */
  tags: string[]
  /** environment variables of this run that a reproduction needs, e.g. `NPU_CANDIDATES=mine` */
  environment: string[]
}

declare module 'vitest' {
  interface TaskMeta {
    npu?: KernelMeta
  }
  interface ProvidedContext {
    'npu:project': string
    'npu:options': WorkerOptions
  }
}
