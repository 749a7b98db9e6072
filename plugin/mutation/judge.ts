import type { Outcome } from '../evaluation/evaluate.ts'
import {
  InfrastructureError,
  type BuildResult,
  type KernelCase,
  type Report,
  type Sample,
  type Verdict,
} from '../model/index.ts'

/** What builds variants of an operator and runs cases on them. */
export interface Machine {
  /** one dtype combination */
  build(sample: Sample, combination: number): Promise<BuildResult>
  /** see `Target.contentOf`; null where it is not known */
  contentOf(artifact: string): Promise<string | null>
  evaluate(artifact: string, kernelCase: KernelCase): Promise<Outcome>
}

/** The operator without an edit. */
export interface Original {
  /** `Machine.contentOf` of each dtype combination of the task */
  contents: readonly (string | null)[]
  /** whether a report beside right outputs is none of the operator itself, and is noticed */
  tells(report: Report): boolean
}

/** What became of a mutant. */
export type Result =
  /** by wrong values, an error of the device, or right outputs with a warning that the original does not get */
  | { kind: 'noticed'; by: 'values' | 'device' | 'warning'; case: KernelCase; verdict: Verdict; report?: Report }
  | { kind: 'missed' }
  /** what is loaded is that of the original */
  | { kind: 'same code' }
  | { kind: 'does not build'; verdict: Verdict }

/** That a case has failed, or is right with a warning that tells. */
const noticed = (kernelCase: KernelCase, { verdict, reports }: Outcome, original: Original): Result | undefined => {
  if (verdict.kind === 'infrastructure') throw new InfrastructureError(verdict.message)
  const known = { kind: 'noticed', case: kernelCase, verdict } as const
  if (verdict.kind !== 'correct') return { ...known, by: verdict.kind.startsWith('wrong') ? 'values' : 'device' }
  const report = reports.find((each) => original.tells(each))
  return report && { ...known, by: 'warning', report }
}

/**
 * Builds a mutant and runs cases until one fails: only those of combinations whose code the edit has changed. What no case
 * fails has to build for all combinations. Throws {@link InfrastructureError} for what is not the mutant's fault.
 */
export async function judgeMutant(
  machine: Machine,
  original: Original,
  sample: Sample,
  cases: readonly KernelCase[],
): Promise<Result> {
  /** artifacts by combination; null where the code is that of the original */
  const built = new Map<number, string | null>()
  const build = async (combination: number): Promise<Verdict | undefined> => {
    if (built.has(combination)) return undefined
    const result = await machine.build(sample, combination)
    if (!result.ok) {
      if (result.verdict.kind === 'infrastructure') throw new InfrastructureError(result.verdict.message)
      return result.verdict
    }
    const content = await machine.contentOf(result.artifact)
    const isSame = content !== null && content === original.contents[combination]
    built.set(combination, isSame ? null : result.artifact)
    return undefined
  }
  let warning: Result | undefined
  for (const kernelCase of cases) {
    const verdict = await build(kernelCase.combination)
    if (verdict) return { kind: 'does not build', verdict }
    const artifact = built.get(kernelCase.combination) ?? null
    if (artifact === null) continue
    const found = noticed(kernelCase, await machine.evaluate(artifact, kernelCase), original)
    // another case may still fail
    if (found?.kind === 'noticed' && found.by === 'warning') warning ??= found
    else if (found) return found
  }
  if (warning) return warning
  for (const combination of original.contents.keys()) {
    const verdict = await build(combination)
    if (verdict) return { kind: 'does not build', verdict }
  }
  return [...built.values()].some((artifact) => artifact !== null) ? { kind: 'missed' } : { kind: 'same code' }
}
