import type { LedgerEntry } from './entry.ts'
import { accepted, type Outcome } from './outcome.ts'

/** The weights of the levels in NPUKernelBench's final score, as its evaluation guide proposes them (section 4.3). */
export const levelWeights: Readonly<Record<string, number>> = { level1: 0.2, level2: 0.3, level3: 0.5 }

/**
 * NPUKernelBench's score of one task for one sample (`docs/BENCHMARK_EVALUATION.md`, section 4.1): 100 times the test cases that
 * pass, by all there are. Its test cases are the static ones, judged by its own tolerance, the benchmark profile; reports of
 * the device are no part of it. A sample that does not build passes none. null: a case was not judged, or there are none.
 */
export function taskScore({ compiled, entries }: Outcome): number | null {
  if (!compiled) return 0
  const cases = entries.filter(({ stage }) => stage === 'static')
  if (cases.length === 0 || cases.some(({ verdict }) => verdict.kind === 'infrastructure')) return null
  return (100 * cases.filter((entry) => accepted(entry, 'benchmark')).length) / cases.length
}

/**
 * NPUKernelBench's final score (section 4.3): the sum of the levels' scores, each times its weight. null where a level has no
 * score: nothing is filled in. A level's score is that of whatever tasks of it were attempted: scores are compared where they are over
 * the same tasks.
 */
export function weightedScore(levels: ReadonlyMap<string, number | null>): number | null {
  let sum = 0
  for (const [level, weight] of Object.entries(levelWeights)) {
    const score = levels.get(level) ?? null
    if (score === null) return null
    sum += weight * score
  }
  return sum
}

/**
 * The share of the gap between baseline and hardware bound that is closed: 0.5 at the time of the baseline, 1 at the bound, towards
 * 0 the slower. With times T of candidate, baseline and bound it is (T_b - T_hw) / ((T_c - T_hw) + (T_b - T_hw)). It is the
 * hardware-anchored score of a case in cann-bench (`docs/spec/benchmark_spec.md`, section 4.2, equation 3), and the SOL score of
 * SOL-ExecBench (Lin et al. 2026, arXiv 2603.19173), which writes it as 1 / (1 + (T_k - T_SOL) / (T_b - T_SOL)). The bound is
 * ours (`plugin/floor`), the case the one that is timed. null where a time is not known, the baseline is no slower than the
 * bound, or the candidate is faster than it, which no kernel is.
 */
export function gapClosed({
  latency,
  baseline,
  floorNs,
}: Pick<LedgerEntry, 'latency' | 'baseline' | 'floorNs'>): number | null {
  if (!latency || !baseline || floorNs === undefined) return null
  const gap = baseline.mean - floorNs
  const left = latency.mean - floorNs
  return gap > 0 && left >= 0 ? gap / (left + gap) : null
}

/**
 * What kept some 4000 generated kernels from compiling, as shares (AscendKernelGen, section 5.5 and figure 6), by the class of ours
 * that means the same: API signatures and overloads; data types and conversions; scope and lifetime of variables; misuse of
 * memory and objects; violations of syntax and structure. The other classes have no counterpart.
 */
export const publishedErrorShares: Readonly<Record<string, number>> = {
  'api-signature': 0.519,
  'data-type': 0.198,
  scope: 0.164,
  'object-usage': 0.081,
  syntax: 0.037,
}
