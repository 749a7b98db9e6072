import type { TestContext } from 'vitest'
import type { KernelCase } from '../model/index.ts'
import { largestArgument } from '../task/fit.ts'
import { artifactOf } from './build.ts'
import type { SuiteContext } from './context.ts'
import { describeCase } from './describe-case.ts'
import { conclude, evaluateStatic } from './judge-case.ts'
import { noteRemembered } from './remember.ts'
import type { SampleState } from './suite-state.ts'
import type { FailureDetails } from './verdicts.ts'

/** Judges a sample on one case of the public list. */
export async function staticTest(
  suite: SuiteContext,
  state: SampleState,
  kernelCase: KernelCase,
  ctx: TestContext,
): Promise<void> {
  const artifact = await artifactOf(suite, state, ctx)
  const { maxElements } = suite.options
  const elements = largestArgument(kernelCase)
  if (maxElements !== undefined && elements > maxElements)
    return ctx.skip(`an argument of ${elements} elements; maxElements is ${maxElements}`)
  const outcome = await evaluateStatic(suite, artifact, kernelCase, ctx)
  const { verdict, launch, remembered } = outcome
  state.outcomes.set(kernelCase.name, { verdict, ...(launch && { launch }), ...(remembered && { remembered }) })
  if (remembered) noteRemembered(ctx, 1, remembered)
  await conclude(suite, ctx, outcome, detailsOf(suite, state, kernelCase))
}

const detailsOf = (suite: SuiteContext, state: SampleState, kernelCase: KernelCase): FailureDetails => ({
  title: `${kernelCase.name}:`,
  sampleName: state.buildArgs.sample.name,
  sampleRoot: state.buildArgs.sample.root,
  environment: [`NPU_SEED=${suite.options.seed}`],
  facts: [`case: ${describeCase(kernelCase)}`],
})
