import { hashOf } from '../cache/hash.ts'
import type { Sample, Target, VendorFigures } from '../model/index.ts'
import { sourceHash } from '../service/source-hash.ts'

/** The task of a sample, and the spec that defines it. */
export interface BasisTask {
  suite: string
  task: string
  /** absolute path of the spec, and the Vitest project that runs it */
  spec: string
  project: string
}

/** What a run tells of the things that a basis names. */
export interface BasisFacts {
  /** names what a verdict on a spec follows from; null: nobody can tell */
  digestOf: (spec: string, project: string) => string | null
  target: Pick<Target, 'runConditions'>
  /** the operator that latencies of a task are compared with */
  baselineOf: (task: { suite: string; name: string }) => Sample | undefined
  vendorFigures: VendorFigures | undefined
}

/**
 * Names all that the lines of a sample follow from beside its own sources and what they were built to: its spec and the conditions of the
 * run, and for the latency the baseline operator and the figures of the vendor.
 */
export class SampleBasis {
  readonly #facts: BasisFacts
  readonly #figures: string
  /** as the run has first seen them: it does not build them twice */
  readonly #baselines = new Map<string, string | null>()

  constructor(facts: BasisFacts) {
    this.#facts = facts
    this.#figures = JSON.stringify(facts.vendorFigures ?? null)
  }

  /** null: nobody can tell, and what was judged holds in no other run. */
  of({ suite, task, spec, project }: BasisTask): string | null {
    const digest = this.#facts.digestOf(spec, project)
    const baseline = this.#baseline(suite, task)
    if (digest === null || baseline === null) return null
    const conditions = this.#facts.target.runConditions?.() ?? []
    return hashOf(digest, baseline, this.#figures, ...conditions)
  }

  #baseline(suite: string, task: string): string | null {
    const key = JSON.stringify([suite, task])
    let sources = this.#baselines.get(key)
    if (sources === undefined) {
      const sample = this.#facts.baselineOf({ suite, name: task })
      sources = sample ? (sourceHash(sample) ?? null) : ''
      this.#baselines.set(key, sources)
    }
    return sources
  }
}
