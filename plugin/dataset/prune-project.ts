import { realPath } from '../candidates/index.ts'
import { eitherOf, isReached } from '../evaluation/reached.ts'
import { InfrastructureError, type Verdict, type ProjectFile } from '../model/index.ts'
import type { RunMachine } from '../mutation/machine.ts'
import type { KernelTask } from '../task/index.ts'
import type { Judging } from './judging.ts'
import { withOwnSeed } from './project-case.ts'
import { prunedFiles, type PruneOptions, type ReachedLines } from './prune.ts'
import { sameTiling } from './tiling-agreement.ts'
import type { TiledCase } from './scenarios.ts'

/** A project for one case. `pruned`: as much as could be taken out of it; `kept`: nothing, and why. */
export type ScenarioProject = { files: ProjectFile[]; pruned: boolean; note?: string }

/** What is tried, until one is right. */
const attempts: readonly PruneOptions[] = [
  { branchesIn: ['op_host', 'op_kernel'] },
  { branchesIn: ['op_host'] },
  { branchesIn: ['op_kernel'] },
  { branchesIn: [] },
]

/** How a project fared on the case of a scenario. */
type Judged = { ok: true; lines: (path: string) => ReachedLines | undefined } | { ok: false; reason: string }

const reasonOf = (verdict: Verdict): string =>
  verdict.kind === 'compile-failed'
    ? `does not compile: ${verdict.diagnostics.find(({ severity }) => severity === 'error')?.message ?? verdict.log.slice(0, 200)}`
    : `is ${verdict.kind}`

/**
 * Takes out of a project what the case does not need, by what its launch has reached. What is left is judged again, and makes the same
 * tiling of the case. Undefined with a reason where the whole project is not right on it.
 */
export async function projectFor(
  task: KernelTask,
  scenario: TiledCase,
  files: readonly ProjectFile[],
  judging: Judging,
): Promise<ScenarioProject | { problem: string }> {
  const machine = await judging.machineOf(task)
  const whole = await judgeProject(task, scenario, files, { judging, machine })
  if (!whole.ok) return { problem: whole.reason }
  let note = ''
  for (const attempt of attempts) {
    const pruned = prunedFiles(files, whole.lines, attempt)
    const judged = await judgeProject(task, scenario, pruned, { judging, machine })
    if (judged.ok) return { files: pruned, pruned: true, ...(note !== '' && { note }) }
    note ||= judged.reason
  }
  return { files: [...files], pruned: false, note }
}

/** Judges a project on the case of a scenario alone, with two draws of its inputs, built for its dtypes alone. */
export async function judgeProject(
  task: KernelTask,
  { kernelCase, tiling }: TiledCase,
  files: readonly ProjectFile[],
  { judging, machine }: { judging: Judging; machine: RunMachine },
): Promise<Judged> {
  const judged = await judging.withFiles(task.interface, files, async (sample): Promise<Judged> => {
    const built = await machine.build(sample, kernelCase.combination)
    if (!built.ok) {
      if (built.verdict.kind === 'infrastructure') throw new InfrastructureError(built.verdict.message)
      return { ok: false, reason: reasonOf(built.verdict) }
    }
    const tiled = await judging.tiling(built.artifact, kernelCase)
    if (!tiled.ok) return tiled
    if (!sameTiling(tiled.tiling, tiling)) return { ok: false, reason: 'makes another tiling of the case' }
    let reached: string | undefined
    for (const each of [kernelCase, withOwnSeed(kernelCase)]) {
      const { verdict, launch } = await machine.evaluate(built.artifact, each)
      if (verdict.kind === 'infrastructure') throw new InfrastructureError(verdict.message)
      if (verdict.kind !== 'correct') return { ok: false, reason: reasonOf(verdict) }
      reached = eitherOf(reached, launch?.reached)
    }
    return { ok: true, lines: await linesOf(machine, built.artifact, reached, realPath(sample.root)) }
  })
  return 'problem' in judged ? { ok: false, reason: judged.problem } : judged
}

/** The lines of a launch by path below the root of the project. */
async function linesOf(
  machine: RunMachine,
  artifact: string,
  reached: string | undefined,
  root: string,
): Promise<(path: string) => ReachedLines | undefined> {
  const code = reached === undefined ? null : await machine.codeOf(artifact)
  const bits = Buffer.from(reached ?? '', 'base64')
  const found = new Map<string, { code: Set<number>; reached: Set<number> }>()
  for (const [i, { file, lines }] of (code?.blocks ?? []).entries()) {
    const path = code!.files[file]!
    if (!path.startsWith(`${root}/`)) continue
    const name = path.slice(root.length + 1)
    const of = found.get(name) ?? { code: new Set(), reached: new Set() }
    found.set(name, of)
    for (const line of lines) {
      of.code.add(line)
      if (isReached(bits, i)) of.reached.add(line)
    }
  }
  return (path) => found.get(path)
}
