import type { TestContext } from 'vitest'
import { derivedSeed } from '../evaluation/seed.ts'
import type { Verdict } from '../model/index.ts'
import { artifactOf, textAttachment } from './build.ts'
import type { SuiteContext } from './context.ts'
import { Corpus } from './corpus.ts'
import { describeCase } from './describe-case.ts'
import { evaluate, settle } from './judge-case.ts'
import { search, type Finding } from './property.ts'
import type { SampleState } from './suite-state.ts'
import { failureOf, metaOf, record, reproduceCommand, type FailureDetails } from './verdicts.ts'

export const generatedTitle = 'holds for generated shapes'

/** Searches the shape domain of the task for a case that the sample gets wrong. */
export async function generatedTest(suite: SuiteContext, state: SampleState, ctx: TestContext): Promise<void> {
  const { task, options } = suite
  const artifact = await artifactOf(suite, state, ctx)
  const corpus = new Corpus(options.corpus, task.interface.name)
  const finding = await run(suite, ctx, () =>
    search({
      domain: task.domain,
      corpus: corpus.read(),
      evaluate: (kernelCase) => evaluate(suite, { task, artifact }, kernelCase, ctx.signal),
      runs: options.fuzzRuns * state.buildArgs.combinations.length,
      budgetMs: options.fuzzBudgetMs,
      seed: derivedSeed(options.seed, `${task.interface.name}:generated`),
      replay: process.env['NPU_REPLAY'] || undefined,
      signal: ctx.signal,
    }),
  )
  if (finding.kind === 'inconclusive')
    return ctx.skip(`inconclusive: no generated case finished within ${finding.budgetMs} ms`)
  metaOf(ctx).runs = finding.runs
  if (finding.kind === 'holds') return holds(ctx, finding)
  if (finding.kind === 'fails') corpus.add(finding.case)
  const details = detailsOf(suite, state, finding)
  if (finding.kind !== 'stopped') {
    const text = `${JSON.stringify(finding.case, null, 1)}\n\n${reproduceCommand(suite, details)}\n`
    await ctx.annotate(`counterexample: ${describeCase(finding.case)}`, 'counterexample', textAttachment(text))
  }
  await settle(suite, ctx, finding.outcome, details)
}

/** A failure of the search itself, a corpus that cannot be read for instance, is ours. */
async function run(suite: SuiteContext, ctx: TestContext, work: () => Promise<Finding>): Promise<Finding> {
  try {
    return await work()
  } catch (error) {
    ctx.signal.throwIfAborted()
    const verdict: Verdict = { kind: 'infrastructure', message: error instanceof Error ? error.message : String(error) }
    record(ctx, verdict)
    const details = { title: generatedTitle, sampleName: metaOf(ctx).sample ?? '', sampleRoot: null, environment: [] }
    throw failureOf(suite, { verdict, reports: [], log: '' }, details)
  }
}

async function holds(
  ctx: TestContext,
  { benchmark, runs, interrupted }: Extract<Finding, { kind: 'holds' }>,
): Promise<void> {
  record(ctx, { kind: 'correct' }, benchmark)
  if (interrupted) await ctx.annotate(`${runs} generated cases within the time budget`, 'time-budget')
}

function detailsOf(
  suite: SuiteContext,
  state: SampleState,
  finding: Exclude<Finding, { kind: 'holds' | 'inconclusive' }>,
): FailureDetails {
  const { sample } = state.buildArgs
  const seed = `NPU_SEED=${suite.options.seed}`
  const shown = describeCase(finding.case)
  const common = { title: generatedTitle, sampleName: sample.name, sampleRoot: sample.root }
  if (finding.kind === 'stopped') return { ...common, environment: [seed], facts: [`case: ${shown}`] }
  if (finding.kind === 'fails-again')
    return { ...common, environment: [], facts: [`case: ${shown}   (kept from an earlier run; fails again)`] }
  const cut = finding.interrupted ? ', shrinking stopped by the time budget' : ''
  return {
    ...common,
    environment: [`NPU_REPLAY=${finding.replay}`],
    facts: [`smallest failing case: ${shown}   (case ${finding.runs}, after ${finding.shrinks} shrinks${cut})`],
  }
}
