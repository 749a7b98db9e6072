import type { TestModule, Vitest } from 'vitest/node'
import type { GateOptions, GateResult, LedgerEntry } from '../ledger/index.ts'
import { failuresOfOurs } from '../ledger/outcome.ts'
import { exitCodes } from '../model/index.ts'

/** What the exit code of a run follows from. */
export interface RunOutcome {
  entries: readonly LedgerEntry[]
  /** what the gate says; undefined where it was not asked */
  gate: GateResult | undefined
  failures: GateOptions['failures']
  /** whether verdicts are missing in the ledger: whoever reads it takes them for what nobody has judged */
  isLedgerLost: boolean
  /** why nothing, or not what was named, could be judged */
  refusal: 'infrastructure' | 'usage' | undefined
  /** whether something failed that is no test of a candidate */
  failsOtherwise: boolean
  /** whether a test of a candidate failed */
  failsCandidate: boolean
}

/** The exit code of a run. */
export function exitCodeOf(outcome: RunOutcome): number {
  const { entries, isLedgerLost, gate, failures, refusal, failsOtherwise, failsCandidate } = outcome
  if (refusal !== undefined) return exitCodes[refusal]
  if (isLedgerLost || failuresOfOurs(entries).length > 0) return exitCodes.infrastructure
  if (gate && gate.findings.length > 0) return exitCodes.gate
  if (failsOtherwise || (failsCandidate && failures !== 'gate')) return exitCodes.failed
  return exitCodes.fine
}

/** Which kinds of failures a run has, beside those that its verdicts tell. */
export function failuresOf(
  modules: readonly TestModule[],
  { unhandled, isInterrupted, vitest }: { unhandled: number; isInterrupted: boolean; vitest: Vitest },
): Pick<RunOutcome, 'failsOtherwise' | 'failsCandidate'> {
  const failed = modules.flatMap((module) => [...module.children.allTests('failed')])
  const suites = modules.flatMap((module) => [module, ...module.children.allSuites()])
  return {
    failsOtherwise:
      isInterrupted ||
      (unhandled > 0 && !vitest.config.dangerouslyIgnoreUnhandledErrors) ||
      (modules.length === 0 && !vitest.config.passWithNoTests) ||
      suites.some((suite) => suite.errors().length > 0) ||
      failed.some((test) => !test.meta().npu),
    failsCandidate: failed.some((test) => test.meta().npu),
  }
}

/**
 * Has the process end with this code, unless it ends with one that Vitest never sets for tests (a signal, a key). What fails
 * after the run, thresholds of coverage for instance, is 1 all the same.
 */
export function exitWith(code: number): void {
  const current = process.exitCode
  if (current === undefined || current === exitCodes.fine || current === exitCodes.failed) process.exitCode = code
}
