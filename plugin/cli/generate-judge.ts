import { Writable } from 'node:stream'
import { keyOf } from '../generation/run-folder.ts'
import type { Judge } from '../generation/loop.ts'
import { readLedger, type LedgerEntry } from '../ledger/index.ts'
import { existsSync } from 'node:fs'
import { judgeFolders } from './judge-samples.ts'

/** Has Vitest judge samples where they lie, all in one run. What it says of its progress is kept from the terminal. */
export const judgeIn =
  (candidateOf: (place: Parameters<Judge>[0][number]['place']) => string): Judge =>
  async (samples, signal) => {
    const code = process.exitCode
    // tests that fail are what is asked for
    const judging = judgeFolders(
      samples.map(({ place }) => candidateOf(place)),
      new Nothing(),
    ).finally(() => (process.exitCode = code))
    const { ledger } = await Promise.race([judging, rejectionAt(signal)])
    const path = ledger()
    const entries = existsSync(path) ? readLedger(path) : []
    const judged = new Map<string, LedgerEntry[]>()
    for (const { name, place } of samples) {
      const own = entries.filter(
        ({ suite, task, sample }) => suite === name.suite && task === name.task && sample === place.sample,
      )
      judged.set(keyOf(name), own)
    }
    return judged
  }

/** Swallows what is written. */
class Nothing extends Writable {
  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    done()
  }
}

const rejectionAt = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true }))
