import type { TestContext } from 'vitest'
import { derivedSeed } from '../evaluation/seed.ts'
import { messageOf, sampleTitle, type KernelCase, type Report, type Verdict } from '../model/index.ts'
import type { Course, Guide } from '../search/index.ts'
import { artifactOf, textAttachment } from './build.ts'
import { noteBlocks, noteReached } from './code-coverage.ts'
import type { TaskScope } from './task-scope.ts'
import { Corpus } from './corpus.ts'
import { describeCase } from './describe-case.ts'
import { describeReport } from './failure.ts'
import { generatedOnlyFact } from './generated-only.ts'
import { annotateWarnings, conclude, evaluate, noteReports } from './judge-case.ts'
import { guideOf } from './guided.ts'
import { isHardCoded, judgeOnDevice, onNarrowDevices } from './narrow-device.ts'
import { search, type Finding } from './property.ts'
import { noteRemembered, verdictCacheOf } from './remember.ts'
import type { SampleState } from './sample-state.ts'
import { service } from './worker.ts'
import { failureOf, metaOf, record, reproduceCommand, type FailureDetails } from './verdicts.ts'

export const generatedTitle = 'holds for generated shapes'

/** Searches the shape domain of the task for a case that the sample gets wrong. */
export async function generatedTest(scope: TaskScope, state: SampleState, ctx: TestContext): Promise<void> {
  const artifact = await artifactOf(scope, state, ctx)
  const corpus = new Corpus(scope.options.corpus, scope.task, scope.options.run)
  const told = new Map<string, Report>()
  const finding = await attempt(scope, ctx, () => findingOf(scope, state, { artifact, corpus, told }, ctx))
  metaOf(ctx).runs = finding.runs
  noteReports(ctx, [...told.values()])
  const { name, root } = state.buildArgs.sample
  for (const report of [...told.values()].filter(isHardCoded))
    await ctx.annotate(`${name}: ${describeReport(report, root)}`, 'device-warning')
  if (finding.kind === 'holds') {
    await annotateWarnings(
      ctx,
      [...told.values()].filter((report) => !isHardCoded(report)),
      root,
    )
    return holds(ctx, finding)
  }
  if (finding.kind === 'fails') await keep(corpus, finding.case, ctx)
  const details = detailsOf(scope, state, metaOf(ctx).seed, finding)
  if (finding.kind !== 'stopped') {
    metaOf(ctx).failing = describeCase(finding.case)
    const text = `${JSON.stringify(finding.case, null, 1)}\n\n${reproduceCommand(scope, details)}\n`
    await ctx.annotate(`counterexample: ${describeCase(finding.case)}`, 'counterexample', textAttachment(text))
  }
  await conclude(scope, state, ctx, finding.outcome, details)
}

/** What a candidate has failed of is true whether or not the next run can be told. */
async function keep(corpus: Corpus, found: KernelCase, ctx: TestContext): Promise<void> {
  try {
    corpus.add(found)
  } catch (error) {
    await ctx.annotate(`the counterexample is not kept for the next run: ${messageOf(error)}`, 'corpus')
  }
}

