import type { TestCase, TestModule } from 'vitest/node'
import { ledgerVersion, type LedgerEntry } from '../ledger/index.ts'

/** Ledger entries of a finished module, from what its tests say in `task.meta`. */
export const entriesOf = (module: TestModule): LedgerEntry[] =>
  [...module.children.allTests()].map(entryOf).filter((entry) => entry !== undefined)

/**
 * Cases that were not asked for (`-t`, tags, `.only`), or that a cancelled run has not come to, of samples that other
 * tests of the module have judged: without them, nobody could tell a sample that was judged in part from one that was
 * judged in full. A test that says why it is skipped is no such case: the plugin has left it out itself.
 */
export function leftOutOf(module: TestModule): LedgerEntry[] {
  const judged = new Set(
    entriesOf(module)
      .filter(({ sample, verdict }) => sample !== null && verdict.kind !== 'infrastructure')
      .map(sampleKey),
  )
  return [...module.children.allTests('skipped')].flatMap((test) => {
    const meta = test.meta().npu
    const result = test.result()
    if (!meta || meta.verdict || (result.state === 'skipped' && result.note !== undefined)) return []
    if ((meta.stage !== 'static' && meta.stage !== 'generated') || !judged.has(sampleKey(meta))) return []
    return [{ v: ledgerVersion, ...meta, verdict: infrastructure('not run: left out of this run') }]
  })
}

const sampleKey = ({ suite, task, sample }: Pick<LedgerEntry, 'suite' | 'task' | 'sample'>): string =>
  JSON.stringify([suite, task, sample])

/**
 * A test without a verdict: one that failed did so because of us (a time limit of Vitest, an error of the plugin), one
 * that never ended lost its worker, one that was skipped was not judged.
 */
function entryOf(test: TestCase): LedgerEntry | undefined {
  const meta = test.meta().npu
  if (!meta) return undefined
  const { verdict, reached: _, places: __, ...said } = meta
  const rest = { v: ledgerVersion, ...said, ...timeOf(test) } as const
  const { state, errors } = test.result()
  if (state === 'pending') return { ...rest, verdict: infrastructure('the test did not end: its worker is gone') }
  if (verdict) return { ...rest, verdict }
  if (state !== 'failed') return undefined
  return { ...rest, verdict: infrastructure(errors?.[0]?.message ?? 'the test failed without an error') }
}

/** When a test began and how long it took; nothing of one that never ran. */
function timeOf(test: TestCase): Pick<LedgerEntry, 'time' | 'ms'> {
  const { startTime, duration } = test.diagnostic() ?? {}
  if (startTime === undefined || duration === undefined) return {}
  return { time: new Date(startTime).toISOString(), ms: Number(duration.toFixed(3)) }
}

const infrastructure = (message: string): LedgerEntry['verdict'] => ({ kind: 'infrastructure', message })
