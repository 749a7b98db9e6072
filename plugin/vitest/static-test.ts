import type { TestContext } from 'vitest'
import { sampleTitle, type KernelCase } from '../model/index.ts'
import { largestArgument } from '../task/fit.ts'
import { artifactOf } from './build.ts'
import { noteReached } from './code-coverage.ts'
import type { TaskScope } from './task-scope.ts'
import { describeCase } from './describe-case.ts'
import { conclude, evaluateStatic } from './judge-case.ts'
import { noteRemembered } from './remember.ts'
import type { SampleState } from './sample-state.ts'
import { spare, type FailureDetails } from './verdicts.ts'

/** Judges a sample on one case of the public list. */
export async function staticTest(
  scope: TaskScope,
  state: SampleState,
  kernelCase: KernelCase,
  ctx: TestContext,
): Promise<void> {
  const artifact = await artifactOf(scope, state, ctx)
  const { maxElements } = scope.options
  const elements = largestArgument(kernelCase)
  if (maxElements !== undefined && elements > maxElements)
    return spare(ctx, `an argument of ${elements} elements; maxElements is ${maxElements}`)
  const outcome = await evaluateStatic(scope, artifact, kernelCase, ctx)
  const { verdict, launch, remembered } = outcome
  state.outcomes.set(kernelCase.name, { verdict, ...(launch && { launch }), ...(remembered && { remembered }) })
  noteReached(state, ctx, outcome)
  if (remembered) noteRemembered(ctx, 1, remembered)
  await conclude(scope, state, ctx, outcome, detailsOf(scope, state, kernelCase))
}

const detailsOf = (scope: TaskScope, state: SampleState, kernelCase: KernelCase): FailureDetails => ({
  title: `${kernelCase.name}:`,
  sampleName: sampleTitle(state.buildArgs.sample),
  sampleRoot: state.buildArgs.sample.root,
  environment: [`NPU_SEED=${scope.options.seed}`],
  facts: [`case: ${describeCase(kernelCase)}`],
})
