import { printTable } from '../figures.ts'
import type { Damage } from '../../plugin/mutation/edits.ts'

/**
 * How a mutant ended. `warning`: right outputs, and the device warns of what the original does not do. `same code`: the
 * libraries are those of the original.
 */
export type MutantResult = 'device' | 'values' | 'warning' | 'MISSED' | 'equivalent' | 'same code' | 'does not build'

const noticed: readonly MutantResult[] = ['device', 'values', 'warning']
const columns: readonly MutantResult[] = [...noticed, 'MISSED', 'equivalent', 'same code', 'does not build']
const ordering: ReadonlySet<Damage> = new Set(['synchronisation', 'queues'])

/** Counts what became of mutants, by what was damaged. */
export class Score {
  readonly #results = new Map<Damage, Map<MutantResult, number>>()
  /** operators with a mutant that counts */
  readonly #judged = new Set<string>()

  add(operator: string, damage: Damage, result: MutantResult): void {
    if (result === 'MISSED' || noticed.includes(result)) this.#judged.add(operator)
    const counts = this.#results.get(damage) ?? new Map<MutantResult, number>()
    counts.set(result, (counts.get(result) ?? 0) + 1)
    this.#results.set(damage, counts)
  }

  /** A table of all kinds, the two scores, and the operators that they say nothing about. */
  print(seed: number, clean: readonly string[], wanted: readonly string[]): void {
    const kinds = [...this.#results.keys()]
    printTable(`mutation score: one edit at a time of ${clean.length} clean operators, --seed=${seed}`, [
      ['damage', ...columns, 'noticed'],
      ...kinds.map((damage) => [damage, ...this.#row([damage])]),
      ['all', ...this.#row(kinds)],
    ])
    const [order, rest] = [kinds.filter((kind) => ordering.has(kind)), kinds.filter((kind) => !ordering.has(kind))]
    console.log(`\nsynchronisation and queues: ${this.#share(order)}; everything else: ${this.#share(rest)}`)
    console.log(`operators: ${clean.join(', ')}`)
    const silent = wanted.filter((operator) => !this.#judged.has(operator))
    if (silent.length > 0) console.log(`without an edit that counts: ${silent.join(', ')}`)
  }

  #sum(kinds: readonly Damage[], results: readonly MutantResult[]): number {
    return kinds
      .flatMap((kind) => results.map((result) => this.#results.get(kind)?.get(result) ?? 0))
      .reduce((total, count) => total + count, 0)
  }

  #row(kinds: readonly Damage[]): string[] {
    return [...columns.map((result) => String(this.#sum(kinds, [result]))), this.#share(kinds)]
  }

  #share(kinds: readonly Damage[]): string {
    const [part, whole] = [this.#sum(kinds, noticed), this.#sum(kinds, [...noticed, 'MISSED'])]
    return whole === 0 ? '-' : `${part} of ${whole}, ${((100 * part) / whole).toFixed(1)} %`
  }
}
