import type { TestContext } from 'vitest'
import { VerdictCache } from '../evaluation/verdict-cache.ts'
import type { TaskScope } from './task-scope.ts'
import { metaOf } from './verdicts.ts'
import { service } from './worker.ts'

const opened = new WeakMap<TaskScope, Map<string, Promise<VerdictCache | undefined>>>()

/** What earlier runs came to about an artifact on a task; undefined where nothing is remembered. */
export async function verdictCacheOf(
  scope: TaskScope,
  artifact: string,
  ctx: TestContext,
): Promise<VerdictCache | undefined> {
  if (!scope.options.remember) return undefined
  const caches = opened.get(scope) ?? new Map<string, Promise<VerdictCache | undefined>>()
  opened.set(scope, caches)
  let cache = caches.get(artifact)
  if (!cache) caches.set(artifact, (cache = open(scope, artifact, ctx)))
  return await cache
}

/** Forgets what is known of an artifact: nothing more is asked of it. */
export const closeVerdictCache = (scope: TaskScope, artifact: string): void => void opened.get(scope)?.delete(artifact)

/** A service that is gone is noticed by what is asked of it next. */
async function open(scope: TaskScope, artifact: string, { task }: TestContext): Promise<VerdictCache | undefined> {
  const args = { artifact, spec: scope.file, project: task.file.projectName ?? '' }
  const path = await service()
    .call('verdictFile', args)
    .catch(() => null)
  return path === null ? undefined : new VerdictCache(path)
}

/** Notes that cases behind a test were judged in an earlier run, under its seed. */
export function noteRemembered(ctx: TestContext, cases: number, { seed }: { seed: number }): void {
  Object.assign(metaOf(ctx), { remembered: cases, seed })
}
