// Types alone: the script of the page imports them, and nothing that runs in Node.
export type { CodeCoverage, Stage } from '../ledger/index.ts'
export type {
  Accuracy,
  Comparison,
  Latency,
  Report,
  Timeline,
  VendorReference,
  Verdict,
  VerdictKind,
  WrongElement,
  Writer,
} from '../model/index.ts'
