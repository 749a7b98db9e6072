import type { TestContext } from 'vitest'
import { evaluateCase, type BuiltKernel, type EvaluationContext, type Outcome } from '../evaluation/evaluate.ts'
import { caseOfRun } from '../evaluation/seed.ts'
import type { KernelCase, Report, Verdict } from '../model/index.ts'
import { withWriters } from '../evaluation/writers.ts'
import { artifactOf, textAttachment } from './build.ts'
import type { TaskScope } from './task-scope.ts'
import { describeReport } from './failure.ts'
import { verdictCacheOf } from './remember.ts'
import { defectOf, shortTitle } from './same-defect.ts'
import type { SampleState } from './sample-state.ts'
import { coverageShares, failureOf, metaOf, record, specName, type FailureDetails } from './verdicts.ts'
import { prepared, service } from './worker.ts'

/** What an evaluation inside a test needs besides the case. */
export const evaluationContextOf = (scope: TaskScope, signal: AbortSignal): EvaluationContext => ({
  launch: (args) => service().call('launch', args, signal),
  prepared,
  profile: scope.options.profile,
  warnings: scope.options.warnings,
  spec: specName(scope),
})

/** Judges one case; losing the service is an infrastructure verdict like every failure of ours. */
export async function evaluate(
  scope: TaskScope,
  kernel: BuiltKernel,
  kernelCase: KernelCase,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    return await evaluateCase(kernel, kernelCase, evaluationContextOf(scope, signal))
  } catch (error) {
    signal.throwIfAborted()
    const message = error instanceof Error ? error.message : String(error)
    return { verdict: { kind: 'infrastructure', message }, reports: [], log: '' }
  }
}

/**
 * Judges a static case under the seed of the run, unless an earlier run found it right. `seed` asks for that one: what
 * was found under another does not count.
 */
export async function evaluateStatic(
  scope: TaskScope,
  artifact: string,
  kernelCase: KernelCase,
  ctx: TestContext,
  seed = scope.options.namedSeed,
): Promise<Outcome> {
  const cache = await verdictCacheOf(scope, artifact, ctx)
  const known = cache?.findCase(kernelCase, seed)
  if (known) return known
  const drawn = seed ?? scope.options.seed
  const outcome = await evaluate(scope, { task: scope.task, artifact }, caseOfRun(kernelCase, drawn), ctx.signal)
  cache?.keepCase(kernelCase, drawn, outcome)
  return outcome
}

/** Adds to the meta of a test what the device has found, each finding once. */
export function noteReports(ctx: TestContext, reports: readonly Report[]): void {
  const meta = metaOf(ctx)
  const all = new Map([...(meta.reports ?? []), ...reports].map((report) => [JSON.stringify(report), report]))
  if (all.size > 0) meta.reports = [...all.values()]
}

/**
 * Notes an outcome in the meta of its test, shows warnings of the device and what is right only within tolerance, and throws
 * when it is not correct.
 */
export async function conclude(
  scope: TaskScope,
  state: SampleState,
  ctx: TestContext,
  outcome: Outcome,
  details: FailureDetails,
): Promise<void> {
  // known as it is: the launch that looks for writers may be aborted
  record(ctx, outcome.verdict, outcome.assessment)
  // tried again, it has ended
  if (state.hung?.test === ctx.task.id) delete state.hung
  const { coverage } = outcome.launch ?? {}
  if (coverage && coverage.length > 0) metaOf(ctx).coverage = coverageShares(coverage)
  noteReports(ctx, outcome.reports)
  const verdict = await explained(scope, state, ctx, outcome)
  record(ctx, verdict, outcome.assessment)
  if (verdict.kind !== 'correct')
    throw failureOf(scope, { ...outcome, verdict }, { ...details, knownFrom: noteDefect(state, ctx, verdict) })
  if (outcome.assessment?.accuracy === 'within-tolerance')
    await ctx.annotate(`${metaOf(ctx).sample ?? ''}: correct (within tolerance): strict rejects it`, 'accuracy')
  await annotateWarnings(ctx, outcome.reports, details.sampleRoot)
}

/** The verdict, of wrong outputs with who has written them: what keeps that from being known is no other verdict. */
async function explained(
  scope: TaskScope,
  state: SampleState,
  ctx: TestContext,
  { verdict, judged }: Outcome,
): Promise<Verdict> {
  if (!('comparison' in verdict) || !judged) return verdict
  try {
    const kernel = { task: scope.task, artifact: await artifactOf(scope, state, ctx) }
    return await withWriters(kernel, judged, verdict, evaluationContextOf(scope, ctx.signal))
  } catch {
    ctx.signal.throwIfAborted()
    return verdict
  }
}

/** What a kernel that did not come to its end is called: each further case would cost all the time that it may take. */
function hangOf(verdict: Verdict): string | undefined {
  if (verdict.kind === 'timeout') return 'timeout'
  if (!('report' in verdict)) return undefined
  const names: Partial<Record<string, string>> = { Deadlock: 'deadlock', InstructionLimit: 'endless loop' }
  return names[verdict.report.code]
}

/** Remembers what a sample has failed of; the test that generated cases need not tell again. */
function noteDefect(state: SampleState, ctx: TestContext, verdict: Verdict): string | undefined {
  const title = shortTitle(ctx.task.name)
  const hang = hangOf(verdict)
  if (hang !== undefined) state.hung ??= { test: ctx.task.id, title: ctx.task.name, how: `${hang} on ${title}` }
  const defect = defectOf(verdict)
  if (defect === undefined) return undefined
  const known = state.defects.get(defect)
  if (known === undefined) state.defects.set(defect, title)
  return metaOf(ctx).stage === 'generated' && known !== title ? known : undefined
}

/** Shows what the device reports of right outputs. */
export async function annotateWarnings(
  ctx: TestContext,
  reports: readonly Report[],
  sampleRoot: string | null,
): Promise<void> {
  if (reports.length === 0) return
  const text = reports.map((report) => describeReport(report, sampleRoot)).join('\n')
  await ctx.annotate(`${metaOf(ctx).sample ?? ''}: the device warns\n${text}`, 'device-warning', textAttachment(text))
}
