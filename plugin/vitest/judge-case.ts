import type { TestContext } from 'vitest'
import { evaluateCase, type BuiltKernel, type EvaluationContext, type Outcome } from '../evaluation/evaluate.ts'
import { caseOfRun } from '../evaluation/seed.ts'
import type { KernelCase } from '../model/index.ts'
import { textAttachment } from './build.ts'
import type { SuiteContext } from './context.ts'
import { describeReport } from './failure.ts'
import { verdictCacheOf } from './remember.ts'
import { failureOf, metaOf, record, specName, type FailureDetails } from './verdicts.ts'
import { prepared, service } from './worker.ts'

/** What an evaluation inside a test needs besides the case. */
export const evaluationContextOf = (suite: SuiteContext, signal: AbortSignal): EvaluationContext => ({
  launch: (args) => service().call('launch', args, signal),
  prepared,
  profile: suite.options.profile,
  warnings: suite.options.warnings,
  spec: specName(suite),
})

/** Judges one case; losing the service is an infrastructure verdict like every failure of ours. */
export async function evaluate(
  suite: SuiteContext,
  kernel: BuiltKernel,
  kernelCase: KernelCase,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    return await evaluateCase(kernel, kernelCase, evaluationContextOf(suite, signal))
  } catch (error) {
    signal.throwIfAborted()
    const message = error instanceof Error ? error.message : String(error)
    return { verdict: { kind: 'infrastructure', message }, reports: [], log: '' }
  }
}

/**
 * Judges a static case under the seed of the run, unless an earlier run found it right. `seed` asks for that one: what was
 * found under another does not count.
 */
export async function evaluateStatic(
  suite: SuiteContext,
  artifact: string,
  kernelCase: KernelCase,
  ctx: TestContext,
  seed = suite.options.namedSeed,
): Promise<Outcome> {
  const cache = await verdictCacheOf(suite, artifact, ctx)
  const known = cache?.findCase(kernelCase, seed)
  if (known) return known
  const drawn = seed ?? suite.options.seed
  const outcome = await evaluate(suite, { task: suite.task, artifact }, caseOfRun(kernelCase, drawn), ctx.signal)
  cache?.keepCase(kernelCase, drawn, outcome)
  return outcome
}

/** Notes an outcome in the meta of its test, shows warnings of the device, and throws when it is not correct. */
export async function conclude(
  suite: SuiteContext,
  ctx: TestContext,
  outcome: Outcome,
  details: FailureDetails,
): Promise<void> {
  record(ctx, outcome.verdict, outcome.benchmark)
  if (outcome.verdict.kind !== 'correct') throw failureOf(suite, outcome, details)
  if (outcome.reports.length === 0) return
  const text = outcome.reports.map((report) => describeReport(report, details.sampleRoot)).join('\n')
  await ctx.annotate(`${metaOf(ctx).sample ?? ''}: the device warns\n${text}`, 'device-warning', textAttachment(text))
}
