import type { TestContext } from 'vitest'
import { Remembered } from '../evaluation/remembered.ts'
import { VerdictFile } from '../evaluation/verdict-file.ts'
import type { SuiteContext } from './context.ts'
import { metaOf } from './verdicts.ts'
import { service } from './worker.ts'

const opened = new WeakMap<SuiteContext, Map<string, Promise<Remembered | undefined>>>()

/** What earlier runs came to about an artifact on the task of a suite; undefined where nothing is remembered. */
export async function rememberedOf(
  suite: SuiteContext,
  artifact: string,
  ctx: TestContext,
): Promise<Remembered | undefined> {
  if (!suite.options.remember) return undefined
  const known = opened.get(suite) ?? new Map<string, Promise<Remembered | undefined>>()
  opened.set(suite, known)
  let remembered = known.get(artifact)
  if (!remembered) known.set(artifact, (remembered = open(suite, artifact, ctx)))
  return await remembered
}

/** A service that is gone is told by what is asked of it next. */
async function open(suite: SuiteContext, artifact: string, { task }: TestContext): Promise<Remembered | undefined> {
  const question = { artifact, spec: suite.file, project: task.file.projectName ?? '' }
  const path = await service()
    .call('remembered', question)
    .catch(() => null)
  return path === null ? undefined : new Remembered(new VerdictFile(path))
}

/** Notes that cases behind a test were judged in an earlier run, under its seed. */
export function noteRemembered(ctx: TestContext, cases: number, { seed }: { seed: number }): void {
  Object.assign(metaOf(ctx), { remembered: cases, seed })
}
