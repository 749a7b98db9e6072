import type { TestContext } from 'vitest'
import { ledgerEntry, type LedgerEntry } from '../ledger/index.ts'
import { sampleTitle, type Assessment } from '../model/index.ts'
import { build } from './build.ts'
import type { SampleState } from './sample-state.ts'
import type { TaskScope } from './task-scope.ts'
import { failureOf, metaOf, spare } from './verdicts.ts'
import { service } from './worker.ts'

/**
 * Answers a test as the run did that is continued, where that has judged its sample to the end and nothing has changed since
 * that the verdicts follow from. false: the test has to judge.
 */
export async function answeredBefore(scope: TaskScope, state: SampleState, ctx: TestContext): Promise<boolean> {
  if (!scope.options.resumes) return false
  const built = await buildOf(state, ctx)
  state.earlier ??= earlierOf(scope, state, built, ctx)
  const entries = await state.earlier
  if (!entries) return false
  const meta = metaOf(ctx)
  const entry = entries.find(({ stage, case: title }) => stage === meta.stage && title === meta.case)
  meta.resumed = true
  if (!entry) return spare(ctx, 'skipped before the run was continued')
  const { v: _, ...said } = entry
  Object.assign(meta, said)
  if (entry.verdict.kind !== 'correct')
    throw failureBefore(scope, state, entry, `judged ${entry.time ?? ''}, before the run was continued`)
  return true
}

async function buildOf(state: SampleState, ctx: TestContext): Promise<{ artifact?: string; sources?: string }> {
  const built = await build(state, ctx)
  return {
    ...(built.ok && { artifact: built.artifact }),
    ...(built.sources !== undefined && { sources: built.sources }),
  }
}

/** A service that is gone is noticed by what is asked of it next. */
async function earlierOf(
  { file, task }: TaskScope,
  { buildArgs }: SampleState,
  built: { artifact?: string; sources?: string },
  ctx: TestContext,
): Promise<LedgerEntry[] | null> {
  const { suite, name } = task.interface
  const place = { spec: file, project: ctx.task.file.projectName ?? '' }
  const { model } = metaOf(ctx)
  const args = { model, suite, task: name, sample: buildArgs.sample.name, ...built, ...place }
  const entries = await service()
    .call('earlier', args)
    .catch(() => null)
  return entries && entries.map((entry) => ledgerEntry.parse(entry))
}

/** The error of a test whose answer is known; `fact` says where from. */
export function failureBefore(
  scope: TaskScope,
  { buildArgs: { sample } }: SampleState,
  entry: Omit<LedgerEntry, 'v'>,
  fact: string,
): Error {
  const { verdict, reports = [], answers, accuracy, seed } = entry
  const assessment: Assessment | undefined = answers && { answers, ...(accuracy && { accuracy }) }
  return failureOf(
    scope,
    { verdict, reports, log: '', ...(assessment && { assessment }) },
    {
      title: entry.stage === 'static' ? entry.case.replace(/:.*/s, ':') : entry.case,
      sampleName: sampleTitle(sample),
      sampleRoot: sample.root,
      environment: [`NPU_SEED=${seed}`],
      facts: [fact],
    },
  )
}
