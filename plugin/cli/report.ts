import { existsSync, readFileSync, statSync } from 'node:fs'
import { compareRuns, readSources, readTimeline, type RunComparison } from '../ledger/index.ts'
import { replaceFile } from '../ledger/runs.ts'
import { pageOf } from '../report/page.ts'
import { parseCommand, wholeNumber } from './ledger-options.ts'
import { joined, ledgerPathOf, readLatest, readNamed } from './runs.ts'
import { messageOf, UsageError, UserError } from './user-error.ts'

const usage = `Usage: vitest-npu report [ledger | run]... --out <file>

Writes one HTML file that shows the latest run, or ledgers and runs that are named, as one: figures and curves, every task and
sample, what the device and the compilers found, and the sources. It asks for nothing from the network; see docs/report.md.

  --out <file>      the page; a file that is there is replaced
  --against <run>   marks what has changed since another run or ledger
  --seed <s>        of the bootstrap; 0
  --runs <folder>   where runs are kept; .npu/runs
  --help, --version

  npx vitest-npu report --out report.html                          the latest run
  npx vitest-npu report sft.jsonl rl.jsonl --out models.html
  npx vitest-npu report latest --against 20261122 --out report.html
`

/** `report`: a page that shows runs. */
export function reportCommand(args: readonly string[]): void {
  const parsed = parseCommand('report', usage, args, {
    out: { type: 'string' },
    against: { type: 'string' },
    seed: { type: 'string', default: '0' },
  })
  if (!parsed) return
  const { values, positionals } = parsed
  const { out, runs, against } = values
  if (out === undefined || out === '') throw new UsageError('report: give --out, the file that is written')
  if (existsSync(out) && statSync(out).isDirectory()) throw new UsageError(`--out ${out}: is a folder; name a file`)
  const seed = wholeNumber('--seed', values.seed, 0)
  const ledgers =
    positionals.length === 0 ? [readLatest(runs)] : [...new Set(positionals)].map((name) => readNamed(name, runs))
  const names = ledgers.map(({ name }) => name)
  const paths = names.map((name) => ledgerPathOf(name, runs))
  const entries = joined(ledgers)
  const page = pageOf({
    entries,
    names,
    ...(against !== undefined && { against: comparisonOf(against, runs, entries) }),
    sources: (hash) => firstOf(paths, (path) => readSources(path, hash)),
    timelines: (hash) => firstOf(paths, (path) => readTimeline(path, hash)),
    assets: { script: asset('client.js'), style: asset('client.css') },
    seed,
    now: new Date(),
  })
  try {
    replaceFile(out, page)
  } catch (error) {
    throw new UserError(`--out ${out}: cannot be written: ${messageOf(error)}`)
  }
  console.log(`${out}: ${(Buffer.byteLength(page) / 2 ** 20).toFixed(1)} MiB`)
}

function comparisonOf(
  name: string,
  runs: string,
  entries: ReturnType<typeof joined>,
): { name: string; comparison: RunComparison } {
  const before = readNamed(name, runs).entries
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
