import type { TestContext } from 'vitest'
import { evaluateCase, type Bench, type Outcome, type Subject } from '../evaluation/evaluate.ts'
import { caseOfRun } from '../evaluation/seed.ts'
import type { KernelCase } from '../model/index.ts'
import type { SuiteContext } from './context.ts'
import { rememberedOf } from './remember.ts'
import { record, failureOf, metaOf, specName, type FailureDetails } from './verdicts.ts'
import { describeReport } from './failure.ts'
import { textAttachment } from './build.ts'
import { prepared, service } from './worker.ts'

/** The surroundings of an evaluation inside a test. */
export const benchOf = (suite: SuiteContext, signal: AbortSignal): Bench => ({
  launch: (args) => service().call('launch', args, signal),
  prepared,
  profile: suite.options.profile,
  warnings: suite.options.warnings,
  spec: specName(suite),
})

/** Judges one case; losing the service is an infrastructure verdict like every failure of ours. */
export async function evaluate(
  suite: SuiteContext,
  subject: Subject,
  kernelCase: KernelCase,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    return await evaluateCase(subject, kernelCase, benchOf(suite, signal))
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
  const remembered = await rememberedOf(suite, artifact, ctx)
  const known = remembered?.findCase(kernelCase, seed)
  if (known) return known
  const drawn = seed ?? suite.options.seed
  const outcome = await evaluate(suite, { task: suite.task, artifact }, caseOfRun(kernelCase, drawn), ctx.signal)
  remembered?.keepCase(kernelCase, drawn, outcome)
  return outcome
}

/** Notes an outcome in the meta of its test, shows warnings of the device, and throws when it is not correct. */
export async function settle(
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
