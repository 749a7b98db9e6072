import { Arbitrary, asyncProperty, check, PreconditionFailure, type Stream, type Value } from 'fast-check'
import type { Outcome } from '../evaluation/evaluate.ts'
import type { PassedSearch } from '../evaluation/verdict-cache.ts'
import { bothOf } from '../evaluation/assessment.ts'
import type { KernelCase } from '../model/index.ts'
import { drawPattern, Draws, type Choice, type DrawName } from '../search/index.ts'

/** One search for a case that a kernel gets wrong. */
export interface Search {
  domain: Arbitrary<KernelCase>
  /** cases to try first, in order: they failed in an earlier run */
  corpus: readonly KernelCase[]
  /** judges one case; `infrastructure` ends the search without a finding */
  evaluate: (kernelCase: KernelCase) => Promise<Outcome>
  /** generated cases to try */
  runs: number
  /** what an earlier search under the same seed has tried in vain before its time was up: it is not judged again */
  earlier?: Pick<PassedSearch, 'generated' | 'assessment'> | undefined
  /** wall-clock milliseconds after which no further case is begun, once the least number has been; those begun are judged to their ends */
  budgetMs: number
  seed: number
  /** decides which draws are tried; in their order where left out */
  choose?: ((draws: Draws) => Choice) | undefined
  /** `seed:draw:path` of an earlier finding: that case alone is tried */
  replay?: string | undefined
  signal: AbortSignal
}

/**
 * Generated cases that are judged whatever time they take. A candidate that is slow where nobody times it must not choose how many
 * there are.
 */
export const leastRuns = 10

/** What a search came to. `assessment` is what the profiles say of all cases together. */
export type Finding =
  | {
      kind: 'holds'
      /** cases judged, and how many of them were generated; with those of the earlier search */
      runs: number
      generated: number
      interrupted: boolean
      assessment: Outcome['assessment']
    }
  | {
      kind: 'fails'
      case: KernelCase
      outcome: Outcome
      runs: number
      shrinks: number
      replay: string
      interrupted: boolean
    }
  | { kind: 'fails-again'; case: KernelCase; outcome: Outcome; runs: number }
  | { kind: 'stopped'; case: KernelCase; outcome: Outcome; runs: number }

/**
 * Tries the corpus, then generated cases, and shrinks the first failure to the smallest that still fails. Every case is
 * reproducible: by value from the corpus, otherwise by `seed:draw:path`, whatever has chosen the draw.
 */
export async function search(options: Search): Promise<Finding> {
  const { corpus, evaluate, replay, signal, earlier } = options
  const skipped = earlier?.generated ?? 0
  let runs = skipped
  let stopped: { case: KernelCase; outcome: Outcome } | undefined
  let assessment: Outcome['assessment'] = earlier?.assessment
  const outcomes = new Map<KernelCase, Outcome>()
  let last: Outcome | undefined

  const holds = async (kernelCase: KernelCase): Promise<boolean> => {
    signal.throwIfAborted()
    // after a failure of ours nothing is learnt from further cases, and the search must not shrink towards it
    if (stopped) return true
    const outcome = await evaluate(kernelCase)
    last = outcome
    runs++
    if (outcome.verdict.kind === 'infrastructure') {
      stopped = { case: kernelCase, outcome }
      return true
    }
    assessment = bothOf(assessment, outcome.assessment)
    if (outcome.verdict.kind === 'correct') return true
    outcomes.set(kernelCase, outcome)
    return false
  }

  if (replay === undefined) {
    for (const known of corpus) {
      const good = await holds(known)
      if (stopped) return { kind: 'stopped', ...stopped, runs }
      const outcome = outcomes.get(known)
      if (!good && outcome) return { kind: 'fails-again', case: known, outcome, runs }
    }
  }
  if (options.runs === 0) return { kind: 'holds', runs, generated: 0, interrupted: false, assessment }

  let begun = 0
  const end = performance.now() + options.budgetMs
  const { seed, draw, path } = replay === undefined ? { ...options, draw: undefined, path: [] } : replayOf(replay)
  const draws = new Draws(options.domain, seed)
  const choice = options.choose?.(draws) ?? inOrder(skipped)
  const chosen = new ChosenDraw(options.domain, draws, draw ?? (await choice.next()))
  const limit = draw === undefined ? options.runs - skipped : 1
  const property = asyncProperty(chosen, async (kernelCase) => {
    // never while a case runs: a candidate that gives no answer would choose the cases that it is judged by
    const mayEnd = begun > 0 && (outcomes.size > 0 || skipped + begun >= leastRuns)
    begun++
    if (mayEnd && performance.now() >= end) throw new PreconditionFailure(true)
    const good = await holds(kernelCase)
    // what follows a failure are its shrinks
    if (outcomes.size > 0 || stopped || begun >= limit || !last) return good
    choice.note(last.launch?.reached)
    chosen.name = await choice.next()
    return good
  })
  const details = await check(property, {
    seed,
    numRuns: limit,
    markInterruptAsFailure: false,
    ...(draw !== undefined && { path: [0, ...path].join(':'), endOnFailure: true }),
  })
  // one bad case decides, whatever happened to its shrinks
  if (stopped && outcomes.size === 0) return { kind: 'stopped', ...stopped, runs }
  signal.throwIfAborted()
  const [found] = details.counterexample ?? []
  const outcome = found && outcomes.get(found)
  if (details.failed && found && outcome) {
    const { counterexamplePath, numShrinks: shrinks, interrupted } = details
    // the path begins with the number of the run
    const shrunk = counterexamplePath?.split(':').slice(1) ?? []
    return {
      kind: 'fails',
      case: found,
      outcome,
      runs: skipped + details.numRuns,
      shrinks,
      replay: [seed, chosen.name, ...shrunk].join(':'),
      interrupted,
    }
  }
  if (details.failed && details.errorInstance instanceof Error) throw details.errorInstance
  const { interrupted, numRuns } = details
  return { kind: 'holds', runs, generated: skipped + numRuns, interrupted, assessment }
}

/** The draws one after the other, from a number on. */
function inOrder(first: number): Choice {
  let number = first
  return { next: () => Promise.resolve(String(number++)), note: () => {} }
}

/** The draw that was chosen: what fast-check draws, whatever its own random numbers are. */
class ChosenDraw extends Arbitrary<KernelCase> {
  name: DrawName
  readonly #domain: Arbitrary<KernelCase>
  readonly #draws: Draws

  constructor(domain: Arbitrary<KernelCase>, draws: Draws, name: DrawName) {
    super()
    this.#domain = domain
    this.#draws = draws
    this.name = name
  }

  generate(): Value<KernelCase> {
    return this.#draws.value(this.name)
  }

  canShrinkWithoutContext(value: unknown): value is KernelCase {
    return this.#domain.canShrinkWithoutContext(value)
  }

  shrink(value: KernelCase, context: unknown): Stream<Value<KernelCase>> {
    return this.#domain.shrink(value, context)
  }
}

function replayOf(replay: string): { seed: number; draw: DrawName; path: string[] } {
  const [, seed, draw, path = ''] = new RegExp(`^(-?\\d+):(${drawPattern})((?::\\d+)*)$`).exec(replay) ?? []
  if (seed === undefined || draw === undefined)
    throw new Error(`NPU_REPLAY is ${JSON.stringify(replay)}; allowed: seed:draw:path, e.g. 1812:7:2:0`)
  return { seed: Number(seed), draw, path: path.split(':').slice(1) }
}
