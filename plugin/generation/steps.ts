import { rankOfKind } from '../ledger/errors.ts'
import type { Turn } from './run-folder.ts'
import type { TurnOutcome } from './transcript.ts'

/**
 * What follows the first turn of a sample. `independent`: nothing. `repair`: each sample is repaired by itself. `best-of-n`: the
 * one of its task that got furthest is.
 */
export const strategies = ['independent', 'repair', 'best-of-n'] as const

export type Strategy = (typeof strategies)[number]

/** How a sample goes on from turn to turn. */
export interface Rules {
  /** prompts for one sample at most */
  turns: number
  strategy: Strategy
  /** whether findings of a turn are told one at a time, or all together */
  feedback: 'first' | 'all'
  history: 'keep' | 'fresh'
  /** goes on after a right turn, for a shorter time */
  improve: boolean
  /** false: answers are kept, and nothing is judged */
  judges: boolean
}

export type Step = 'ask' | 'judge' | 'wait' | 'done'

/** A sample that is not wrong: nothing is left to repair. */
const isFine = ({ verdict }: TurnOutcome): boolean => verdict === 'correct' || verdict === 'undecided'

/** What to do next with a sample; `siblings` are all samples of its task, itself among them. */
export function stepOf(turns: readonly Turn[], siblings: readonly (readonly Turn[])[], rules: Rules): Step {
  const last = turns.at(-1)
  if (!last) return 'ask'
  if (!last.outcome) return rules.judges ? 'judge' : 'done'
  if (!rules.judges || turns.length >= rules.turns || rules.strategy === 'independent') return 'done'
  // whatever is added to it, it stays too long
  if (last.answer.finish === 'context-too-long') return 'done'
  if (isFine(last.outcome) && !rules.improve) return 'done'
  if (rules.strategy === 'best-of-n' && turns.length === 1) {
    if (siblings.some(([first]) => first?.outcome === undefined)) return 'wait'
    const firsts = siblings.map(([first]) => first!)
    return siblings[bestOf(firsts)] === turns ? 'ask' : 'done'
  }
  return 'ask'
}

/** Index of the turn that got furthest, of right ones the fastest; of equals the first. */
export function bestOf(turns: readonly Turn[]): number {
  let best = 0
  for (let i = 1; i < turns.length; i++) if (isBetter(turns[i]!.outcome, turns[best]!.outcome)) best = i
  return best
}

function isBetter(one: TurnOutcome | undefined, other: TurnOutcome | undefined): boolean {
  if (!one || !other) return one !== undefined
  if (one.correct !== other.correct) return one.correct
  if (!one.correct) return rankOfKind(one.verdict) > rankOfKind(other.verdict)
  return (one.latency ?? Infinity) < (other.latency ?? Infinity)
}

/** The turn whose files are those of the sample: the newest one, or with `improve` the best. undefined: none was judged. */
export function turnThatCounts(turns: readonly Turn[], { improve }: Pick<Rules, 'improve'>): number | undefined {
  if (improve && turns.some(({ outcome }) => outcome)) return bestOf(turns) + 1
  const newest = turns.findLastIndex(({ outcome }) => outcome !== undefined)
  return newest < 0 ? undefined : newest + 1
}
