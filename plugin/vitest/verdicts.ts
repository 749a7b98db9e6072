import { relative } from 'node:path'
import type { TestContext } from 'vitest'
import type { Outcome } from '../evaluation/evaluate.ts'
import type { CoverageShare, Stage } from '../ledger/index.ts'
import { sampleTitle, type Assessment, type Coverage, type Sample, type Verdict } from '../model/index.ts'
import type { TaskScope } from './task-scope.ts'
import { KernelFailure, type FailureContext } from './failure.ts'
import type { KernelMeta } from './meta.ts'
import { commandFor } from './reproduce.ts'

/** Characters of tool output that a verdict carries through reporters and ledger. */
const logLimit = 8192

/** What a test says about itself before it has run. */
export const initialMeta = (scope: TaskScope, sample: Sample | null, stage: Stage, title: string): KernelMeta => ({
  suite: scope.task.interface.suite,
  group: scope.task.interface.group,
  task: scope.task.interface.name,
  category: scope.task.interface.category,
  model: sample?.model ?? scope.options.model ?? null,
  sample: sample?.name ?? null,
  stage,
  case: title,
  seed: scope.options.seed,
  target: scope.options.target,
  soc: scope.options.soc,
  profile: scope.options.profile,
})

/** The meta of a running test, to be filled in. */
export function metaOf(ctx: TestContext): KernelMeta {
  const meta = ctx.task.meta.npu
  if (!meta) throw new Error(`${ctx.task.name} is no test of a kernel suite`)
  return meta
}

const shareOf = (part: number, bytes: number): number => Number((part / bytes).toFixed(4))

/** What a launch has touched, by argument: all tensors of a list together. */
export function coverageShares(coverage: readonly Coverage[]): CoverageShare[] {
  const sums = new Map<string, Omit<Coverage, 'slot'>>()
  for (const { slot, bytes, read, written } of coverage) {
    const argument = slot.replace(/\[\d+\]$/, '')
    const sum = sums.get(argument) ?? { bytes: 0, read: 0, written: 0 }
    sums.set(argument, { bytes: sum.bytes + bytes, read: sum.read + read, written: sum.written + written })
  }
  return [...sums].map(([slot, { bytes, read, written }]) => ({
    slot,
    read: shareOf(read, bytes),
    written: shareOf(written, bytes),
  }))
}

/** Notes the verdict of a test. */
export function record(ctx: TestContext, verdict: Verdict, assessment?: Assessment): void {
  const meta = metaOf(ctx)
  meta.verdict = verdict.kind === 'compile-failed' ? { ...verdict, log: verdict.log.slice(0, logLimit) } : verdict
  Object.assign(meta, assessment)
}

/** What a failure needs beside the outcome. */
export interface FailureDetails {
  /** literal text that finds the test, e.g. `static 3:` */
  title: string
  /** what the sample is called among those of its task (`sampleTitle`) */
  sampleName: string
  sampleRoot: string | null
  /** e.g. `NPU_SEED=7` */
  environment: readonly string[]
  facts?: readonly string[]
  /** the test that tells of the same defect in full */
  knownFrom?: string | undefined
}

/** The command line that runs one test of a task again. */
export const reproduceCommand = (scope: TaskScope, details: FailureDetails): string =>
  commandFor({
    root: scope.options.root,
    spec: scope.file,
    title: details.title,
    sample: scope.samples.length > 1 ? details.sampleName : undefined,
    environment: [...scope.options.environment, ...details.environment],
  })

/** Turns an outcome that is not correct into the error of the test. */
export const failureOf = (
  scope: TaskScope,
  { assessment, verdict, reports, log }: Pick<Outcome, 'verdict' | 'reports' | 'log' | 'assessment'>,
  details: FailureDetails,
): KernelFailure =>
  new KernelFailure({
    verdict,
    reports,
    log,
    answers: assessment?.answers,
    profile: scope.options.profile,
    sampleRoot: details.sampleRoot,
    kernel: kernelOf(scope, details.sampleName),
    knownFrom: details.knownFrom,
    facts: details.facts ?? [],
    reproduce: reproduceCommand(scope, details),
    at: scope.at,
  })

function kernelOf({ samples, task }: TaskScope, sampleName: string): FailureContext['kernel'] {
  const sample = samples.find((each) => sampleTitle(each) === sampleName)
  return sample && { sample, name: task.interface.kernel }
}

/** Leaves a test out, and says why: nothing is missing then. */
export function spare(ctx: TestContext, note: string): never {
  metaOf(ctx).spared = true
  return ctx.skip(note)
}

/** The spec as a person names it. */
export const specName = (scope: TaskScope): string => relative(scope.options.root, scope.file)
