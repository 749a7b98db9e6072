import type { TestCase, TestModule } from 'vitest/node'
import type { LedgerEntry } from '../ledger/index.ts'

/** Ledger entries of a finished module, from what its tests say in `task.meta`. */
export const entriesOf = (module: TestModule): LedgerEntry[] =>
  [...module.children.allTests()].map(entryOf).filter((entry) => entry !== undefined)

/**
 * A test that ended without a verdict: one that failed did so because of us (a time limit of Vitest, an error of the
 * plugin), one that was skipped was not judged.
 */
function entryOf(test: TestCase): LedgerEntry | undefined {
  const meta = test.meta().npu
  if (!meta) return undefined
  const { verdict, ...rest } = meta
  const { state, errors } = test.result()
  if (verdict) return { ...rest, verdict }
  if (state !== 'failed') return undefined
  return {
    ...rest,
    verdict: { kind: 'infrastructure', message: errors?.[0]?.message ?? 'the test failed without an error' },
  }
}
