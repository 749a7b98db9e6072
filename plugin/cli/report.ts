import { existsSync, readFileSync, statSync } from 'node:fs'
import { compareRuns, readSources, readTimeline, type RunComparison, type Timeline } from '../ledger/index.ts'
import { replaceFile } from '../ledger/runs.ts'
import { pageOf } from '../report/page.ts'
import { traceOf } from '../report/trace.ts'
import { parseCommand, runsOption, wholeNumber } from './command.ts'
import { joined, ledgerPathOf, readLatest, readNamed } from './runs.ts'
import { messageOf, UserError } from './user-error.ts'

const usage = `Usage: vitest-npu report [ledger | run]... --out <file>

Writes one HTML file that shows the latest run, or ledgers and runs that are named, as one: figures and curves, every task and
sample, what the device and the compilers found, and the sources. It asks for nothing from the network; see docs/report.md.

  --out <file>      the page; a file that is there is replaced
  --trace <file>    timelines of the pipes, as JSON that Perfetto and chrome://tracing read; with --out or alone
  --against <run>   marks what has changed since another run or ledger
  --seed <s>        of the bootstrap; 0
  --runs <folder>   where runs are kept; .npu/runs
  --help, --version

  npx vitest-npu report --out report.html                          the latest run
  npx vitest-npu report sft.jsonl rl.jsonl --out models.html
  npx vitest-npu report --trace trace.json                         of a run with the option timeline
  npx vitest-npu report latest --against 20261122 --out report.html
`

/** `report`: a page that shows runs. */
export function reportCommand(args: readonly string[]): void {
  const parsed = parseCommand('report', usage, args, {
    ...runsOption,
    out: { type: 'string' },
    trace: { type: 'string' },
    against: { type: 'string' },
    seed: { type: 'string', default: '0' },
  })
  if (!parsed) return
  const { values, positionals } = parsed
  const { out, trace, runs, against } = values
  if ((out ?? trace) === undefined || out === '' || trace === '')
    throw new UserError('report: give --out, the file that is written, or --trace')
  for (const [option, file] of [
    ['--out', out],
    ['--trace', trace],
  ])
    if (file !== undefined && existsSync(file) && statSync(file).isDirectory())
      throw new UserError(`${option} ${file}: is a folder; name a file`)
  const seed = wholeNumber('--seed', values.seed, 0)
  const ledgers =
    positionals.length === 0 ? [readLatest(runs)] : [...new Set(positionals)].map((name) => readNamed(name, runs))
  const names = ledgers.map(({ name }) => name)
  const paths = names.map((name) => ledgerPathOf(name, runs))
  const entries = joined(ledgers)
  const timelines = (hash: string): Timeline | undefined => firstOf(paths, (path) => readTimeline(path, hash))
  if (out !== undefined) {
    const page = pageOf({
      entries,
      names,
      ...(against !== undefined && { against: comparisonOf(against, runs, entries) }),
      sources: (hash) => firstOf(paths, (path) => readSources(path, hash)),
      timelines,
      assets: { script: asset('client.js'), style: asset('client.css') },
      seed,
      now: new Date(),
    })
    write('--out', out, page)
    console.log(`${out}: ${(Buffer.byteLength(page) / 2 ** 20).toFixed(1)} MiB`)
  }
  if (trace !== undefined) {
    const { text, samples, leftOut } = traceOf(entries, timelines)
    if (samples === 0)
      throw new UserError(`--trace ${trace}: no sample has a timeline; run with NPU_TIMELINE=1, or the option timeline`)
    write('--trace', trace, text)
    console.log(`${trace}: timelines of ${samples} samples${leftOut > 0 ? `; ${leftOut} more found no room` : ''}`)
  }
}

function write(option: string, file: string, text: string): void {
  try {
    replaceFile(file, text)
  } catch (error) {
    throw new UserError(`${option} ${file}: cannot be written: ${messageOf(error)}`)
  }
}

function comparisonOf(
  name: string,
  runs: string,
  entries: ReturnType<typeof joined>,
): { name: string; comparison: RunComparison } {
  const before = joined([readNamed(name, runs)])
  try {
    return { name, comparison: compareRuns(before, entries) }
  } catch (error) {
    throw new UserError(`--against ${name}: ${messageOf(error)}`)
  }
}

function firstOf<T>(paths: readonly string[], find: (path: string) => T | undefined): T | undefined {
  for (const path of paths) {
    const found = find(path)
    if (found) return found
  }
  return undefined
}

/** Script and style are built beside the code of the report. */
const asset = (name: string): string => readFileSync(new URL(`../report/${name}`, import.meta.url), 'utf8')
