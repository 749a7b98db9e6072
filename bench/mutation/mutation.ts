import { basename } from 'node:path'
import { evaluateCase } from '../../plugin/evaluation/evaluate.ts'
import { PreparedCases } from '../../plugin/evaluation/prepared.ts'
import type { KernelCase, Sample } from '../../plugin/model/index.ts'
import type { KernelTask } from '../../plugin/task/index.ts'
import type { EmulatorArtifact } from '../../plugin/toolchain/artifact.ts'
import { tasksDefined } from '../collect-tasks.ts'
import { withMachine, type Machine } from '../machine.ts'
import '../every-spec.ts'
import { buildArgsOf } from '../subjects.ts'
import { casesForMutants } from './cases.ts'
import { linesWithCode, loadedContent } from './machine-code.ts'
import { describeMutant, isEquivalent, mutantsOf, selectionOf, type Mutant } from './mutants.ts'
import { Score, type MutantResult } from './score.ts'
import { BaselineCopy } from './baseline-copy.ts'

/** An operator without an edit. */
interface Original {
  task: KernelTask
  /** what the libraries of each dtype combination put into memory */
  contents: string[]
  /** see `linesWithCode` */
  lines: ReadonlySet<string>
}

/** Host part and kernels of an artifact. */
const librariesOf = ({ host, kernels }: EmulatorArtifact): string[] =>
  [
    host,
    ...[...kernels.values()].flatMap((variants) => (variants.supported ? [variants.aiv, variants.aic] : [])),
  ].filter((library) => library !== null)

const contentOf = (artifact: EmulatorArtifact): string => librariesOf(artifact).map(loadedContent).join(' ')

/** Builds one dtype combination; null when it does not build. */
async function build(
  { service, client }: Machine,
  task: KernelTask,
  sample: Sample,
  combination: number,
): Promise<EmulatorArtifact | null> {
  const args = buildArgsOf({ task, sample })
  const built = await client.call('build', {
    ...args,
    combinations: args.combinations.slice(combination, combination + 1),
  })
  if (!built.ok && built.verdict.kind === 'infrastructure') throw new Error(built.verdict.message)
  return built.ok ? (service.artifact(built.artifact) ?? null) : null
}

async function originalOf(machine: Machine, task: KernelTask, sample: Sample): Promise<Original> {
  const artifacts: EmulatorArtifact[] = []
  for (const index of buildArgsOf({ task, sample }).combinations.keys()) {
    const artifact = await build(machine, task, sample, index)
    if (!artifact) throw new Error(`${task.interface.name} itself does not build`)
    artifacts.push(artifact)
  }
  const lines = artifacts.flatMap(librariesOf).flatMap((library) => [...linesWithCode(library)])
  return { task, contents: artifacts.map(contentOf), lines: new Set(lines) }
}

/** Builds and runs an operator until a case fails; where `contents` are given, only cases of libraries that differ from them. */
async function resultOf(
  machine: Machine,
  { task, contents }: Pick<Original, 'task'> & Partial<Original>,
  sample: Sample,
  { problems, prepared }: { problems: readonly KernelCase[]; prepared: PreparedCases },
): Promise<MutantResult> {
  const { client } = machine
  const context = {
    launch: async (launch: Parameters<typeof client.call<'launch'>>[1]) => await client.call('launch', launch),
    prepared,
    profile: 'strict' as const,
    spec: task.interface.name,
  }
  const artifacts = new Map<number, string>()
  const unchanged = new Set<number>()
  let warned = false
  for (const kernelCase of problems) {
    const { combination } = kernelCase
    if (unchanged.has(combination)) continue
    let artifact = artifacts.get(combination)
    if (artifact === undefined) {
      const built = await build(machine, task, sample, combination)
      if (built === null) return 'does not build'
      if (contents && contentOf(built) === contents[combination]) {
        unchanged.add(combination)
        continue
      }
      artifact = built.id
      artifacts.set(combination, artifact)
    }
    const { verdict, reports } = await evaluateCase({ task, artifact }, kernelCase, context)
    if (verdict.kind === 'infrastructure') throw new Error(verdict.message)
    if (verdict.kind !== 'correct') return verdict.kind.startsWith('wrong') ? 'values' : 'device'
    warned ||= reports.length > 0
  }
  if (artifacts.size === 0) return 'not compiled'
  return warned ? 'warning' : 'MISSED'
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(0)} s`

/** Makes the mutants of one operator one at a time in each copy; false where the operator itself is not clean. */
async function judge(
  machine: Machine,
  original: Original,
  mutants: readonly Mutant[],
  { copies, verbose, score }: { copies: readonly [BaselineCopy, ...BaselineCopy[]]; verbose: boolean; score: Score },
): Promise<boolean> {
  const { task } = original
  const operator = task.interface.name
  const started = performance.now()
  const cases = { problems: casesForMutants(task), prepared: new PreparedCases() }
  const clean = await resultOf(machine, { task }, copies[0].sampleOf(operator), cases)
  const cleanMs = performance.now() - started
  if (clean !== 'MISSED') {
    console.log(`${operator} itself is not clean: ${clean}; its mutants say nothing`)
    return false
  }
  const queue = [...mutants]
  const work = async (copy: BaselineCopy) => {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const sample = copy.sampleOf(operator)
      const found = await copy.withEdit(mutant, async () => await resultOf(machine, original, sample, cases))
      const result = found === 'MISSED' && isEquivalent(mutant) ? 'equivalent' : found
      score.add(operator, mutant.edit.damage, result)
      if (result === 'MISSED' || verbose) console.log(`${result} ${describeMutant(mutant)}`)
    }
  }
  await Promise.all(copies.map(work))
  const times = `${seconds(cleanMs)} for ${cases.problems.length} cases, then ${seconds(performance.now() - started - cleanMs)}`
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
  const copies = [new BaselineCopy(), new BaselineCopy()] as const
  try {
    await withMachine(cacheDir, async (machine) => {
      const originals = new Map<string, Original>()
      for (const operator of selection.operators) {
        const task = tasks.get(operator)
        if (!task) throw new Error(`no spec defines ${operator}`)
        originals.set(operator, await originalOf(machine, task, copies[0].sampleOf(operator)))
      }
      const hasCode = (operator: string, file: string, line: number): boolean =>
        originals.get(operator)?.lines.has(`${basename(file)}:${line}`) ?? false
      for (const [operator, mutants] of await mutantsOf(copies[0].folder, selection, hasCode)) {
        const original = originals.get(operator)
        const settings = { copies, verbose: args.includes('--verbose'), score }
        if (original && (await judge(machine, original, mutants, settings))) clean.push(operator)
      }
    })
  } finally {
    for (const copy of copies) copy.close()
  }
  score.print(selection.seed, clean, selection.operators)
}
