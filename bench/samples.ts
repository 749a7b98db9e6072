import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { outcomesOf, readLedger, type LedgerEntry } from '../plugin/ledger/index.ts'
import { applyEdit, editsOf } from '../plugin/mutation/edits.ts'
import { npuKernelBench } from '../plugin/suites/index.ts'
import { printTable } from './figures.ts'
import { timed } from './processor-time.ts'
import { repository } from './subjects.ts'

/** The operators that are edited, with their specs. */
const specs: Readonly<Record<string, string>> = {
  AddCustom: 'tasks/level1/math/add-custom.spec.ts',
  Sqrt: 'tasks/level1/math/sqrt.spec.ts',
  Gelu: 'tasks/level2/activation/gelu.spec.ts',
  RmsNorm: 'tasks/level2/norm/rms-norm.spec.ts',
}

/** Samples judged in a minute by one core, compile included. */
const aim = 300

export interface SamplesOptions {
  count: number
  /** names of the operators; all when there are none */
  operators: readonly string[]
  /** static cases with larger arguments are left out */
  elements: number
  /** generated cases for each dtype combination */
  fuzzRuns: number
}

/**
 * Judges many samples, each a baseline with one edit, as a run does: every build is a new one. Runs the built package (`npm run build`).
 */
export async function benchSamples(cacheDir: string, options: SamplesOptions): Promise<void> {
  const names = Object.keys(specs).filter((name) => options.operators.length === 0 || options.operators.includes(name))
  const folder = join(repository, '.npu', `samples-${process.pid}`)
  try {
    names.forEach((name, index) => {
      const count = Math.floor((options.count + index) / names.length)
      writeSamples(join(folder, 'candidates', name), name, count)
    })
    shareTools(cacheDir, join(folder, 'cache'))
    const run = await judge(folder, names, options)
    print(run, options)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** One edit each, as `vitest-npu mutate` makes them; where there are not as many, some have a comment besides. */
function writeSamples(folder: string, name: string, count: number): void {
  const baseline = join(npuKernelBench.baseline ?? '', name)
  const sources = readdirSync(join(baseline, 'op_kernel')).filter((file) => /\.(?:cpp|h)$/.test(file))
  const mutants = sources.flatMap((file) => {
    const text = readFileSync(join(baseline, 'op_kernel', file), 'utf8')
    return editsOf(text).map((edit) => ({ file, text: applyEdit(text, edit) }))
  })
  for (let i = 0; i < count; i++) {
    const { file, text } = mutants[i % mutants.length]!
    const sample = join(folder, `edit-${String(i).padStart(5, '0')}`)
    cpSync(baseline, sample, { recursive: true })
    writeFileSync(join(sample, 'op_kernel', file), i < mutants.length ? text : `${text}// ${i}\n`)
  }
}

/** A cache that has the emulator, and no candidate. */
function shareTools(shared: string, cache: string): void {
  mkdirSync(cache, { recursive: true })
  for (const kind of ['compile-server', 'confine', 'headers', 'object', 'object-reads', 'pch', 'runtime'])
    if (existsSync(join(shared, kind))) symlinkSync(join(shared, kind), join(cache, kind))
}

interface Judged {
  entries: LedgerEntry[]
  seconds: number
  /** processor time of the run and of all that it has started */
  processorSeconds: number
}

async function judge(folder: string, names: readonly string[], options: SamplesOptions): Promise<Judged> {
  const { elements, fuzzRuns } = options
  const inside = (name: string): string => relative(repository, join(folder, name))
  const settings = {
    candidates: inside('candidates'),
    seed: 1,
    maxElements: elements,
    fuzzRuns,
    runs: inside('runs'),
    ledger: inside('ledger.jsonl'),
    corpus: inside('corpus'),
    cacheDir: inside('cache'),
  }
  const config = join(folder, 'samples.config.mjs')
  writeFileSync(
    config,
    `import { npuKernels } from 'vitest-npu/plugin'
const plugin = npuKernels(${JSON.stringify(settings)})
export default { root: ${JSON.stringify(repository)}, test: { maxWorkers: '100%' }, plugins: [plugin] }
`,
  )
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs')
  const command = [process.execPath, vitest, 'run', '--config', config, ...names.map((name) => specs[name]!)]
  const { stderr, seconds, processorSeconds } = await timed(command, { NPU_CACHE_DIR: '' })
  const path = join(folder, 'ledger.jsonl')
  if (!existsSync(path)) throw new Error(`nothing was judged:\n${stderr}`)
  return { entries: readLedger(path), seconds, processorSeconds }
}

function print({ entries, seconds, processorSeconds }: Judged, { count, elements, fuzzRuns }: SamplesOptions): void {
  const outcomes = outcomesOf(entries)
  const cases = entries.reduce((sum, { runs = 1 }) => sum + runs, 0)
  const kinds = new Map<string, number>()
  for (const { verdict } of entries) kinds.set(verdict.kind, (kinds.get(verdict.kind) ?? 0) + 1)
  const cores = availableParallelism()
  const perCore = (outcomes.length * 60) / seconds / cores
  const perBusyCore = (outcomes.length * 60) / processorSeconds
  printTable(`${count} samples with one edit each, cases of up to ${elements} elements, fuzzRuns ${fuzzRuns}`, [
    ['samples judged', String(outcomes.length)],
    ['verdicts, generated cases counted one by one', String(cases)],
    ['seconds by the clock', seconds.toFixed(1)],
    ['processor seconds', processorSeconds.toFixed(1)],
    ['samples per minute and core, by the clock', perCore.toFixed(0)],
    ['samples per minute of processor time', perBusyCore.toFixed(0), perBusyCore >= aim ? 'met' : `MISSED: aim ${aim}`],
    ['verdicts per minute of processor time', ((cases * 60) / processorSeconds).toFixed(0)],
    ...[...kinds].map(([kind, number]) => [kind, String(number)]),
  ])
  for (const task of new Set(entries.map((entry) => entry.task))) {
    const own = entries.filter((entry) => entry.task === task)
    const stages = ['compile', 'static', 'generated', 'latency'].map((stage) => {
      const ms = own.filter((entry) => entry.stage === stage).reduce((sum, entry) => sum + (entry.ms ?? 0), 0)
      return `${stage} ${(ms / 1000).toFixed(1)} s`
    })
    console.log(`  ${task}: ${stages.join(', ')} of tests, waiting included`)
  }
  const slowest = entries.toSorted((one, other) => (other.ms ?? 0) - (one.ms ?? 0)).slice(0, 3)
  for (const { task, sample, case: title, ms = 0 } of slowest)
    console.log(`  slowest: ${task} ${sample} ${title}, ${(ms / 1000).toFixed(1)} s`)
}
