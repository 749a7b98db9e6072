import { basename, join } from 'node:path'
import { repositoryAround } from '../../plugin/candidates/project.ts'
import { evaluateCase } from '../../plugin/evaluation/evaluate.ts'
import { PreparedCases } from '../../plugin/evaluation/prepared.ts'
import type { Sample } from '../../plugin/model/index.ts'
import { judgeMutant, type Machine as Judge, type Original, type Result } from '../../plugin/mutation/judge.ts'
import { Workspace } from '../../plugin/mutation/workspace.ts'
import { combinationsOf } from '../../plugin/task/combinations.ts'
import type { KernelTask } from '../../plugin/task/index.ts'
import { tasksDefined } from '../collect-tasks.ts'
import { withMachine, type Machine } from '../machine.ts'
import '../every-spec.ts'
import { buildArgsOf, repository } from '../subjects.ts'
import { casesForMutants } from './cases.ts'
import { describeMutant, isEquivalent, mutantsOf, selectionOf, type Mutant } from './mutants.ts'
import { Score, type MutantResult } from './score.ts'

const baselines = join(repository, 'references/baseline')

/** A baseline as a candidate. */
function sampleOf(operator: string): Sample {
  const root = join(baselines, operator)
  const around = repositoryAround(root)
  const [kernelDir, hostDir] = [join(root, 'op_kernel'), join(root, 'op_host')]
  const sample: Sample = { task: operator, name: 'mutant', root, kernelDir, hostDir, cmakeLists: [] }
  return around === undefined ? sample : { ...sample, repository: around }
}

/** An operator without an edit. */
interface Subject extends Original {
  judge: Judge
  task: KernelTask
  sample: Sample
  /** that have code, as `file.h:17` */
  lines: ReadonlySet<string>
}

/** Judges by the strictest tolerance, on the whole device. */
function judgeOf({ service, client }: Machine, task: KernelTask): Judge {
  const context = {
    launch: async (launch: Parameters<typeof client.call<'launch'>>[1]) => await client.call('launch', launch),
    prepared: new PreparedCases(),
    profile: 'strict' as const,
    spec: task.interface.name,
  }
  return {
    build: async (sample, combination) => {
      const args = buildArgsOf({ task, sample })
      return await client.call('build', {
        ...args,
        combinations: args.combinations.slice(combination, combination + 1),
      })
    },
    contentOf: async (artifact) => await service.contentOf(artifact),
    evaluate: async (artifact, kernelCase) => await evaluateCase({ task, artifact }, kernelCase, context),
  }
}

async function subjectOf(machine: Machine, task: KernelTask): Promise<Subject> {
  const judge = judgeOf(machine, task)
  const sample = sampleOf(task.interface.name)
  const contents: (string | null)[] = []
  const lines = new Set<string>()
  for (const index of combinationsOf(task).keys()) {
    const built = await judge.build(sample, index)
    if (!built.ok) throw new Error(`${task.interface.name} itself does not build`)
    contents.push(await judge.contentOf(built.artifact))
    const code = await machine.service.code(built.artifact)
    for (const block of code?.blocks ?? [])
      for (const line of block.lines) lines.add(`${basename(code?.files[block.file] ?? '')}:${line}`)
  }
  // the baselines get no warnings
  return { judge, task, sample, contents, lines, tells: () => true }
}

function nameOf(result: Result): MutantResult {
  if (result.kind === 'noticed') return result.by
  return result.kind === 'missed' ? 'MISSED' : result.kind
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(0)} s`

/** Makes the mutants of one operator one at a time in each copy; false where the operator itself is not clean. */
async function judge(
  subject: Subject,
  mutants: readonly Mutant[],
  { copies, verbose, score }: { copies: readonly Workspace[]; verbose: boolean; score: Score },
): Promise<boolean> {
  const { judge: machine, task, sample } = subject
  const operator = task.interface.name
  const started = performance.now()
  const problems = casesForMutants(task)
  const clean = await judgeMutant(machine, { ...subject, contents: subject.contents.map(() => null) }, sample, problems)
  const cleanMs = performance.now() - started
  if (clean.kind !== 'missed') {
    console.log(`${operator} itself is not clean: ${nameOf(clean)}; its mutants say nothing`)
    return false
  }
  const queue = [...mutants]
  const work = async (copy: Workspace) => {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const edited = copy.sampleOf(sample)
      const result = nameOf(
        await copy.withEdit(mutant, async () => await judgeMutant(machine, subject, edited, problems)),
      )
      const reviewed = result === 'MISSED' && isEquivalent(mutant) ? 'equivalent' : result
      score.add(operator, mutant.edit.damage, reviewed)
      if (reviewed === 'MISSED' || verbose) console.log(`${reviewed} ${describeMutant(mutant)}`)
    }
  }
  await Promise.all(copies.map(work))
  const times = `${seconds(cleanMs)} for ${problems.length} cases, then ${seconds(performance.now() - started - cleanMs)}`
  console.log(`${operator}: ${mutants.length} mutants (${times})`)
  return true
}

/**
 * Applies one edit at a time to the device sources of clean operators and counts which are noticed: of the operators named,
 * of a random `--sample=<n>` with its `--seed=<s>`, or of all, but not of those `--without=<names>`. `--only=<damage>` takes
 * one kind of edit, `--every=<n>` every n-th, `--match=<expression>` those whose line of the output it matches; `--verbose`
 * tells what became of each.
 */
export async function mutation(cacheDir: string, args: readonly string[]): Promise<void> {
  const tasks = tasksDefined()
  const selection = selectionOf(args)
  const score = new Score()
  const clean: string[] = []
  const copies = [new Workspace(baselines), new Workspace(baselines)]
  try {
    await withMachine(cacheDir, async (machine) => {
      const subjects = new Map<string, Subject>()
      for (const operator of selection.operators) {
        const task = tasks.get(operator)
        if (!task) throw new Error(`no spec defines ${operator}`)
        subjects.set(operator, await subjectOf(machine, task))
      }
      const hasCode = (operator: string, file: string, line: number): boolean =>
        subjects.get(operator)?.lines.has(`${basename(file)}:${line}`) ?? false
      for (const [operator, mutants] of await mutantsOf(baselines, selection, hasCode)) {
        const subject = subjects.get(operator)
        const settings = { copies, verbose: args.includes('--verbose'), score }
        if (subject && (await judge(subject, mutants, settings))) clean.push(operator)
      }
    })
  } finally {
    for (const copy of copies) copy.close()
  }
  score.print(selection.seed, clean, selection.operators)
}
