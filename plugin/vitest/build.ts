import type { TestContext } from 'vitest'
import { sampleTitle, type BuildResult } from '../model/index.ts'
import type { TaskScope } from './task-scope.ts'
import type { SampleState } from './sample-state.ts'
import { failureOf, metaOf, record, spare } from './verdicts.ts'
import { service } from './worker.ts'

/** The artifact of a sample, as tests see it: the first test to ask reports a failed build, the others are skipped. */
export async function artifactOf(scope: TaskScope, state: SampleState, ctx: TestContext): Promise<string> {
  const built = await build(state, ctx)
  if (built.confinement) metaOf(ctx).confinement = built.confinement
  if (built.sources) {
    const { root, kernelDir, hostDir, cmakeLists, program } = state.buildArgs.sample
    const places = { root, kernelDir, hostDir, cmakeLists, ...(program !== undefined && { program }) }
    Object.assign(metaOf(ctx), { sources: built.sources, places })
  }
  if (built.ok) {
    metaOf(ctx).artifact = built.artifact
    return built.artifact
  }
  const { sample } = state.buildArgs
  const name = sampleTitle(sample)
  if (state.reporter !== undefined && state.reporter !== ctx.task.id) spare(ctx, `${name} did not build`)
  state.reporter = ctx.task.id
  record(ctx, built.verdict)
  if (built.verdict.kind === 'compile-failed')
    await ctx.annotate(`compiler output for ${name}`, 'compile-failed', textAttachment(built.verdict.log))
  throw failureOf(
    scope,
    { verdict: built.verdict, reports: [], log: '' },
    { title: 'compiles', sampleName: name, sampleRoot: sample.root, environment: [] },
  )
}

/** Warnings that an entry of the ledger has. */
const keptWarnings = 100

/** Notes what the compilers warn of in a sample that has been built. */
export function noteWarnings({ built }: SampleState, ctx: TestContext): void {
  if (built?.ok && built.warnings.length > 0) metaOf(ctx).compilerWarnings = built.warnings.slice(0, keptWarnings)
}

/** What the build of a sample has come to. */
export async function build(state: SampleState, ctx: TestContext): Promise<BuildResult> {
  state.building ??= service()
    .call('build', state.buildArgs)
    .catch((error: unknown) => ({ ok: false, verdict: infrastructure(error), ms: 0, cached: false }))
  const built = await state.building
  state.built = built
  ctx.signal.throwIfAborted()
  return built
}

const infrastructure = (error: unknown): { kind: 'infrastructure'; message: string } => ({
  kind: 'infrastructure',
  message: error instanceof Error ? error.message : String(error),
})

/** A text that reports show beside a test. */
export const textAttachment = (text: string): { body: string; contentType: string } => ({
  body: Buffer.from(text).toString('base64'),
  contentType: 'text/plain',
})
