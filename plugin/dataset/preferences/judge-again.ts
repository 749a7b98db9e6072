import { caseOfRun } from '../../evaluation/seed.ts'
import type { VerdictKind } from '../../model/index.ts'
import { judgeOriginal, NotCleanError } from '../../mutation/original.ts'
import { hashOf } from '../../cache/hash.ts'
import { deviceTime } from '../../vitest/device-time.ts'
import type { PreferenceProof } from '../proof-preference.ts'
import type { CheckContext } from '../verifier.ts'

/** What judging a side of a pair again has come to. */
export interface JudgedAgain {
  /** `correct`, the first verdict that says otherwise, or why it is no sample at all */
  kind: VerdictKind | { problem: string }
  /** nanoseconds of one launch, of a right one on a target that tells them */
  latency?: number
  /** the share by which the clock may be wrong about that, where the target tells it */
  band?: number | undefined
}

/** Of the runs that go on: a right candidate is in several pairs. */
const known = new WeakMap<CheckContext['judging'], Map<string, Promise<JudgedAgain>>>()

/** Judges a side of a pair as a run of its seed does: on all static cases, and on the same generated ones. */
export function judgeAgain(
  context: CheckContext,
  { suite, task: name }: PreferenceProof,
  { files, seed }: PreferenceProof['chosen'],
): Promise<JudgedAgain> {
  const { judging } = context
  const all = known.get(judging) ?? new Map<string, Promise<JudgedAgain>>()
  known.set(judging, all)
  const key = hashOf(suite, name, String(seed), JSON.stringify(files))
  let judged = all.get(key)
  if (!judged) all.set(key, (judged = judge()))
  return judged

  async function judge(): Promise<JudgedAgain> {
    const task = await context.taskOf(suite, name)
    const result = await judging.withFiles(task.interface, files, async (sample): Promise<JudgedAgain> => {
      const machine = await judging.machineOf(task)
      try {
        await judgeOriginal(machine, sample, judging.casesOf(seed), judging.signal)
      } catch (error) {
        if (error instanceof NotCleanError) return { kind: error.verdict.kind }
        throw error
      }
      const timed = judging.timedCaseOf(task)
      const built = await machine.buildWhole(sample)
      if (!timed || !built.ok) return { kind: 'correct' }
      const { launch } = await machine.evaluate(built.artifact, caseOfRun(timed, seed))
      if (!launch) return { kind: 'correct' }
      const { mean, estimate } = await deviceTime(() => Promise.resolve({ ok: true, ...launch }), 1, judging.signal)
      return { kind: 'correct', latency: mean, band: estimate?.band }
    })
    return 'problem' in result ? { kind: { problem: result.problem } } : result
  }
}
