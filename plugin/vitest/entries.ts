import type { TestCase, TestModule, TestSuite } from 'vitest/node'
import { ledgerVersion, type LedgerEntry } from '../ledger/index.ts'
import type { JudgedSample } from '../ledger/judged-samples.ts'
import { leftOut } from '../ledger/outcome.ts'

/** Ledger entries of a finished module, from what its tests say in `task.meta`. */
export const entriesOf = (module: TestModule, isCancelled: boolean): LedgerEntry[] =>
  [...module.children.allTests()].flatMap((test) => entryOf(test, isCancelled) ?? [])

/**
 * Cases of a sample that were not asked for (`-t`, tags, `.only`), or that a cancelled run has not come to, where other tests
 * have judged it: without them, nobody could tell a sample that was judged in part from one that was judged in full. A
 * test that the plugin has left out itself is no such case.
 */
export function leftOutOf(tests: readonly TestCase[], isCancelled = false): LedgerEntry[] {
  const isJudged = tests.some((test) => {
    const entry = entryOf(test, isCancelled)
    return entry && entry.sample !== null && entry.verdict.kind !== 'infrastructure'
  })
  // the ledger has the other cases, or why there are none
  if (!isJudged || tests.some((test) => test.meta().npu?.resumed)) return []
  return tests.flatMap((test) => {
    const meta = test.meta().npu
    const { state } = test.result()
    const isOpen = isCancelled && state === 'pending'
    if (!meta || (!isOpen && (meta.verdict || state !== 'skipped' || isSpared(test)))) return []
    if (meta.stage !== 'static' && meta.stage !== 'generated') return []
    return [{ v: ledgerVersion, ...meta, verdict: leftOut }]
  })
}

/** Has the plugin left the test out itself? Vitest has notes of its own, e.g. where a run is cancelled. */
const isSpared = (test: TestCase): boolean => test.result().state === 'skipped' && test.meta().npu?.spared === true

/**
 * What a suite says of the sample that it is about, once it has ended: since when it was judged, and what was built. undefined
 * where a test was left out, where one could not be judged, and where the run that is continued has judged it.
 */
export function judgedIn(suite: TestSuite): (Omit<JudgedSample, 'basis'> & { built: Built }) | undefined {
  const tests = [...suite.children.tests()]
  const entries = tests.flatMap((test) => entryOf(test) ?? [])
  const [first] = entries
  if (!first || first.sample === null || tests.some((test) => !hasEnded(test))) return undefined
  const times = entries.flatMap(({ time }) => time ?? []).sort()
  const [since] = times
  if (since === undefined || times.length < entries.length) return undefined
  const { model, suite: suiteName, task, sample, artifact, sources } = first
  return {
    model,
    suite: suiteName,
    task,
    sample,
    since,
    entries: entries.length,
    built: { ...(artifact !== undefined && { artifact }), ...(sources !== undefined && { sources }) },
  }
}

type Built = Pick<LedgerEntry, 'artifact' | 'sources'>

const hasEnded = (test: TestCase): boolean => {
  const meta = test.meta().npu
  if (!meta || meta.resumed) return false
  return meta.verdict ? meta.verdict.kind !== 'infrastructure' : isSpared(test)
}

/**
 * A test without a verdict: one that failed did so because of us (a time limit of Vitest, an error of the plugin), one
 * that never ended lost its worker, one that was skipped was not judged, nor was one that a cancelled run (`bail`, a key) has not
 * come to.
 */
export function entryOf(test: TestCase, isCancelled = false): LedgerEntry | undefined {
  const meta = test.meta().npu
  if (!meta) return undefined
  const { verdict, reached: _, places: __, spared: ___, resumed, ...said } = meta
  const rest = { v: ledgerVersion, ...said, ...(!resumed && timeOf(test)) } as const
  const { state, errors } = test.result()
  if (state === 'pending' && isCancelled) return undefined
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
