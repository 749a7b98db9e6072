import type { Spending } from '../generation/budget.ts'
import type { CountedSample } from '../generation/summary.ts'

const everyMs = 10_000
const repeatMs = 120_000

/** Tells now and then on stderr how far a run is: rate, time left, spend. */
export class GenerateProgress {
  readonly #began = performance.now()
  readonly #samples: readonly CountedSample[]
  readonly #spending: Spending
  readonly #open: () => { asking: number; toAsk: number; judging: number }
  readonly #first: number
  readonly #timer: NodeJS.Timeout
  #said = { line: '', ms: performance.now() }

  constructor(
    samples: readonly CountedSample[],
    spending: Spending,
    open: () => { asking: number; toAsk: number; judging: number },
  ) {
    this.#samples = samples
    this.#spending = spending
    this.#open = open
    this.#first = this.#answers()
    this.#timer = setInterval(() => this.#say(), everyMs)
  }

  /** What has not changed is said again after some minutes alone. */
  #say(): void {
    const line = this.#line()
    const now = performance.now()
    const state = line.replace(/\([^()]*\)|, \d+ (?:s|min) left/g, '')
    if (state === this.#said.line && now - this.#said.ms < repeatMs) return
    this.#said = { line: state, ms: now }
    console.error(line)
  }

  #line(): string {
    const { asking, toAsk, judging } = this.#open()
    const seconds = (performance.now() - this.#began) / 1000
    const answers = this.#answers()
    const rate = (answers - this.#first) / seconds
    const judged = this.#samples.filter(({ turns }) => turns.some(({ outcome }) => outcome)).length
    const right = this.#samples.filter(({ turns }) => turns.some(({ outcome }) => outcome?.correct)).length
    const left = rate > 0 ? `, ${minutes((asking + toAsk) / rate)} left` : ''
    const { tokens, money, prices } = this.#spending
    return [
      `generate: ${answers} answers (${rate.toFixed(2)}/s), ${asking} asked, ${toAsk} to ask${left}`,
      `${judging} to judge, ${judged} of ${this.#samples.length} samples judged, ${right} right`,
      `${tokens} tokens${prices ? `, ${money.toFixed(2)} spent` : ''}`,
    ].join('; ')
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #answers(): number {
    return this.#samples.reduce((sum, { turns }) => sum + turns.length, 0)
  }
}

const minutes = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
