import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { evaluateCase } from '../../plugin/evaluation/evaluate.ts'
import { PreparedCases } from '../../plugin/evaluation/prepared.ts'
import type { KernelCase, Sample } from '../../plugin/model/index.ts'
import type { KernelTask } from '../../plugin/task/index.ts'
import { tasksDefined } from '../collect-tasks.ts'
import { printTable } from '../figures.ts'
import { withMachine, type Machine } from '../machine.ts'
import '../every-spec.ts'
import { baselineNames, buildArgsOf, repository } from '../subjects.ts'
import { problemsOf } from './cases.ts'
import { applied, editsOf, lineOf, type Damage, type Edit } from './edits.ts'
import { equivalent } from './equivalent.ts'

const baselines = join(repository, 'references/baseline')
interface Mutant {
  operator: string
  file: string
  edit: Edit
  text: string
}

/** How a mutant ended. `warning`: right outputs, and the device warns of what the original does not do. */
type Fate = 'compiler' | 'device' | 'values' | 'warning' | 'equivalent' | 'MISSED'

function mutantsOf(operator: string): Mutant[] {
  const folder = join(baselines, operator, 'op_kernel')
  return readdirSync(folder)
    .filter((name) => /\.(?:cpp|h)$/.test(name))
    .flatMap((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      return editsOf(text).map((edit) => ({ operator, file: `op_kernel/${name}`, edit, text }))
    })
}

const lineText = ({ text, edit }: Mutant): string => text.split('\n')[lineOf(text, edit.start) - 1]!.trim()

const isEquivalent = (mutant: Mutant): boolean =>
  equivalent.some(
    ({ operators, line, what }) =>
      operators.includes(mutant.operator) && line.test(lineText(mutant)) && what.test(mutant.edit.what),
  )

/** Builds and runs one mutant, or the original, until a case fails. */
async function fateOf(
  { client }: Machine,
  task: KernelTask,
  mutant: Mutant | { operator: string },
  { problems, prepared }: { problems: readonly KernelCase[]; prepared: PreparedCases },
): Promise<Fate> {
  const root = mkdtempSync(join(tmpdir(), 'mutant-'))
  try {
    cpSync(join(baselines, mutant.operator), root, { recursive: true })
    if ('edit' in mutant) writeFileSync(join(root, mutant.file), applied(mutant.text, mutant.edit))
    const [kernelDir, hostDir] = [join(root, 'op_kernel'), join(root, 'op_host')]
    const sample: Sample = {
      task: mutant.operator,
      name: 'mutant',
      root,
      kernelDir,
      hostDir,
      cmakeLists: [],
      repository: baselines,
    }
    const args = buildArgsOf({ task, sample })
    const built = await client.call('build', args)
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
    if (warned) return 'warning'
    return 'MISSED'
  } finally {
    rmSync(root, { recursive: true })
  }
}

const share = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`)

/**
 * Applies one edit at a time to the device sources of clean operators and counts which are noticed. `--only=<damage>` takes
 * one kind of edit, names the operators; all without. `--verbose` tells what became of each.
 */
export async function mutation(cacheDir: string, args: readonly string[]): Promise<void> {
  const tasks = tasksDefined()
  const only = args.find((arg) => arg.startsWith('--only='))?.slice('--only='.length)
  const every = Number(args.find((arg) => arg.startsWith('--every='))?.slice('--every='.length) ?? 1)
  const verbose = args.includes('--verbose')
  const named = args.filter((arg) => !arg.startsWith('--'))
  const operators = named.length > 0 ? named : baselineNames()
  const fates = new Map<Damage, Map<Fate, number>>()
  await withMachine(cacheDir, async (machine) => {
    for (const operator of operators) {
      const task = tasks.get(operator)
      if (!task) throw new Error(`no spec defines ${operator}`)
      const mutants = mutantsOf(operator).filter(
        ({ edit }, i) => (only ?? edit.damage) === edit.damage && i % every === 0,
      )
      if (mutants.length === 0) continue
      const prepared = new PreparedCases()
      const problems = problemsOf(task)
      const original = await fateOf(machine, task, { operator }, { problems, prepared })
      if (original !== 'MISSED') {
        console.log(`${operator} itself is not clean: ${original}; its mutants say nothing`)
        continue
      }
      const queue = [...mutants]
      const work = async () => {
        for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
          const found = await fateOf(machine, task, mutant, { problems, prepared })
          const fate = found === 'MISSED' && isEquivalent(mutant) ? 'equivalent' : found
          const counts = fates.get(mutant.edit.damage) ?? new Map<Fate, number>()
          counts.set(fate, (counts.get(fate) ?? 0) + 1)
          fates.set(mutant.edit.damage, counts)
          if (fate !== 'MISSED' && !verbose) continue
          const line = `${operator}/${mutant.file}:${lineOf(mutant.text, mutant.edit.start)}: ${mutant.edit.damage}: ${mutant.edit.what}   | ${lineText(mutant)}`
          console.log(`${fate} ${line}`)
        }
      }
      await Promise.all([work(), work()])
      console.log(`${operator}: ${mutants.length} mutants`)
    }
  })
  const columns: Fate[] = ['device', 'values', 'warning', 'MISSED', 'equivalent', 'compiler']
  const judgedFates: Fate[] = ['device', 'values', 'warning', 'MISSED']
  const rows = [...fates].map(([damage, counts]) => {
    const numbers = columns.map((fate) => counts.get(fate) ?? 0)
    const judged = judgedFates.reduce((sum, fate) => sum + (counts.get(fate) ?? 0), 0)
    return [damage, ...numbers.map(String), share(judged - (counts.get('MISSED') ?? 0), judged)]
  })
  printTable('mutation score: one edit of a clean operator at a time', [['damage', ...columns, 'detected'], ...rows])
}
