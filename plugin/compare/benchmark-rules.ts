import type { Answer } from '../model/index.ts'
import { BLOCK } from './reading.ts'
import type { BenchmarkCheck, BenchmarkRule, ToleranceProfiles } from './rules.ts'

/** What the rule of the public benchmark says of all outputs, and what those of its other revisions do. */
export interface BenchmarkAnswers {
  readonly benchmark: Answer
  /** absent where the task has none */
  readonly revisions?: Readonly<Record<string, Answer>>
}

type Rules = Pick<ToleranceProfiles, 'benchmark' | 'revisions'>
type Context = Parameters<BenchmarkRule>[0]

/** The answers to outputs that are not of the right structure: no rule accepts them. */
export const nothingAccepted = (rules: Rules): BenchmarkAnswers => answersOf(rules, new Set())

function answersOf({ benchmark, revisions }: Rules, accepting: ReadonlySet<BenchmarkRule>): BenchmarkAnswers {
  const answer = (rule: BenchmarkRule): Answer => (accepting.has(rule) ? 'accepted' : 'rejected')
  const named = Object.entries(revisions ?? {}).map(([name, rule]) => [name, answer(rule)] as const)
  return { benchmark: answer(benchmark), ...(revisions && { revisions: Object.fromEntries(named) }) }
}

function ownCopy(block: Float64Array, memory: Float64Array): Float64Array {
  const own = memory.subarray(0, block.length)
  own.set(block)
  return own
}

/** The rules of a task, asked together about one tensor after the other, each until it rejects. */
export class AskedRules {
  readonly #rules: Rules
  readonly #accepting: Set<BenchmarkRule>

  constructor(rules: Rules) {
    this.#rules = rules
    this.#accepting = new Set([rules.benchmark, ...Object.values(rules.revisions ?? {})])
  }

  /** One check for all that have accepted so far; undefined where none has. */
  check(context: Context): BenchmarkCheck | undefined {
    const asked = [...this.#accepting].map((rule) => ({ rule, check: rule(context) }))
    if (asked.length === 0) return undefined
    const keep = (accepts: (check: BenchmarkCheck) => boolean): boolean => {
      for (const { rule, check } of asked)
        if (this.#accepting.has(rule) && !accepts(check)) this.#accepting.delete(rule)
      return this.#accepting.size > 0
    }
    // golden is kept for other samples: a rule that works in place does so on memory of its own
    const [wanted, got] = [new Float64Array(BLOCK), new Float64Array(BLOCK)]
    return {
      block: (expected, actual) => keep((check) => check.block(ownCopy(expected, wanted), ownCopy(actual, got))),
      acceptsRounded: asked.every(({ check }) => check.acceptsRounded === true),
      end: () => keep((check) => check.end?.() ?? true),
    }
  }

  get answers(): BenchmarkAnswers {
    return answersOf(this.#rules, this.#accepting)
  }
}
