import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repositoryAround } from '../../plugin/candidates/project.ts'
import { evaluateCase } from '../../plugin/evaluation/evaluate.ts'
import { PreparedCases } from '../../plugin/evaluation/prepared.ts'
import type { KernelCase, Sample } from '../../plugin/model/index.ts'
import type { KernelTask } from '../../plugin/task/index.ts'
import { tasksDefined } from '../collect-tasks.ts'
import { printTable } from '../figures.ts'
import { withMachine, type Machine } from '../machine.ts'
import '../every-spec.ts'
import { buildArgsOf, repository } from '../subjects.ts'
import { problemsOf } from './cases.ts'
import { applied, type Damage } from './edits.ts'
import { choiceOf, described, isEquivalent, mutantsOf, type Mutant } from './mutants.ts'

const baselines = join(repository, 'references/baseline')

/** How a mutant ended. `warning`: right outputs, and the device warns of what the original does not do. */
type Fate = 'compiler' | 'device' | 'values' | 'warning' | 'equivalent' | 'MISSED'

/** A copy of all baselines to edit: operators include headers of each other. */
class Workshop {
  readonly #folder = mkdtempSync(join(tmpdir(), 'mutants-'))

  constructor() {
    cpSync(baselines, this.#folder, { recursive: true })
  }

  /** The operator as a candidate. */
  sampleOf(operator: string): Sample {
    const root = join(this.#folder, operator)
    const around = repositoryAround(root)
    const [kernelDir, hostDir] = [join(root, 'op_kernel'), join(root, 'op_host')]
    const sample: Sample = { task: operator, name: 'mutant', root, kernelDir, hostDir, cmakeLists: [] }
    return around === undefined ? sample : { ...sample, repository: around }
  }

  async withEdit<T>({ file, text, edit }: Mutant, work: () => Promise<T>): Promise<T> {
    const path = join(this.#folder, file)
    writeFileSync(path, applied(text, edit))
    try {
      return await work()
    } finally {
      writeFileSync(path, text)
    }
  }

  close(): void {
    rmSync(this.#folder, { recursive: true })
  }
}

/** Builds and runs an operator until a case fails. */
async function fateOf(
  { client }: Machine,
  task: KernelTask,
  sample: Sample,
  { problems, prepared }: { problems: readonly KernelCase[]; prepared: PreparedCases },
): Promise<Fate> {
  const built = await client.call('build', buildArgsOf({ task, sample }))
  if (!built.ok && built.verdict.kind === 'infrastructure') throw new Error(built.verdict.message)
  if (!built.ok) return 'compiler'
  const bench = {
    launch: async (launch: Parameters<typeof client.call<'launch'>>[1]) => await client.call('launch', launch),
    prepared,
    profile: 'strict' as const,
    spec: task.interface.name,
  }
  let warned = false
  for (const kernelCase of problems) {
    const { verdict, reports } = await evaluateCase({ task, artifact: built.artifact }, kernelCase, bench)
    if (verdict.kind === 'infrastructure') throw new Error(verdict.message)
    if (verdict.kind !== 'correct') return verdict.kind.startsWith('wrong') ? 'values' : 'device'
    warned ||= reports.length > 0
  }
  return warned ? 'warning' : 'MISSED'
}

const share = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`)

type Counts = Map<Damage, Map<Fate, number>>

/** Makes the mutants of one operator one at a time in each workshop; counts what became of them. */
async function judge(
  machine: Machine,
  task: KernelTask,
  mutants: readonly Mutant[],
  { workshops, verbose, fates }: { workshops: readonly Workshop[]; verbose: boolean; fates: Counts },
): Promise<void> {
  const operator = task.interface.name
  const cases = { problems: problemsOf(task), prepared: new PreparedCases() }
  const original = await fateOf(machine, task, workshops[0]!.sampleOf(operator), cases)
  if (original !== 'MISSED') {
    console.log(`${operator} itself is not clean: ${original}; its mutants say nothing`)
    return
  }
  const queue = [...mutants]
  const work = async (workshop: Workshop) => {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const { edit } = mutant
      const sample = workshop.sampleOf(operator)
      const found = await workshop.withEdit(mutant, async () => await fateOf(machine, task, sample, cases))
      const fate = found === 'MISSED' && isEquivalent(mutant) ? 'equivalent' : found
      const counts = fates.get(edit.damage) ?? new Map<Fate, number>()
      counts.set(fate, (counts.get(fate) ?? 0) + 1)
      fates.set(edit.damage, counts)
      if (fate !== 'MISSED' && !verbose) continue
      console.log(`${fate} ${described(mutant)}`)
    }
  }
  await Promise.all(workshops.map(work))
  console.log(`${operator}: ${mutants.length} mutants`)
}

/**
 * Applies one edit at a time to the device sources of clean operators and counts which are noticed: of the operators named,
 * of a random `--sample=<n>` with its `--seed=<s>`, or of all. `--only=<damage>` takes one kind of edit, `--every=<n>` every
 * n-th, `--match=<expression>` those whose line of the output it matches; `--verbose` tells what became of each.
 */
export async function mutation(cacheDir: string, args: readonly string[]): Promise<void> {
  const tasks = tasksDefined()
  const choice = choiceOf(args)
  const fates: Counts = new Map()
  const workshops = [new Workshop(), new Workshop()]
  try {
    await withMachine(cacheDir, async (machine) => {
      for (const operator of choice.operators) {
        const task = tasks.get(operator)
        if (!task) throw new Error(`no spec defines ${operator}`)
        const mutants = await mutantsOf(baselines, operator, choice)
        if (mutants.length === 0) continue
        await judge(machine, task, mutants, { workshops, verbose: args.includes('--verbose'), fates })
      }
    })
  } finally {
    for (const workshop of workshops) workshop.close()
  }
  const columns: Fate[] = ['device', 'values', 'warning', 'MISSED', 'equivalent', 'compiler']
  const judgedFates: Fate[] = ['device', 'values', 'warning', 'MISSED']
  const rows = [...fates].map(([damage, counts]) => {
    const numbers = columns.map((fate) => counts.get(fate) ?? 0)
    const judged = judgedFates.reduce((sum, fate) => sum + (counts.get(fate) ?? 0), 0)
    return [damage, ...numbers.map(String), share(judged - (counts.get('MISSED') ?? 0), judged)]
  })
  const sum = (fate: Fate): number => [...fates.values()].reduce((total, counts) => total + (counts.get(fate) ?? 0), 0)
  const judged = judgedFates.reduce((total, fate) => total + sum(fate), 0)
  const all = ['all', ...columns.map((fate) => String(sum(fate))), share(judged - sum('MISSED'), judged)]
  printTable('mutation score: one edit of a clean operator at a time', [
    ['damage', ...columns, 'detected'],
    ...rows,
    all,
  ])
}
