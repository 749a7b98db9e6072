import { relative } from 'node:path'
import type { TestContext } from 'vitest'
import type { Outcome } from '../evaluation/evaluate.ts'
import type { Stage } from '../ledger/index.ts'
import type { Verdict } from '../model/index.ts'
import type { SuiteContext } from './context.ts'
import { KernelFailure } from './failure.ts'
import type { KernelMeta } from './meta.ts'
import { commandFor } from './reproduce.ts'

/** Characters of tool output that a verdict carries through reporters and ledger. */
const logLimit = 8192

/** What a test says about itself before it has run. */
export const initialMeta = (suite: SuiteContext, sample: string | null, stage: Stage, title: string): KernelMeta => ({
  suite: suite.task.interface.suite,
  group: suite.task.interface.group,
  task: suite.task.interface.name,
  category: suite.task.interface.category,
  sample,
  stage,
  case: title,
  seed: suite.options.seed,
  target: suite.options.target,
  soc: suite.options.soc,
})

/** The meta of a running test, to be filled in. */
export function metaOf(ctx: TestContext): KernelMeta {
  const meta = ctx.task.meta.npu
  if (!meta) throw new Error(`${ctx.task.name} is no test of a kernel suite`)
  return meta
}

/** Notes the verdict of a test. */
export function record(ctx: TestContext, verdict: Verdict, benchmark?: Outcome['benchmark']): void {
  const meta = metaOf(ctx)
  meta.verdict = verdict.kind === 'compile-failed' ? { ...verdict, log: verdict.log.slice(0, logLimit) } : verdict
  if (benchmark) meta.benchmark = benchmark
}

/** What a failure needs beside the outcome. */
export interface FailureDetails {
  /** literal text that finds the test, e.g. `static 3:` */
  title: string
  sampleName: string
  sampleRoot: string | null
  /** e.g. `NPU_SEED=7` */
  environment: readonly string[]
  facts?: readonly string[]
}

/** The command line that runs one test of a suite again. */
export const reproduceCommand = (suite: SuiteContext, details: FailureDetails): string =>
  commandFor({
    root: suite.options.root,
    spec: suite.file,
    title: details.title,
    sample: suite.samples.length > 1 ? details.sampleName : undefined,
    environment: [...suite.options.environment, ...details.environment],
  })

/** Turns an outcome that is not correct into the error of the test. */
export const failureOf = (
  suite: SuiteContext,
  outcome: Pick<Outcome, 'verdict' | 'reports' | 'log'>,
  details: FailureDetails,
): KernelFailure =>
  new KernelFailure({
    ...outcome,
    profile: suite.options.profile,
    sampleRoot: details.sampleRoot,
    facts: details.facts ?? [],
    reproduce: reproduceCommand(suite, details),
    at: suite.at,
  })

/** The spec as a person names it. */
export const specName = (suite: SuiteContext): string => relative(suite.options.root, suite.file)
