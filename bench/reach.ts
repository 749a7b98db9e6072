import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawn } from '../plugin/cli/generate-tasks.ts'
import { readLedger, type LedgerEntry } from '../plugin/ledger/index.ts'
import { specFileOf, tasksDefined } from './collect-tasks.ts'
import './every-spec.ts'
import { comparedWithAim } from './figures.ts'
import { timed } from './processor-time.ts'
import { settingsOf, type ReachSettings } from './reach-settings.ts'
import { repository } from './subjects.ts'

/** How generated cases are drawn, from nothing that looks for code to the default. */
const ways = {
  blind: 'narrowDevices: false, guided: false',
  narrow: 'guided: false',
  default: '',
}
export type Way = keyof typeof ways
const isWay = (name: string): name is Way => name in ways

/** The ways of that names, e.g. `blind,default`. Throws for any other. */
export const waysOf = (names: string): Way[] =>
  names.split(',').map((name) => {
    if (!isWay(name)) throw new Error(`no way ${name}; there are ${Object.keys(ways).join(', ')}`)
    return name
  })

/** What is aimed at: the least share of a baseline, and that in the middle. */
const [least, middle] = [85, 95]

/** Processor time of a default run, in percent of one that looks for no code, at most. */
const mostTime = 110

export interface ReachOptions extends ReachSettings {
  /** folders and files of specs; all when there are none */
  specs: readonly string[]
  ways: readonly Way[]
  /** times that each way is run: of its processor time the least counts */
  turns: number
}

/** The specs of so many tasks of each level, drawn. */
export function specsDrawn(count: number, seed: number): string[] {
  const names = drawn([...tasksDefined().values()], count, seed).map((task) => task.interface.name)
  console.log(`drawn with seed ${seed}: ${names.join(', ')}`)
  return names.map(specFileOf)
}

/**
 * Which share of the blocks of each baseline its cases reach, static and generated ones, by how these are drawn. Runs the built
 * package (`npm run build`).
 */
export async function benchReach(cacheDir: string, options: ReachOptions): Promise<void> {
  const folder = join(repository, '.npu', `reach-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  try {
    const found = new Map<Way, LedgerEntry[]>()
    const times = new Map<Way, number[]>()
    for (let turn = 0; turn < options.turns; turn++)
      for (const way of options.ways) {
        const { entries, processorSeconds } = await judge(folder, cacheDir, way, options)
        found.set(way, entries)
        times.set(way, [...(times.get(way) ?? []), processorSeconds])
        report(way, entries, processorSeconds)
      }
    print(found.get('blind') ?? [], found.get('narrow') ?? [], found.get('default') ?? [])
    if (times.has('blind')) printTimes(times)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Judged {
  /** the latency entries of a run: they say what all cases of a sample have reached */
  entries: LedgerEntry[]
  processorSeconds: number
}

async function judge(
  folder: string,
  cacheDir: string,
  way: Way,
  { specs, seed, elements }: ReachOptions,
): Promise<Judged> {
  const settings = settingsOf(repository, folder, way, { seed, elements })
  const config = join(folder, `${way}.config.mjs`)
  writeFileSync(
    config,
    `import { npuKernels } from 'vitest-npu/plugin'
const plugin = npuKernels({ ...${JSON.stringify(settings)}, ${ways[way]} })
export default { root: ${JSON.stringify(repository)}, test: { maxWorkers: '100%' }, plugins: [plugin] }
`,
  )
  const vitest = join(repository, 'node_modules/vitest/vitest.mjs')
  const command = [process.execPath, vitest, 'run', '--config', config, ...specs]
  const { exitCode, stderr, processorSeconds } = await timed(command, { NPU_CACHE_DIR: cacheDir })
  if (exitCode !== 0) console.log(`  ${way}: not all cases are right\n${stderr}`)
  const path = join(repository, settings.ledger)
  const entries = readLedger(path).filter(({ stage, code }) => stage === 'latency' && code !== undefined)
  // a ledger is added to
  rmSync(path)
  return { entries, processorSeconds }
}

const shareOf = ({ code }: LedgerEntry): number => (code ? (100 * code.reached) / code.blocks : 0)

/** 99.9 % is not all. */
const wholes = (share: number): string => `${Math.floor(share)} %`

const middleOf = (shares: readonly number[]): number =>
  shares.toSorted((one, other) => one - other)[Math.floor(shares.length / 2)] ?? 0

function report(way: Way, entries: readonly LedgerEntry[], seconds: number): void {
  const shares = entries.map(shareOf)
  const below = shares.filter((share) => share < least).length
  const all = shares.filter((share) => share === 100).length
  console.log(
    `${way.padEnd(8)} ${entries.length} baselines: ${wholes(middleOf(shares))} of the blocks in the middle, ` +
      `${wholes(Math.min(...shares))} at least, ${below} below ${least} %, ${all} with all; ${seconds.toFixed(0)} s of processor time`,
  )
}

/** Those that do not reach all of their code, and which lines. */
function print(...[blind, narrow, guided]: readonly LedgerEntry[][]): void {
  const shareIn = (entries: readonly LedgerEntry[] = [], task: string): string => {
    const entry = entries.find((each) => each.task === task)
    return entry ? wholes(shareOf(entry)) : '-'
  }
  const shares = (guided ?? []).map(shareOf)
  console.log(`\naims: ${middle} % in the middle: ${middleOf(shares) >= middle ? 'met' : 'MISSED'}`)
  console.log(`      ${least} % each: ${Math.min(...shares) >= least ? 'met' : 'MISSED'}`)
  console.log(`\nbaseline: blind, narrow, default; lines that are never reached`)
  const missing = (guided ?? []).filter((entry) => shareOf(entry) < 100)
  for (const { task, code } of missing.toSorted((one, other) => shareOf(one) - shareOf(other))) {
    const places = (code?.missed ?? []).map(
      ({ file, lines }) => `${file}:${lines.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join(',')}`,
    )
    const keys = code?.tilingKeys ?? []
    const never = [...places, ...(keys.length > 0 ? [`tiling keys ${keys.join(', ')}`] : [])]
    console.log(
      `  ${task}: ${[blind, narrow, guided].map((entries) => shareIn(entries, task)).join(', ')}; ${never.join(' ')}`,
    )
  }
}

/** What looking for code costs: the least of each way, beside that of blind draws. */
function printTimes(times: ReadonlyMap<Way, readonly number[]>): void {
  const blind = Math.min(...(times.get('blind') ?? []))
  console.log('\nprocessor time beside that of blind draws')
  for (const [way, all] of times) {
    const percent = (100 * Math.min(...all)) / blind
    const aim = way === 'default' ? `  ${comparedWithAim(percent, mostTime, '%')}` : ''
    console.log(`  ${way.padEnd(8)} ${percent.toFixed(1)} %${aim}`)
  }
}
