import type { LedgerEntry } from '../ledger/index.ts'

/** Milliseconds that a run takes before it tells how far it is, and between two lines: where somebody looks on, and elsewhere. */
const quietMs = 30_000
const everyMs = { watched: 30_000, unwatched: 180_000 }

/** Tests at the end of a run by which its rate is told. */
const rateOverMs = 300_000

/** How many specs a run has, and how many of them workers have begun and ended. */
export interface Specs {
  begun: number
  done: number
  all: number
}

/** Tells of a run of hours how far it is. It works from the tests that have ended, and says nothing of short runs. */
export class Progress {
  readonly #started: number
  readonly #every: number
  #told: number
  #done = 0
  readonly #kinds = new Map<string, number>()
  /** when tests ended, once for each second: how many had by then */
  readonly #marks: { at: number; done: number }[]
  #slowest: { name: string; ms: number } | undefined

  /** `watched`: whether somebody looks on. */
  constructor(now: number, watched: boolean) {
    this.#started = now
    this.#told = now
    this.#every = watched ? everyMs.watched : everyMs.unwatched
    this.#marks = [{ at: now, done: 0 }]
  }

  /** Counts a test that has ended, with what the ledger says of it, if anything. */
  count(now: number, entry: Pick<LedgerEntry, 'task' | 'sample' | 'case' | 'verdict' | 'ms'> | undefined): void {
    this.#done++
    if (now - (this.#marks.at(-1)?.at ?? 0) >= 1000) this.#marks.push({ at: now, done: this.#done })
    while ((this.#marks[1]?.at ?? now) < now - rateOverMs) this.#marks.shift()
    if (!entry) return
    const { task, sample, case: title, verdict, ms = 0 } = entry
    this.#kinds.set(verdict.kind, (this.#kinds.get(verdict.kind) ?? 0) + 1)
    if (ms > (this.#slowest?.ms ?? 0)) this.#slowest = { name: [task, sample ?? [], title].flat().join(' › '), ms }
  }

  /** A line, where it is time for one: of so many known tests, those of specs that a worker has begun. */
  line(now: number, known: number, specs: Specs): string | undefined {
    if (now - this.#started < quietMs || now - this.#told < this.#every) return undefined
    this.#told = now
    const [from] = this.#marks
    const seconds = (now - (from?.at ?? now)) / 1000
    const rate = (this.#done - (from?.done ?? 0)) / Math.max(1, seconds)
    const elapsed = (now - this.#started) / 1000
    const left = specs.begun === specs.all ? (known - this.#done) / rate : (specs.all / specs.done - 1) * elapsed
    const kinds = [...this.#kinds].map(([kind, number]) => `${number} ${kind}`).join(', ')
    const slowest = this.#slowest ? `; slowest: ${this.#slowest.name}, ${duration(this.#slowest.ms / 1000)}` : ''
    return (
      `${this.#done} of ${known} tests of ${specs.begun} specs, ${specs.done} of ${specs.all} specs after ${duration(elapsed)}` +
      `${kinds === '' ? '' : `: ${kinds}`}; ${(60 * rate).toFixed(0)} a minute` +
      `${Number.isFinite(left) ? `, ${duration(left)} left` : ''}${slowest}`
    )
  }
}

/** `45 s`, `12 min`, `3 h 05 min` */
function duration(seconds: number): string {
  if (seconds < 90) return `${seconds.toFixed(0)} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}
