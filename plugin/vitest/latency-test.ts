import { relative } from 'node:path'
import type { TestContext } from 'vitest'
import { timeCase } from '../evaluation/evaluate.ts'
import { caseOfRun } from '../evaluation/seed.ts'
import { bandOfQuotient } from '../floor/estimate.ts'
import type { LedgerEntry } from '../ledger/index.ts'
import { sampleTitle, type KernelCase, type Latency, type Verdict } from '../model/index.ts'
import { baselineOf } from '../suites/index.ts'
import { buildArgsOf } from '../task/combinations.ts'
import { artifactOf } from './build.ts'
import type { TaskScope } from './task-scope.ts'
import { deviceTime, LaunchFailure } from './device-time.ts'
import { measuredInTurn } from './measured-latency.ts'
import type { KernelFailure } from './failure.ts'
import { evaluateStatic, evaluationContextOf } from './judge-case.ts'
import { boundOf, implausibleOf } from './implausible.ts'
import { describeEstimate, describeSpeedup } from './describe-latency.ts'
import { latencyCaseOf, noLatencyCase } from './latency-case.ts'
import { noteRemembered } from './remember.ts'
import type { JudgedCase, SampleState } from './sample-state.ts'
import { keptTimeline } from './timeline.ts'
import { describeVendor, vendorReferenceOf } from './vendor-figures.ts'
import { failureOf, metaOf, record, spare } from './verdicts.ts'
import { service } from './worker.ts'

export const latencyTitle = 'latency'

/** The figures of the baseline operator on a case, or why there are none. */
type BaselineTime = { artifact: string; latency: Latency } | { note: string }

/**
 * Times a sample and the baseline operator on one static case by the device's clock. Only a kernel that is right on
 * that case is timed; without a baseline that is right on it too, the latency has no speedup.
 */
export async function latencyTest(scope: TaskScope, state: SampleState, ctx: TestContext): Promise<void> {
  const artifact = await artifactOf(scope, state, ctx)
  const choice = { ...scope.options, fixedCase: state.buildArgs.sample.fixedCase }
  const kernelCase = latencyCaseOf(scope.task.staticCases, choice)
  if (!kernelCase) return spare(ctx, noLatencyCase(choice))
  let judged = state.outcomes.get(kernelCase.name)
  if (!judged) {
    judged = await evaluateStatic(scope, artifact, kernelCase, ctx)
    state.outcomes.set(kernelCase.name, judged)
  }
  if (judged.remembered) noteRemembered(ctx, 1, judged.remembered)
  const { kind } = judged.verdict
  if (kind !== 'correct') return spare(ctx, `no latency: ${kind} on ${kernelCase.name}`)

  const timing = { artifact, kernelCase, judged }
  const times = await bothTimes(scope, state, ctx, timing)
  if ('rejected' in times) return spare(ctx, times.rejected)
  const { latency, baseline } = times
  const meta = metaOf(ctx)
  meta.latency = latency
  const bound = boundOf(scope.task, scope.options.soc, timing, latency)
  if (bound && bound.ns > 0) meta.floorNs = bound.ns
  if (judged.launch?.source === 'emulated') {
    meta.pipes = judged.launch.pipes
    if (judged.launch.shares) meta.shares = judged.launch.shares
  }
  if (scope.options.timeline) {
    const timed = caseOfRun(kernelCase, judged.remembered?.seed ?? scope.options.seed)
    Object.assign(meta, await keptTimeline(scope, { task: scope.task, artifact }, timed, ctx))
  }
  record(ctx, { kind: 'correct' })
  if ('latency' in baseline) {
    meta.baseline = baseline.latency
    if (latency.mean > 0 && baseline.latency.mean > 0) meta.speedup = baseline.latency.mean / latency.mean
    const band = baseline.artifact === artifact ? 0 : bandOfQuotient(latency.estimate, baseline.latency.estimate)
    if (meta.speedup !== undefined && band !== undefined) meta.speedupBand = meta.speedup * band
  }
  const vendor = vendorReferenceOf(scope.options.vendorFigures, scope.task.interface, kernelCase)
  if (vendor) meta.vendor = vendor
  const besides = vendor ? `; ${describeVendor(vendor, latency)}` : ''
  await ctx.annotate(`${describeLatency(latency, kernelCase, baseline, meta)}${besides}`, 'latency')
}

/** A case that an operator was judged on. */
interface Timing {
  artifact: string
  kernelCase: KernelCase
  judged: JudgedCase
}

/** What was measured of a sample and of its baseline, or why that does not hold. */
type BothTimes = { latency: Latency; baseline: BaselineTime } | { rejected: string }

