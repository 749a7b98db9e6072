import { findingsOf } from '../generation/findings.ts'
import type { Finding } from '../generation/types.ts'
import { ledgerVersion, type LedgerEntry } from '../ledger/index.ts'
import { InfrastructureError, type KernelCase, type Sample, type Verdict, type ProjectFile } from '../model/index.ts'
import { Draws } from '../search/index.ts'
import { combinationsOf } from '../task/combinations.ts'
import type { KernelTask } from '../task/index.ts'
import { bytesOfCase } from '../task/work.ts'
import { describeCase } from '../vitest/describe-case.ts'
import type { Judging } from './judging.ts'

/** What became of an attempt at a task. */
export interface Attempt {
  verdict: Verdict
  /** what is wrong, in words for a model; empty of a right one */
  findings: Finding[]
}

/** On which cases attempts are judged. */
export interface CaseLimits {
  /** generated cases for each dtype combination, beside the static ones */
  draws: number
  seed: number
  /** bytes of all tensors of a case */
  bytes: number
}

/** The cases that attempts at a task are judged on. */
export function casesFor(task: KernelTask, { draws, seed, bytes }: CaseLimits): KernelCase[] {
  const drawn = new Draws(task.domain, seed)
  const generated = Array.from({ length: draws * combinationsOf(task).length }, (_, i) => drawn.case(String(i)))
  return [...task.staticCases, ...generated].filter((kernelCase) => bytesOfCase(kernelCase) <= bytes)
}

/** Builds an attempt and runs cases until one fails. Rejects with an {@link InfrastructureError} where it is not at fault. */
export async function judgeAttempt(
  task: KernelTask,
  files: readonly ProjectFile[],
  judging: Judging,
  limits: CaseLimits,
): Promise<Attempt> {
  const machine = await judging.machineOf(task)
  const judged = await judging.withFiles(task.interface, files, async (sample): Promise<Attempt> => {
    const built = await machine.buildWhole(sample)
    if (!built.ok) return attemptOf(task, built.verdict, { sample, files, stage: 'compile', title: 'compiles' })
    for (const kernelCase of casesFor(task, limits)) {
      const { verdict } = await machine.evaluate(built.artifact, kernelCase)
      if (verdict.kind === 'correct') continue
      return attemptOf(task, verdict, { sample, files, stage: 'static', title: describeCase(kernelCase) })
    }
    return { verdict: { kind: 'correct' }, findings: [] }
  })
  return 'problem' in judged ? refused(judged.problem) : judged
}

/** Builds an attempt and no more. */
export async function compileAttempt(
  task: KernelTask,
  files: readonly ProjectFile[],
  judging: Judging,
): Promise<Attempt> {
  const machine = await judging.machineOf(task)
  const judged = await judging.withFiles(task.interface, files, async (sample): Promise<Attempt> => {
    const built = await machine.buildWhole(sample)
    if (!built.ok) return attemptOf(task, built.verdict, { sample, files, stage: 'compile', title: 'compiles' })
    return { verdict: { kind: 'correct' }, findings: [] }
  })
  return 'problem' in judged ? refused(judged.problem) : judged
}

const refused = (message: string): Attempt => ({
  verdict: { kind: 'unusable-answer', message },
  findings: [{ kind: 'unusable-answer', text: message }],
})

interface Judged {
  sample: Sample
  files: readonly ProjectFile[]
  stage: LedgerEntry['stage']
  title: string
}

function attemptOf(
  { interface: task }: KernelTask,
  verdict: Verdict,
  { sample, files, stage, title }: Judged,
): Attempt {
  if (verdict.kind === 'infrastructure') throw new InfrastructureError(verdict.message)
  const entry: LedgerEntry = {
    v: ledgerVersion,
    suite: task.suite,
    group: task.group,
    task: task.name,
    category: task.category,
    model: null,
    sample: 'row',
    stage,
    case: title,
    verdict,
    profile: 'standard',
    seed: 0,
    target: '',
    soc: '',
  }
  return { verdict, findings: findingsOf([entry], { files, root: sample.root }) }
}

/** The class of a compile error, or the code of what the device has reported; null where there is none. */
export function classOf(verdict: Verdict): string | null {
  if (verdict.kind === 'compile-failed') return verdict.class
  return verdict.kind === 'device-error' || verdict.kind === 'hazard' ? verdict.report.code : null
}
