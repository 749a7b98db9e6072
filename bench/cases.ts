import * as fc from 'fast-check'
import { withCaseFile } from '../plugin/case-file/index.ts'
import { judge } from '../plugin/compare/index.ts'
import { evaluateCase } from '../plugin/evaluation/evaluate.ts'
import { PreparedCases } from '../plugin/evaluation/prepared.ts'
import { poisonOf } from '../plugin/evaluation/seed.ts'
import { byteLengthOf, type KernelCase } from '../plugin/model/index.ts'
import { comparedWithAim, median, ms, printTable } from './figures.ts'
import { artifactOf, withMachine, type Machine } from './machine.ts'
import { buildArgsOf, subjectOf, type Subject } from './subjects.ts'

const aimMs = 2
/** Bytes of all tensors of a case that counts as small. */
const smallBytes = 64 << 10

const bytesOf = (kernelCase: KernelCase): number =>
  [...Object.values(kernelCase.inputs), ...Object.values(kernelCase.outputs)]
    .flat()
    .reduce((sum, spec) => sum + (spec ? byteLengthOf(spec.dtype, spec.shape) : 0), 0)

const smallCases = (subject: Subject, count: number): KernelCase[] =>
  fc
    .sample(subject.task.domain, { numRuns: 8 * count, seed: 11 })
    .filter((kernelCase) => bytesOf(kernelCase) <= smallBytes)
    .slice(0, count)

const stages = ['draw', 'write', 'launch', 'golden', 'read', 'compare'] as const

/** The stages of `evaluateCase`, one after the other, each timed. */
async function timeStages(
  { client }: Machine,
  { task }: Subject,
  artifact: string,
  kernelCase: KernelCase,
): Promise<Record<(typeof stages)[number], number>> {
  let last = performance.now()
  const lap = (): number => -(last - (last = performance.now()))
  const inputs = task.draw(kernelCase)
  const draw = lap()
  return await withCaseFile(task.interface, kernelCase, inputs, async (file) => {
    const write = lap()
    const poison = poisonOf(kernelCase)
    const { path, fileBytes, slots } = file
    const answer = await client.call('launch', { artifact, case: kernelCase, poison, file: path, fileBytes, slots })
    const launch = lap()
    if (!answer.ok) throw new Error(JSON.stringify(answer.verdict))
    const golden = task.golden(inputs, kernelCase)
    const goldenMs = lap()
    const actual = file.readOutputs()
    const read = lap()
    judge(task, kernelCase, golden, actual, Buffer.from(poison, 'hex'))
    return { draw, write, launch, golden: goldenMs, read, compare: lap() }
  })
}

async function rowOf(machine: Machine, name: string, count: number): Promise<string[]> {
  const subject = subjectOf(name)
  const { artifact } = await artifactOf(machine, buildArgsOf(subject))
  const cases = smallCases(subject, count)
  const context = {
    launch: (args: Parameters<Machine['service']['launch']>[0]) => machine.client.call('launch', args),
    prepared: new PreparedCases(),
    profile: 'standard' as const,
    spec: name,
  }
  const whole: number[] = []
  const laps: Record<string, number>[] = []
  for (const [index, kernelCase] of cases.entries()) {
    const started = performance.now()
    const { verdict } = await evaluateCase({ task: subject.task, artifact }, kernelCase, context)
    if (index > 0) whole.push(performance.now() - started)
    if (verdict.kind !== 'correct') throw new Error(`${name}: ${JSON.stringify(verdict)}`)
    laps.push(await timeStages(machine, subject, artifact, { ...kernelCase, seed: kernelCase.seed ^ 1 }))
  }
  const total = median(whole)
  const mean = whole.reduce((sum, value) => sum + value, 0) / whole.length
  const parts = stages.map((stage) => ms(median(laps.map((lap) => lap[stage] ?? 0))))
  return [
    name,
    String(cases.length),
    ms(total),
    ms(mean),
    ...parts,
    comparedWithAim(Number(total.toFixed(2)), aimMs, 'ms'),
  ]
}

/** Time per generated case of at most 64 KiB: end to end over the socket, and by stage. */
export async function benchCases(cacheDir: string, count: number): Promise<void> {
  await withMachine(cacheDir, async (machine) => {
    const rows = [['task', 'cases', 'median', 'mean', ...stages, '']]
    for (const name of ['AddCustom', 'Sqrt', 'RmsNorm', 'BasicMatmul']) rows.push(await rowOf(machine, name, count))
    printTable('Generated cases of at most 64 KiB, mixed dtype combinations: end to end, then by stage (medians)', rows)
  })
}
