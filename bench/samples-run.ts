import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { execa } from 'execa'
import { latestRun, ledgerOf, readLedger, type LedgerEntry } from '../plugin/ledger/index.ts'
import { samplesName } from '../plugin/ledger/judged-samples.ts'
import { childTime } from './processor-time.ts'
import { repository } from './subjects.ts'

/** What samples are judged, and where. */
export interface SamplesPlace {
  /** holds the candidates, and what the run writes */
  folder: string
  /** holds the built emulator */
  cacheDir: string
  specs: readonly string[]
  /** options of the plugin */
  settings: Readonly<Record<string, unknown>>
}

export interface Judged {
  entries: LedgerEntry[]
  seconds: number
  /** processor time of the run and of all that it has started */
  processorSeconds: number
  /** of the process that holds main thread and workers, as the samples get more */
  memory: { samples: number; mebibytes: number }[]
}

/** Memory is told as often as that in the course of a run. */
const tellings = 8

/** Judges all samples in one run. */
export async function judgeSamples(place: SamplesPlace): Promise<Judged> {
  const config = configOf(place)
  const memory: Judged['memory'] = []
  const started = performance.now()
  const run = start(place, config)
  const timer = setInterval(() => {
    const samples = notedIn(place)
    const mebibytes = memoryOf(run.pid)
    if (mebibytes !== undefined && samples > (memory.at(-1)?.samples ?? 0)) memory.push({ samples, mebibytes })
  }, 1000)
  const { stdout, stderr } = await run
  clearInterval(timer)
  const seconds = (performance.now() - started) / 1000
  return { entries: ledgerIn(place, stderr), seconds, processorSeconds: childTime(stdout), memory: thinned(memory) }
}

const runsOf = ({ folder }: SamplesPlace): string => join(folder, 'runs')

/** How many samples a run has noted as judged to the end. */
function notedIn(place: SamplesPlace): number {
  const path = join(runsOf(place), latestRun(runsOf(place)) ?? '', samplesName)
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0
}

function ledgerIn(place: SamplesPlace, stderr: string): LedgerEntry[] {
  const id = latestRun(runsOf(place))
  if (id === undefined) throw new Error(`nothing was judged:\n${stderr}`)
  return readLedger(ledgerOf(runsOf(place), id))
}

/** Writes the configuration of a run, and its cache, which has the emulator and no candidate. */
function configOf(place: SamplesPlace): string {
  const inside = (name: string): string => relative(repository, join(place.folder, name))
  const cache = join(place.folder, 'cache')
  mkdirSync(cache, { recursive: true })
  for (const kind of ['compile-server', 'confine', 'headers', 'object', 'object-reads', 'pch', 'runtime'])
    if (existsSync(join(place.cacheDir, kind))) symlinkSync(join(place.cacheDir, kind), join(cache, kind))
  const settings = {
    ...place.settings,
    candidates: relative(repository, join(place.folder, 'candidates')),
    seed: 1,
    runs: inside('runs'),
    ledger: inside('ledger.jsonl'),
    corpus: inside('corpus'),
    cacheDir: inside('cache'),
  }
  const config = join(place.folder, 'samples.config.mjs')
  writeFileSync(
    config,
    `import { npuKernels } from 'vitest-npu/plugin'
const plugin = npuKernels(${JSON.stringify(settings)})
export default { root: ${JSON.stringify(repository)}, test: { maxWorkers: '100%' }, plugins: [plugin] }
`,
  )
  return config
}

function start({ specs }: SamplesPlace, config: string) {
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs')
  const command = [process.execPath, vitest, 'run', '--config', config, ...specs]
  // the shell tells what all of its children have used
  return execa('sh', ['-c', '"$@" >&2; times', 'sh', ...command], {
    cwd: repository,
    reject: false,
    env: { CI: 'true', NO_COLOR: '1', NPU_CACHE_DIR: '' },
  })
}

/** The process that the shell has started: Vitest, with its workers. */
function mainOf(shell: number | undefined): number | undefined {
  if (shell === undefined) return undefined
  const found = reading(`/proc/${shell}/task/${shell}/children`).trim().split(' ')[0]
  return found ? Number(found) : undefined
}

function memoryOf(shell: number | undefined): number | undefined {
  const main = mainOf(shell)
  const kibibytes = /VmRSS:\s+(\d+)/.exec(main === undefined ? '' : reading(`/proc/${main}/status`))?.[1]
  return kibibytes === undefined ? undefined : Math.round(Number(kibibytes) / 1024)
}

function reading(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Some of the values, evenly, with the last one. */
function thinned<T>(values: readonly T[]): T[] {
  const step = Math.max(1, Math.ceil(values.length / tellings))
  return values.filter((_, index) => (values.length - 1 - index) % step === 0)
}
