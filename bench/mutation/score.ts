import { printTable } from '../figures.ts'
import type { Damage } from './edits.ts'

/**
 * How a mutant ended. `warning`: right outputs, and the device warns of what the original does not do. `not compiled`: the
 * libraries are those of the original.
 */
export type Fate = 'device' | 'values' | 'warning' | 'MISSED' | 'equivalent' | 'not compiled' | 'does not build'

const noticed: readonly Fate[] = ['device', 'values', 'warning']
const columns: readonly Fate[] = [...noticed, 'MISSED', 'equivalent', 'not compiled', 'does not build']
const ordering: ReadonlySet<Damage> = new Set(['synchronisation', 'queues'])

/** Counts what became of mutants, by what was damaged. */
export class Score {
  readonly #fates = new Map<Damage, Map<Fate, number>>()
  /** operators with a mutant that counts */
  readonly #judged = new Set<string>()

  add(operator: string, damage: Damage, fate: Fate): void {
    if (fate === 'MISSED' || noticed.includes(fate)) this.#judged.add(operator)
    const counts = this.#fates.get(damage) ?? new Map<Fate, number>()
    counts.set(fate, (counts.get(fate) ?? 0) + 1)
    this.#fates.set(damage, counts)
  }

  /** A table of all kinds, the two scores, and the operators that they say nothing about. */
  print(seed: number, clean: readonly string[], wanted: readonly string[]): void {
    const kinds = [...this.#fates.keys()]
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

  #sum(kinds: readonly Damage[], fates: readonly Fate[]): number {
    return kinds
      .flatMap((kind) => fates.map((fate) => this.#fates.get(kind)?.get(fate) ?? 0))
      .reduce((total, count) => total + count, 0)
  }

  #row(kinds: readonly Damage[]): string[] {
    return [...columns.map((fate) => String(this.#sum(kinds, [fate]))), this.#share(kinds)]
  }

  #share(kinds: readonly Damage[]): string {
    const [part, whole] = [this.#sum(kinds, noticed), this.#sum(kinds, [...noticed, 'MISSED'])]
    return whole === 0 ? '-' : `${part} of ${whole}, ${((100 * part) / whole).toFixed(1)} %`
  }
}
