import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  gateLines,
  incomparable,
  judgeGate,
  type GateOptions,
  type GateResult,
  type LedgerEntry,
} from '../ledger/index.ts'
import { failuresOfOurs } from '../ledger/outcome.ts'
import { exitCodes, neutralJson, neutralText } from '../model/index.ts'
import { footnote, textOfLines } from '../ledger/table.ts'
import { npuKernelBench, ownSpecs } from '../suites/index.ts'
import { stepSummary, writeStepSummary } from '../vitest/step-summary.ts'
import { summaryTables } from '../vitest/summary.ts'
import { gateArguments, gateOf } from './gate-options.ts'
import { parseCommand, runsOption } from './command.ts'
import { joined, latestName, readNamed } from './runs.ts'
import { configurationOf } from './suites.ts'
import { messageOf, UserError } from './user-error.ts'

const usage = `Usage: vitest-npu gate [ledger | run]... [rules]

Tells whether the latest run, or ledgers and runs that are named, as one, keep what is asked of them; without a rule, what the
option gate of the Vitest configuration asks. docs/ci.md says what each rule means. Shares are numbers from 0 to 1; what was
not judged to an end counts against the run.

  --min-compile-rate <share>   of samples that compile
  --min-pass-at-1 <share>      pass@1: of correct samples, averaged over tasks
  --min-correct <share>        of samples that are correct
  --max-regression <share>     loss of speed of a sample that is correct in both, beyond the error of both
  --no-new-hazards             no device error that the same sample has not in the other run
  --require-all                a sample of every task, a verdict of every sample
  --level <level>:<rules>      rules of one level: level1:min-correct=0.9,require-all; may be given several times
  --against <ledger | run>     the other run
  --allow-partial              a run that is not whole, or another one that is not, is only told: without it, no rule holds of half a run
  --json                       the result for programs
  --runs <folder>              where runs are kept; .npu/runs
  --help, --version

The exit code is 0 where the gate holds, 2 where it does not, 3 where something could not be judged, 64 where the call is wrong.

  npx vitest-npu gate --min-compile-rate 0.9 --require-all
  npx vitest-npu gate all.jsonl --max-regression 0.05 --no-new-hazards --against base.jsonl
  npx vitest-npu gate --level level1:min-pass-at-1=0.9 --level level3:min-pass-at-1=0.5
`

/** `gate`: tells by its exit code whether a run keeps what is asked of it. */
export async function gateCommand(args: readonly string[]): Promise<void> {
  const parsed = parseCommand('gate', usage, args, {
    ...runsOption,
    ...gateArguments,
    'allow-partial': { type: 'boolean' },
    json: { type: 'boolean' },
  })
  if (!parsed) return
  const { values, positionals } = parsed
  const options = gateOf(values) ?? (await configuredGate(values.against))
  const incomplete: string[] = []
  const lack = (line: string): void =>
    values['allow-partial'] ? console.error(neutralText(line)) : void incomplete.push(line)
  const names = positionals.length === 0 ? [latestName(values.runs)] : [...new Set(positionals)]
  const ledgers = names.map((name) => readNamed(name, values.runs, lack))
  const entries = joined(ledgers)
  const against =
    options.against === undefined ? undefined : otherRun(options.against, { runs: values.runs, entries, lack })
  const result = judgeGate(options, { entries, against, incomplete })
  const ours = failuresOfOurs(entries)
  if (values.json) console.log(neutralJson({ ledgers: names, holds: result.findings.length === 0, ...result }))
  else console.log(textOfLines([...gateLines(result), ...notJudged(ours)]))
  summarise(entries, result)
  if (ours.length > 0) process.exitCode = exitCodes.infrastructure
  else if (result.findings.length > 0) process.exitCode = exitCodes.gate
}

/** A job summary that cannot be written is said, and decides nothing. */
function summarise(entries: readonly LedgerEntry[], gate: GateResult): void {
  const tables = summaryTables(entries, [npuKernelBench, ownSpecs])
  try {
    writeStepSummary(() => stepSummary(entries, { tables, notes: [footnote(entries)], gate }))
  } catch (error) {
    console.error(`the job summary cannot be written: ${messageOf(error)}`)
  }
}

/** The option `gate` of the configuration in this folder, with another run to compare with where one is named. */
async function configuredGate(named: string | undefined): Promise<GateOptions> {
  const { root, options } = await configurationOf(process.cwd())
  const { gate } = options
  if (!gate) throw new UserError('gate: give a rule, e.g. --min-compile-rate 0.9, or the option gate of npuKernels()')
  if (named !== undefined) return { ...gate, against: named }
  return gate.against === undefined ? gate : { ...gate, against: resolve(root, gate.against) }
}

/** The ledger that samples are compared with. */
function otherRun(
  name: string,
  { runs, entries, lack }: { runs: string; entries: readonly LedgerEntry[]; lack: (line: string) => void },
): LedgerEntry[] {
  if (name.includes('/') && !existsSync(name)) throw new UserError(`--against ${name}: there is no such file`)
  const against = joined([readNamed(name, runs, (line) => lack(`--against ${line}`))])
  const problem = incomparable(entries, against)
  if (problem !== undefined) throw new UserError(`--against ${name}: ${problem}`)
  return against
}

/** What this machine, or the specs, could not judge. */
function notJudged([first, ...others]: readonly LedgerEntry[]): string[] {
  if (first?.verdict.kind !== 'infrastructure') return []
  const { task, sample, case: title, verdict } = first
  const [line] = verdict.message.split('\n')
  const more = others.length > 0 ? `, and ${others.length} more` : ''
  return [`not judged: ${[task, sample ?? [], title].flat().join(' › ')}: ${line}${more}`]
}