/** Searches, from where an earlier run has come to without finding anything. */
async function findingOf(
  scope: TaskScope,
  state: SampleState,
  { artifact, corpus, told }: { artifact: string; corpus: Corpus; told: Map<string, Report> },
  ctx: TestContext,
): Promise<Finding> {
  const { task, options } = scope
  const replay = process.env['NPU_REPLAY'] || undefined
  const { narrowDevices, guided } = options
  const runs = options.fuzzRuns * state.buildArgs.combinations.length
  const { cases, others } = corpus.ofEarlierRuns()
  if (others > 0)
    await ctx.annotate(`kept cases that the spec does not allow any more, passed over: ${others}`, 'corpus')
  const question = { runs, corpus: cases, narrowDevices, guided }
  const remembered = replay === undefined ? await verdictCacheOf(scope, artifact, ctx) : undefined
  const earlier = remembered?.findSearch(question, options.namedSeed)
  if (earlier) {
    const { generated, assessment, reached, tilingKeys = [] } = earlier
    noteBlocks(state, ctx, { reached, tilingKeys })
    noteRemembered(ctx, generated, earlier)
    if (generated >= runs) return { kind: 'holds', runs: generated, generated, interrupted: false, assessment }
  }
  const seed = earlier?.seed ?? options.seed
  const keys = new Set(earlier?.tilingKeys)
  let guide: Guide | undefined
  const finding = await search({
    runs,
    corpus: question.corpus,
    domain: narrowDevices ? onNarrowDevices(task.domain) : task.domain,
    evaluate: (kernelCase) =>
      judgeOnDevice(kernelCase, async (one) => {
        const outcome = await evaluate(scope, { task, artifact }, one, ctx.signal)
        for (const report of outcome.reports) {
          if (isHardCoded(report)) told.set(report.instruction, report)
          else if (outcome.verdict.kind === 'correct') told.set(`${report.code} ${report.file}:${report.line}`, report)
        }
        noteReached(state, ctx, outcome)
        if (outcome.launch) keys.add(String(outcome.launch.tilingKey))
        return outcome
      }),
    earlier,
    ...(guided && {
      choose: (draws) =>
        (guide = guideOf(task, options, {
          draws,
          runs,
          earlier: earlier?.course,
          sketch: (cases, timeoutMs) => service().call('sketch', { artifact, cases, timeoutMs }, ctx.signal),
        })),
    }),
    budgetMs: options.fuzzBudgetMs,
    seed: derivedSeed(seed, `${task.interface.name}:generated`),
    replay,
    signal: ctx.signal,
  })
  if (finding.kind === 'holds' && finding.generated > (earlier?.generated ?? 0)) {
    const { generated, assessment } = finding
    const { reached } = metaOf(ctx)
    remembered?.keepSearch(question, {
      seed,
      generated,
      ...(assessment && { assessment }),
      ...(reached !== undefined && { reached }),
      tilingKeys: [...keys],
      ...(guide && { course: courseOf(guide, generated) }),
    })
  }
  if (finding.kind === 'fails' || finding.kind === 'fails-again')
    remembered?.keepFailedSearch(seed, finding.outcome.verdict)
  return finding
}

/** What was chosen last may not have been judged. */
const courseOf = ({ course }: Guide, generated: number): Course => ({
  ...course,
  draws: course.draws.slice(0, generated),
})

/** A failure of the search itself, a corpus that cannot be read for instance, is ours. */
async function attempt(scope: TaskScope, ctx: TestContext, work: () => Promise<Finding>): Promise<Finding> {
  try {
    return await work()
  } catch (error) {
    ctx.signal.throwIfAborted()
    const verdict: Verdict = { kind: 'infrastructure', message: messageOf(error) }
    record(ctx, verdict)
    const details = { title: generatedTitle, sampleName: metaOf(ctx).sample ?? '', sampleRoot: null, environment: [] }
    throw failureOf(scope, { verdict, reports: [], log: '' }, details)
  }
}

async function holds(
  ctx: TestContext,
  { assessment, runs, interrupted }: Extract<Finding, { kind: 'holds' }>,
): Promise<void> {
  record(ctx, { kind: 'correct' }, assessment)
  if (!interrupted) return
  metaOf(ctx).cutShort = true
  await ctx.annotate(`${runs} generated cases within the time budget`, 'time-budget')
}

function detailsOf(
  scope: TaskScope,
  state: SampleState,
  runSeed: number,
  finding: Exclude<Finding, { kind: 'holds' }>,
): FailureDetails {
  const { sample } = state.buildArgs
  const seed = `NPU_SEED=${runSeed}`
  const shown = describeCase(finding.case)
  const common = { title: generatedTitle, sampleName: sampleTitle(sample), sampleRoot: sample.root }
  if (finding.kind === 'stopped') return { ...common, environment: [seed], facts: [`case: ${shown}`] }
  const only = generatedOnlyFact(state, scope.task.staticCases.length)
  if (finding.kind === 'fails-again')
    return { ...common, environment: [], facts: [`case: ${shown}   (kept from an earlier run; fails again)`, ...only] }
  const cut = finding.interrupted ? ', shrinking stopped by the time budget' : ''
  return {
    ...common,
    environment: [`NPU_REPLAY=${finding.replay}`],
    facts: [
      `smallest failing case: ${shown}   (case ${finding.runs}, after ${finding.shrinks} shrinks${cut})`,
      ...only,
    ],
  }
}
