import { z } from 'zod'
import { failuresEnding } from '../cache/cache.ts'
import { hashOf } from '../cache/hash.ts'
import { assessment, coverage, report, type KernelCase, type Verdict } from '../model/index.ts'
import type { LaunchFacts, Outcome } from './evaluate.ts'
import { VerdictFile } from './verdict-file.ts'

const launchFacts: z.ZodType<LaunchFacts> = z.object({
  latencyNs: z.number(),
  hostMs: z.number(),
  source: z.literal('emulated'),
  addsFloats: z.boolean(),
  polls: z.boolean().exactOptional(),
  meets: z.boolean().exactOptional(),
  profile: z.string(),
  pipes: z.record(z.string(), z.number()),
  coverage: z.array(coverage).exactOptional(),
  reached: z.string().exactOptional(),
  prefilled: z.array(z.string()).exactOptional(),
  blockDim: z.number(),
  tilingKey: z.union([z.number(), z.string()]),
})

/** A right outcome of a static case; its verdict is `correct` and holds nothing else. */
const rightCase = z.object({
  seed: z.int(),
  assessment: assessment.exactOptional(),
  launch: launchFacts,
  reports: z.array(report),
  log: z.string(),
})

/** A search that found no failing case, whether it was completed or its time was up. */
const passedSearch = z.object({
  seed: z.int(),
  /** generated cases that were judged; a later search goes on from there */
  generated: z.int(),
  assessment: assessment.exactOptional(),
  /** blocks of the kernel's code that its launches have reached, also those of the corpus */
  reached: z.string().exactOptional(),
  /**
   * which draws it has tried, which of them were the first to reach some code, and what they have reached; draws come one after the
   * other where left out
   */
  course: z.object({ draws: z.array(z.string()), opening: z.array(z.string()), reached: z.string() }).exactOptional(),
  /** tiling keys of its launches */
  tilingKeys: z.array(z.string()).exactOptional(),
})

export type PassedSearch = z.infer<typeof passedSearch>

/** That the candidate has failed: the verdict of the run under this seed. */
const failure = z.object({ seed: z.int(), failed: z.string() })

/** What decides which cases a search tries, besides the domain of its task and the seed. */
export interface SearchKey {
  runs: number
  corpus: readonly KernelCase[]
  /** whether half of the cases run on narrow devices: the option, where the target has such devices */
  narrowDevices: boolean
  guided: boolean
}

/**
 * What earlier runs found out about one artifact on one task. Only what was right is remembered; whatever went wrong is judged
 * again, and in every run from then on: what fails once and is right another time, unchanged, is right by chance, and no run may
 * take it for right without judging it. Every entry has the seed of its run: an unchanged kernel is not judged again because a run has drawn another seed, a changed
 * one is judged on inputs that nobody has seen. Whoever names a seed gets entries of that seed only.
 */
export class VerdictCache {
  readonly #file: VerdictFile
  /** Apart from what was right: a file that has become too large starts anew, and what failed is not to be forgotten. */
  readonly #failures: VerdictFile

  /** `path`: of the file of right outcomes. */
  constructor(path: string) {
    this.#file = new VerdictFile(path)
    this.#failures = new VerdictFile(`${path}${failuresEnding}`)
  }

  /** How a static case was judged, under `seed` or, without one, under any. */
  findCase(kernelCase: KernelCase, seed: number | undefined): Outcome | undefined {
    if (this.#hasFailed(keyOfCase(kernelCase))) return undefined
    const [found] = this.#find(rightCase, keyOfCase(kernelCase), seed)
    if (!found) return undefined
    const { seed: then, ...outcome } = found
    return { verdict: { kind: 'correct' }, ...outcome, remembered: { seed: then } }
  }

  /** Keeps an outcome that is right, of an emulated device, and that a candidate has failed. */
  keepCase(kernelCase: KernelCase, seed: number, { verdict, ...outcome }: Outcome): void {
    if (verdict.kind !== 'correct') return this.#keepFailure(keyOfCase(kernelCase), seed, verdict)
    // it would not be looked at
    if (this.#hasFailed(keyOfCase(kernelCase))) return
    const parsed = rightCase.safeParse({ seed, ...outcome })
    if (parsed.success) this.#file.keep(keyOfCase(kernelCase), parsed.data)
  }

  /** The search that got farthest, under `seed` or, without one, under any. */
  findSearch(key: SearchKey, seed: number | undefined): PassedSearch | undefined {
    if (this.#hasFailed(anySearch)) return undefined
    return this.#find(passedSearch, keyOfSearch(key), seed).reduce<PassedSearch | undefined>(
      (best, next) => (best && best.generated >= next.generated ? best : next),
      undefined,
    )
  }

  keepSearch(key: SearchKey, search: PassedSearch): void {
    if (this.#hasFailed(anySearch)) return
    this.#file.keep(keyOfSearch(key), search)
  }

  /** Keeps that a search has found a case that fails: it is one of the questions of every other search. */
  keepFailedSearch(seed: number, verdict: Verdict): void {
    this.#keepFailure(anySearch, seed, verdict)
  }

  #keepFailure(key: string, seed: number, { kind }: Verdict): void {
    // a failure of ours says nothing of the candidate; one line of another is enough
    if (kind !== 'infrastructure' && !this.#hasFailed(key)) this.#failures.keep(key, { seed, failed: kind })
  }

  #hasFailed(key: string): boolean {
    return this.#failures.find(key).some((answer) => failure.safeParse(answer).success)
  }

  #find<T extends { seed: number }>(schema: z.ZodType<T>, key: string, seed: number | undefined): T[] {
    return this.#file
      .find(key)
      .flatMap((answer) => schema.safeParse(answer).data ?? [])
      .filter((answer) => seed === undefined || answer.seed === seed)
  }
}

const keyOfCase = (kernelCase: KernelCase): string => hashOf('case', exactJson(kernelCase))

/** Searches differ in the cases that they try first, and a failure adds one. */
const anySearch = hashOf('any search')

const keyOfSearch = ({ runs, corpus, narrowDevices, guided }: SearchKey): string =>
  hashOf('search', exactJson([runs, corpus, narrowDevices, guided]))

/** JSON has no NaN, infinity or negative zero: they would become null and zero. */
const exactJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'number' && (!Number.isFinite(member) || Object.is(member, -0))
      ? { number: Object.is(member, -0) ? '-0' : String(member) }
      : member,
  )
