import type { Table } from '../ledger/table.ts'
import { percent } from '../ledger/table.ts'
import { moneyOf, tokensOf, type Prices } from './budget.ts'
import type { Turn } from './run-folder.ts'
import type { TurnOutcome } from './transcript.ts'

/** A sample as the closing table counts it. */
export interface CountedSample {
  /** `level1`; the suite where a task is in no group */
  level: string
  task: string
  turns: readonly Turn[]
}

/** What has become of a sample after so many turns: one that was right or gave up earlier stays what it was. */
const outcomeAt = ({ turns }: CountedSample, turn: number): TurnOutcome | undefined =>
  turns.slice(0, turn).findLast(({ outcome }) => outcome !== undefined)?.outcome

/** Whether a sample was right in any turn up to this one: a faster one that is wrong takes nothing away. */
const isRight = ({ turns }: CountedSample, turn: number): boolean =>
  turns.slice(0, turn).some(({ outcome }) => outcome?.correct)

/** Rates after each turn, what each has gained, and what it has cost: a row for each level, and one for all. */
export function turnsTable(samples: readonly CountedSample[], prices: Prices | undefined): Table {
  const last = Math.max(1, ...samples.map(({ turns }) => turns.length))
  const turns = Array.from({ length: last }, (_, i) => i + 1)
  const levels = [...new Set(samples.map(({ level }) => level))].sort()
  const rows = levels.map((level) => ({ name: level, of: samples.filter((sample) => sample.level === level) }))
  if (rows.length !== 1) rows.push({ name: 'all', of: [...samples] })
  const cells = (name: string, of: readonly CountedSample[]): [string, string][] => {
    const judged = of.filter((sample) => outcomeAt(sample, last))
    const share = (count: number): string => percent(judged.length === 0 ? null : count / judged.length)
    const right = (turn: number): number => judged.filter((sample) => isRight(sample, turn)).length
    const usages = of.flatMap((sample) => sample.turns.map(({ answer }) => answer.usage))
    const money = prices && usages.reduce((sum, usage) => sum + moneyOf(usage, prices), 0)
    return [
      ['level', name],
      ['tasks', String(new Set(of.map(({ task }) => task)).size)],
      ['samples', String(of.length)],
      ['judged', String(judged.length)],
      ...turns.flatMap((turn): [string, string][] => [
        [`compile ${turn}`, share(judged.filter((sample) => outcomeAt(sample, turn)?.compiled).length)],
        [`correct ${turn}`, share(right(turn))],
        ...(turn > 1 ? ([[`gained ${turn}`, String(right(turn) - right(turn - 1))]] as [string, string][]) : []),
      ]),
      ['tokens', short(usages.reduce((sum, usage) => sum + tokensOf(usage), 0))],
      ...(money === undefined
        ? []
        : ([
            ['money', money.toFixed(2)],
            ['per correct', right(last) === 0 ? '-' : (money / right(last)).toFixed(3)],
          ] as [string, string][])),
    ]
  }
  const header = cells('', []).map(([column]) => column)
  return { title: 'turns', header, rows: rows.map(({ name, of }) => cells(name, of).map(([, cell]) => cell)) }
}

/** What has stopped samples that are not right in their last turn, the most frequent first; no table where all are right. */
export function errorsTable(samples: readonly CountedSample[]): Table[] {
  const counts = new Map<string, number>()
  for (const sample of samples) {
    const outcome = outcomeAt(sample, sample.turns.length)
    if (!outcome || isRight(sample, sample.turns.length)) continue
    const name = outcome.class === null ? outcome.verdict : `${outcome.verdict}: ${outcome.class}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (all === 0) return []
  const rows = [...counts]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .map(([name, count]) => [name, String(count), percent(count / all)])
  return [{ title: 'errors', header: ['error', 'samples', 'share'], rows }]
}

const short = (count: number): string =>
  count < 10_000 ? String(count) : count < 10_000_000 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1e6).toFixed(1)}M`
