import type { TestContext } from 'vitest'
import { sampleTitle, type Sample } from '../model/index.ts'
import { sourceHash } from '../service/source-hash.ts'
import { build } from './build.ts'
import { failureBefore } from './earlier.ts'
import type { KernelMeta } from './meta.ts'
import type { SampleState } from './sample-state.ts'
import type { TaskScope } from './task-scope.ts'
import { metaOf, spare } from './verdicts.ts'

/** Finds for each sample of a task the first one before it that has written the same. */
export class Twins {
  readonly #first = new Map<string, SampleState>()

  /** The state of that one; undefined for the first of its kind. */
  of(state: SampleState): SampleState | undefined {
    const { sample } = state.buildArgs
    const sources = sourceHash(sample)
    if (sources === undefined) return undefined
    const { fixedCase, repository } = sample
    const key = JSON.stringify([sources, fixedCase, repository])
    const first = this.#first.get(key)
    if (!first) this.#first.set(key, state)
    return first
  }
}

/** Notes what a test has said, for samples that are the same. */
export function noteEnd(state: SampleState, ctx: TestContext): void {
  const meta = metaOf(ctx)
  state.ended?.set(meta.case, { ...meta })
}

/**
 * Answers a test as it has ended for another sample that has written the same, of which the same was built. false: the test has to
 * judge.
 */
export async function answeredByTwin(scope: TaskScope, state: SampleState, ctx: TestContext): Promise<boolean> {
  const { twin } = state
  if (!twin?.ended) return false
  // tests that run at the same time would wait for ever: the places that those of the twin need are taken by those that wait
  if (ctx.task.concurrent && !twin.isOver) return false
  const built = await build(state, ctx)
  await twin.over
  if (!built.ok || !twin.built?.ok || twin.built.artifact !== built.artifact) return false
  const meta = metaOf(ctx)
  const said = twin.ended.get(meta.case)
  if (!said || said.verdict?.kind === 'infrastructure') return false
  const [own, other] = [state.buildArgs.sample, twin.buildArgs.sample]
  if (!said.verdict && !said.spared) return false
  if (!said.verdict) return spare(ctx, `as that of ${sampleTitle(other)}, which has the same sources`)
  const { resumed: _, ...entry } = moved(said, other, own)
  const judged = entry.stage === 'compile' ? {} : { remembered: entry.runs ?? 1 }
  Object.assign(meta, entry, { model: meta.model, sample: own.name }, judged)
  const fact = `judged once: ${sampleTitle(own)} has the same sources as ${sampleTitle(other)}`
  if (twin.hung?.title === ctx.task.name) state.hung ??= { ...twin.hung, test: ctx.task.id }
  if (said.verdict.kind !== 'correct') throw failureBefore(scope, state, { ...entry, verdict: said.verdict }, fact)
  await ctx.annotate(`${sampleTitle(own)}: ${fact}`, 'identical')
  return true
}

/** What was said of one sample, with the paths of another. */
function moved(meta: KernelMeta, from: Sample, to: Sample): KernelMeta {
  const [there, here] = [from, to].map(({ root }) => JSON.stringify(`${root}/`).slice(1, -1))
  const text = JSON.stringify(meta).replaceAll(there ?? '', () => here ?? '')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a meta in which paths have changed
  return JSON.parse(text) as KernelMeta
}
