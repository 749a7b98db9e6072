import { relative } from 'node:path'
import type { LedgerEntry } from '../ledger/index.ts'
import { inOneLine, renderText } from '../ledger/table.ts'
import { neutralText, sampleTitle, type HotPlace, type LatencyShares } from '../model/index.ts'
import { describeEstimate, describeSpeedup } from '../vitest/describe-latency.ts'
import { parseCommand, runsOption } from './command.ts'
import { readLatest, readNamed } from './runs.ts'
import { UserError } from './user-error.ts'

const usage = `Usage: vitest-npu explain <Task> [sample]

Tells what the emulated latency of a sample is spent on, as a run has found it: what bounds it, how far it can be trusted, how
busy each pipe is, what each memory has served, and, where the run had the option timeline, the five places of the kernel that
take longest and the latency with a warm L2.

  --soc <name>      what the same instructions take on another device, from what such a run has kept; nothing is launched
  --run <name>      a ledger or a run by its id, the beginning of one, or latest; latest
  --runs <folder>   where runs are kept; .npu/runs
  --help, --version

  npx vitest-npu explain Gelu            after NPU_TIMELINE=1 npx vitest run tasks/level2/activation/gelu.spec.ts
  npx vitest-npu explain Gelu sample0    one of its samples
  npx vitest-npu explain Gelu --soc Ascend910B4
`

/** `explain`: what the latencies of a task's samples are spent on. */
export function explainCommand(args: readonly string[]): void {
  const parsed = parseCommand('explain', usage, args, {
    ...runsOption,
    run: { type: 'string' },
    soc: { type: 'string' },
  })
  if (!parsed) return
  const { values, positionals } = parsed
  const [task, sample] = positionals
  if (task === undefined || positionals.length > 2)
    throw new UserError('explain: name a task and a sample, e.g. vitest-npu explain Gelu sample0')
  const { entries } = values.run === undefined ? readLatest(values.runs) : readNamed(values.run, values.runs)
  const timed = entries.filter((entry) => entry.task === task && entry.latency !== undefined && named(entry, sample))
  if (timed.length === 0)
    throw new UserError(`explain: the run has no latency of ${task}${sample === undefined ? '' : ` › ${sample}`}`)
  const { soc } = values
  const texts = timed.map((entry) => (soc === undefined ? explained(entry).join('\n') : elsewhere(entry, soc)))
  console.log(neutralText(texts.join(soc === undefined ? '\n\n' : '\n')))
}

const titleOf = ({ sample, model }: LedgerEntry): string =>
  sampleTitle({ name: sample ?? '-', ...(typeof model === 'string' && { model }) })

const headOf = (entry: LedgerEntry): string => `${entry.task} › ${titleOf(entry)}`

const named = (entry: LedgerEntry, sample: string | undefined): boolean =>
  sample === undefined || entry.sample === sample || titleOf(entry) === sample

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`
const ns = (time: number): string => `${time.toFixed(0)} ns`

/** A line: the latency of a sample on another device. */
function elsewhere(entry: LedgerEntry, soc: string): string {
  const known = entry.elsewhere ?? []
  const [own = '', version = ''] = (entry.latency?.profile ?? '').split(' ')
  const found = known.find((each) => each.soc === soc)
  if (found)
    return inOneLine(
      `${headOf(entry)}: ${ns(found.latencyNs)}, ${soc} ${version}, with the blocks of ${own} (${ns(entry.latency?.mean ?? 0)} there)`,
    )
  throw new UserError(
    known.length === 0
      ? 'explain: the run has no times of other devices: run it with NPU_TIMELINE=1'
      : `explain: no times on ${soc}; there are those on ${known.map((each) => each.soc).join(', ')}`,
  )
}

/** The lines of one sample. */
function explained(entry: LedgerEntry): string[] {
  const { latency, speedup, speedupBand, floorNs, pipes = {}, shares, hottest } = entry
  if (!latency) return []
  const against = speedup === undefined ? [] : [`${describeSpeedup(speedup, speedupBand)} of the baseline`]
  const bound = floorNs === undefined ? [] : [`${percent(floorNs / latency.mean)} of the hardware bound`]
  const head = `${headOf(entry)}: ${[ns(latency.mean), latency.profile ?? latency.source, ...against, ...bound].join(', ')}`
  return [
    inOneLine(head),
    ...(latency.estimate ? [inOneLine(`  ${describeEstimate(latency.estimate)}`)] : []),
    ...(shares ? sharesOf(shares, latency.mean) : []),
    renderText([pipesOf(pipes, shares?.coreNs ?? latency.mean)]),
    ...(hottest ? [renderText([placesOf(hottest)])] : ['  a run with NPU_TIMELINE=1 tells which places take longest']),
  ]
}

const sharesOf = (shares: LatencyShares, mean: number): string[] => [
  `  launch ${ns(shares.launchNs)}, waits for other cores ${ns(shares.waitedNs)}, HBM full for ${ns(shares.hbmSaturatedNs)}, L2 for ${ns(shares.l2SaturatedNs)}`,
  ...(shares.unrecordedNs === undefined
    ? []
    : [`  ${ns(shares.unrecordedNs)} for instructions too many to be recorded, one after the other`]),
  `  ${(shares.hbmBytes / mean).toFixed(0)} GB/s of HBM, ${(shares.l2Bytes / mean).toFixed(0)} GB/s of L2${shares.warmNs > 0 ? `; ${ns(shares.warmNs)} with a warm L2` : ''}`,
]

const pipesOf = (pipes: Record<string, number>, all: number) => ({
  title: 'pipes',
  header: ['pipe', 'busy', 'share'],
  rows: Object.entries(pipes)
    .toSorted(([, one], [, other]) => other - one)
    .map(([pipe, busy]) => [pipe, ns(busy), percent(busy / all)]),
})

const placesOf = (places: readonly HotPlace[]) => ({
  title: 'places',
  header: ['instruction', 'pipe', 'busy', 'times', 'place'],
  rows: places.map(({ instruction, pipe, ns: busy, count, file, line }) => [
    instruction,
    pipe,
    ns(busy),
    String(count),
    file === undefined ? '-' : `${relative('.', file)}:${line ?? 0}`,
  ]),
})