/** Times a sample and its baseline: in turn where the target does that. Throws what leaves no latency, as the error of the test. */
async function bothTimes(scope: TaskScope, state: SampleState, ctx: TestContext, timing: Timing): Promise<BothTimes> {
  const plausible = (latency: Latency): Latency => {
    const implausible = implausibleOf(scope.task, scope.options.soc, timing, latency)
    if (implausible) throw latencyFailure(scope, state, ctx, implausible)
    return latency
  }
  try {
    if (scope.options.timesInTurn) {
      const rival = await rightBaseline(scope, timing, ctx)
      const other = 'artifact' in rival && rival.artifact !== timing.artifact ? rival.artifact : null
      const measured = await measuredInTurn(scope, { ...timing, baseline: other }, ctx.signal)
      if (measured && 'rejected' in measured) return measured
      if (measured?.note !== undefined) await ctx.annotate(measured.note, 'latency')
      if (measured) {
        const latency = plausible(measured.latency)
        if (!('artifact' in rival)) return { latency, baseline: rival }
        return { latency, baseline: { artifact: rival.artifact, latency: measured.baseline ?? latency } }
      }
    }
    const latency = plausible(await measure(scope, timing, ctx.signal))
    return { latency, baseline: await baselineTime(scope, timing, latency, ctx) }
  } catch (error) {
    if (!(error instanceof LaunchFailure)) throw error
    throw latencyFailure(scope, state, ctx, error.verdict)
  }
}

/** Notes a verdict that leaves no latency, as the error of the test. */
function latencyFailure(scope: TaskScope, state: SampleState, ctx: TestContext, verdict: Verdict): KernelFailure {
  record(ctx, verdict)
  const { sample } = state.buildArgs
  const environment = [`NPU_SEED=${scope.options.seed}`]
  const details = { title: latencyTitle, sampleName: sampleTitle(sample), sampleRoot: sample.root, environment }
  return failureOf(scope, { verdict, reports: [], log: '' }, details)
}

/** The emulator tells the same time whenever it is asked: the launch that was judged is the measurement. */
const measure = (
  scope: TaskScope,
  { artifact, kernelCase, judged: { launch } }: Timing,
  signal: AbortSignal,
): Promise<Latency> =>
  launch?.source === 'emulated'
    ? deviceTime(() => Promise.resolve({ ok: true, ...launch }), 1, signal)
    : timeCase(
        { task: scope.task, artifact },
        caseOfRun(kernelCase, scope.options.seed),
        evaluationContextOf(scope, signal),
        (again) => deviceTime(() => again(), scope.options.latencyIterations, signal),
      )

/** The baseline operator, built and right on the case, or why there is none. */
async function rightBaseline(scope: TaskScope, own: Timing, ctx: TestContext): Promise<Timing | { note: string }> {
  const { task, options } = scope
  const {
    artifact,
    kernelCase,
    judged: { remembered },
  } = own
  const { suite: suiteName, name } = task.interface
  const sample = baselineOf(task.interface, options.suites, options.shared)
  if (!sample) {
    const baseline = options.suites.find((each) => each.name === suiteName)?.baseline ?? null
    if (baseline === null) return { note: `no speedup: the suite ${suiteName} has no baseline` }
    return { note: `no speedup: ${relative(options.root, baseline) || baseline} holds no ${name}` }
  }
  const built = await service().call('build', buildArgsOf(task, sample), ctx.signal)
  if (!built.ok) return { note: `no speedup: the baseline ended as ${built.verdict.kind}` }
  if (built.artifact === artifact) return own
  // on the same inputs as the sample
  const judged = await evaluateStatic(scope, built.artifact, kernelCase, ctx, remembered?.seed ?? options.seed)
  const { kind } = judged.verdict
  if (kind !== 'correct') return { note: `no speedup: the baseline is ${kind} on ${kernelCase.name}` }
  return { artifact: built.artifact, kernelCase, judged }
}

/** Times the baseline operator by itself. A sample that is the baseline itself is its own measure. */
async function baselineTime(scope: TaskScope, own: Timing, latency: Latency, ctx: TestContext): Promise<BaselineTime> {
  const timing = await rightBaseline(scope, own, ctx)
  if ('note' in timing) return timing
  const { artifact, kernelCase } = timing
  if (artifact === own.artifact) return { artifact, latency }
  try {
    const latency = await measure(scope, timing, ctx.signal)
    if (implausibleOf(scope.task, scope.options.soc, timing, latency))
      return { note: `no speedup: the time of the baseline is implausible on ${kernelCase.name}` }
    return { artifact, latency }
  } catch (error) {
    if (!(error instanceof LaunchFailure)) throw error
    return { note: `no speedup: the baseline ended as ${error.verdict.kind} on ${kernelCase.name}` }
  }
}

function describeLatency(
  { mean, p99, source, profile, warm, kernel, estimate }: Latency,
  kernelCase: KernelCase,
  baseline: BaselineTime,
  { speedup, speedupBand }: Pick<LedgerEntry, 'speedup' | 'speedupBand'>,
): string {
  const origin = profile ? `${source}, ${profile}` : source
  const against =
    speedup !== undefined && 'latency' in baseline
      ? `${describeSpeedup(speedup, speedupBand)} of the baseline's ${baseline.latency.mean.toFixed(0)} ns`
      : 'note' in baseline
        ? baseline.note
        : 'no speedup: the device reported no time'
  const times = `mean ${mean.toFixed(0)} ns, p99 ${p99.toFixed(0)} ns${warm ? `, warm ${warm.mean.toFixed(0)} ns` : ''}${kernel ? `, kernel ${kernel.mean.toFixed(0)} ns by msprof` : ''}`
  const time = `${times} (${origin})`
  return [`${kernelCase.name}: ${time}`, ...(estimate ? [describeEstimate(estimate)] : []), against].join('; ')
}
