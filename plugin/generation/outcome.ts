import { outcomesOf, type LedgerEntry } from '../ledger/index.ts'
import { classOf, errorOf } from '../ledger/errors.ts'
import type { TurnOutcome } from './transcript.ts'
import type { Finding } from './types.ts'

/** What the lines of a ledger on one sample come to. */
export function turnOutcomeOf(entries: readonly LedgerEntry[], findings: readonly Finding[]): TurnOutcome {
  const [outcome] = outcomesOf(entries)
  if (!outcome) throw new Error('nothing was judged')
  const error = errorOf(outcome)
  return {
    verdict: error?.kind ?? (outcome.correct === true ? 'correct' : 'undecided'),
    class: error && classOf(error),
    compiled: outcome.compiled,
    correct: outcome.correct === true,
    latency: entries.find(({ latency }) => latency !== undefined)?.latency?.mean ?? null,
    speedup: outcome.speedup,
    findings: [...findings],
  }
}
