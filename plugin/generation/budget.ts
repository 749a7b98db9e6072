import type { Usage } from './transcript.ts'

/** Prices of a million tokens, in whatever money somebody pays. */
export interface Prices {
  input: number
  output: number
}

/** What a run may cost; what is left out has no limit. */
export interface Budget {
  tokens?: number | undefined
  money?: number | undefined
  minutes?: number | undefined
}

export const tokensOf = ({ input, output }: Usage): number => input + output

export const moneyOf = ({ input, output }: Usage, prices: Prices): number =>
  (input * prices.input + output * prices.output) / 1e6

/** What has been spent, in all turns of a run, those before a kill included; minutes are of this call alone. */
export class Spending {
  readonly #budget: Budget
  readonly prices: Prices | undefined
  readonly #began = performance.now()
  tokens = 0
  money = 0

  constructor(budget: Budget, prices: Prices | undefined) {
    this.#budget = budget
    this.prices = prices
  }

  add(usage: Usage): void {
    this.tokens += tokensOf(usage)
    if (this.prices) this.money += moneyOf(usage, this.prices)
  }

  /** Why nothing more is asked; undefined while there is something left. */
  spent(): string | undefined {
    const { tokens = Infinity, money = Infinity, minutes = Infinity } = this.#budget
    if (this.tokens >= tokens) return `the budget of ${tokens} tokens is spent`
    if (this.money >= money) return `the budget of ${money} is spent`
    if (performance.now() - this.#began >= minutes * 60_000) return `the ${minutes} minutes are over`
    return undefined
  }
}
