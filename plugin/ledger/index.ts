// The public door `vitest-npu/ledger`: reading and summing up what runs have written. It needs no Vitest.
export { ledgerEntry, ledgerVersion, stages } from './entry.ts'
export type { CodeCoverage, CoverageShare, LedgerEntry, Stage } from './entry.ts'
export { geometricMean, metricsOf } from './metrics.ts'
export type { Metrics } from './metrics.ts'
export { readLedger } from './read.ts'
export { select } from './select.ts'
export type { Selection } from './select.ts'
export type { Comparison, Diagnostic, Latency, Report, Verdict, VerdictKind } from '../model/index.ts'
