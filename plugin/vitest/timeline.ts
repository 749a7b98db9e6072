import { join } from 'node:path'
import { recordArtifact, type TestArtifactBase, type TestContext } from 'vitest'
import { hashOf } from '../cache/hash.ts'
import { timeCase, type BuiltKernel } from '../evaluation/evaluate.ts'
import { TimelineStore } from '../ledger/index.ts'
import { ledgerName } from '../ledger/runs.ts'
import type { CompletedLaunch, KernelCase } from '../model/index.ts'
import { evaluationContextOf } from './judge-case.ts'
import type { TaskScope } from './task-scope.ts'

/** What Vitest calls the timeline of a latency, beside what other plugins attach to tests. */
const timelineArtifact = 'vitest-npu:timeline'

declare const key: unique symbol

declare module 'vitest' {
  interface TestArtifactRegistry {
    [key]: TestArtifactBase & { type: typeof timelineArtifact }
  }
}

/** That of the run, which all workers write to. */
let store: { run: string; timelines: TimelineStore } | undefined

/**
 * Launches a case once more for what its pipes do when, and keeps that beside the ledger of the run. Its name there; undefined where
 * the target tells none, or where it cannot be kept: a right sample is no less right for it. With it, what that launch has told of where
 * time is spent.
 */
export async function keptTimeline(
  scope: TaskScope,
  kernel: BuiltKernel,
  kernelCase: KernelCase,
  ctx: TestContext,
): Promise<({ timeline: string } & Pick<CompletedLaunch, 'shares' | 'hottest' | 'elsewhere'>) | undefined> {
  const { run } = scope.options
  try {
    const context = evaluationContextOf(scope, ctx.signal)
    const launched = await timeCase(kernel, kernelCase, context, (launch) => launch({ timeline: true }))
    if (!launched.ok || !launched.timeline) return undefined
    if (store?.run !== run) store = { run, timelines: new TimelineStore(join(run, ledgerName)) }
    const hash = hashOf(JSON.stringify(launched.timeline))
    const path = store.timelines.keep(hash, launched.timeline)
    if (path === undefined) return undefined
    await attach(ctx, path).catch(() => undefined)
    const { shares, hottest, elsewhere } = launched
    return { timeline: hash, ...(shares && { shares }), ...(hottest && { hottest }), ...(elsewhere && { elsewhere }) }
  } catch {
    ctx.signal.throwIfAborted()
    return undefined
  }
}

/** Lets reporters and the UI of Vitest have it: they copy the file to their attachments. */
async function attach(ctx: TestContext, path: string): Promise<void> {
  const attachments = [{ path, contentType: 'application/gzip' }]
  await recordArtifact(ctx.task, { type: timelineArtifact, attachments })
}
