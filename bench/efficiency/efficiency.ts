import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withCaseFile } from '../../plugin/case-file/index.ts'
import { poisonOf } from '../../plugin/evaluation/seed.ts'
import type { KernelCase } from '../../plugin/model/index.ts'
import { largestArgument } from '../../plugin/task/fit.ts'
import type { KernelTask } from '../../plugin/task/index.ts'
import '../every-spec.ts'
import { artifactOf, withMachine, type Machine } from '../machine.ts'
import { baselineNames, buildArgsOf, repository, subjectOf, type Subject } from '../subjects.ts'
import { boundOf } from './bounds.ts'
import { enlarged } from './enlarged.ts'
import { reasonOf, type Measured } from './reasons.ts'

/** Elements of the largest argument of a row, unless the command says otherwise. */
export const LARGEST = 2 ** 24
/** What rows of element-wise operators are enlarged to. */
const ENLARGED = 2 ** 22
const README = join(repository, 'references/baseline/README.md')
const [BEGIN, END] = ['<!-- efficiency -->', '<!-- /efficiency -->']

/** Shares that a baseline is meant to reach, in per cent, by category. */
const aims: Record<string, number> = {
  Math: 70,
  Foreach: 70,
  Comparison: 70,
  Condition: 70,
  Activation: 70,
  Optim: 70,
  TensorCreation: 70,
}
const otherAim = 50
/** Operators of these categories that reduce: the aim of the others. */
const reducing = new Set(
  'DequantSwigluQuant ForeachNorm GeluQuant Icamax Icamin InplaceAttnSoftmax InplaceFusedMatmulSoftmaxGrad Isamax Isamin NonFiniteCheckOp Sasum Snrm2'.split(
    ' ',
  ),
)
const aimOf = (name: string, category: string): number => (reducing.has(name) ? otherAim : (aims[category] ?? otherAim))

async function measure({ service }: Machine, { task }: Subject, artifact: string, kernelCase: KernelCase) {
  const inputs = task.draw(kernelCase)
  return await withCaseFile(task.interface, kernelCase, inputs, async (file): Promise<Measured> => {
    const { path, fileBytes, slots } = file
    const poison = poisonOf(kernelCase)
    const request = { artifact, case: kernelCase, poison, file: path, fileBytes, slots, hazards: false }
    const answer = await service.launch(request)
    if (!answer.ok) throw new Error(`${task.interface.name} ${kernelCase.name}: ${JSON.stringify(answer.verdict)}`)
    const { latencyNs, pipes, shares } = answer
    const bound = boundOf(task, kernelCase, inputs)
    const [pipe = '-', ns = 0] = Object.entries(pipes).toSorted(([, one], [, other]) => other - one)[0] ?? []
    return {
      kernelCase,
      latencyNs,
      bound,
      share: (100 * bound.ns) / latencyNs,
      pipe,
      busy: (100 * ns) / latencyNs,
      waits: (100 * (shares?.waitedNs ?? 0)) / latencyNs,
    }
  })
}

const microseconds = (ns: number): string => (ns / 1e3).toFixed(1)
const wholes = (perCent: number): string => `${perCent.toFixed(0)} %`

/**
 * Which baselines, on how many rows, none of which has an argument of more elements than said; `write`: to the README.
 */
export interface EfficiencyOptions {
  part: string
  rows: number
  elements: number
  write: boolean
}

/** Latency of baselines on their largest rows beside what the device allows. */
export async function benchEfficiency(
  cacheDir: string,
  { part, rows, elements, write }: EfficiencyOptions,
): Promise<void> {
  const lines: { category: string; line: string[] }[] = []
  await withMachine(cacheDir, async (machine) => {
    for (const name of baselineNames().filter((each) => part.split(',').some((text) => each.includes(text)))) {
      const subject = subjectOf(name)
      const cases = rowsOf(subject.task, rows, elements)
      const { artifact } = await artifactOf(machine, buildArgsOf(subject))
      const measured: Measured[] = []
      for (const kernelCase of cases) measured.push(await measure(machine, subject, artifact, kernelCase))
      const { category } = subject.task.interface
      const line = lineOf(name, category, measured)
      console.log(line.join('  '))
      lines.push({ category, line })
    }
  })
  if (write) writeTable(lines)
}

/** The largest rows within the limit, element-wise ones enlarged; the smallest of all where none is within it. */
function rowsOf(task: KernelTask, count: number, limit: number): KernelCase[] {
  const sorted = task.staticCases.toSorted((one, other) => largestArgument(other) - largestArgument(one))
  const within = sorted.filter((each) => largestArgument(each) <= limit)
  const chosen = within.length > 0 ? within.slice(0, count) : sorted.slice(-1)
  return chosen.map((each) => enlarged(task, each, ENLARGED))
}

function lineOf(name: string, category: string, measured: readonly Measured[]): string[] {
  const [largest] = measured
  if (!largest) throw new Error(`${name} has no static row`)
  const best = measured.reduce((one, other) => (other.share > one.share ? other : one))
  const reason = largest.share >= aimOf(name, category) ? '' : reasonOf(name, largest)
  return [
    name,
    largest.kernelCase.name,
    microseconds(largest.latencyNs),
    `${microseconds(largest.bound.ns)} ${largest.bound.from}`,
    wholes(largest.share),
    wholes(best.share),
    `${largest.pipe} ${wholes(largest.busy)}`,
    reason,
  ]
}

const header = ['operator', 'row', 'µs', 'bound', 'share', 'best', 'busiest', 'below the aim because']

// Keeps the lines of operators that were not measured.
function writeTable(lines: readonly { category: string; line: string[] }[]): void {
  const text = readFileSync(README, 'utf8')
  const [before, rest] = text.split(BEGIN)
  const [tables, after] = rest?.split(END) ?? []
  if (before === undefined || tables === undefined || after === undefined)
    throw new Error(`${README} has no markers ${BEGIN} and ${END}`)
  const rows = tablesIn(tables)
  for (const { category, line } of lines) {
    rows.set(category, (rows.get(category) ?? new Map<string, string>()).set(line[0]!, `| ${line.join(' | ')} |`))
  }
  const head = [`| ${header.join(' | ')} |`, `|${header.map(() => '---|').join('')}`]
  const written = [...rows.keys()].sort().map((category) => {
    const sorted = [...rows.get(category)!].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, line]) => line)
    return [`### ${category}`, '', ...head, ...sorted].join('\n')
  })
  writeFileSync(README, `${before}${BEGIN}\n\n${written.join('\n\n')}\n\n${END}${after}`)
}

/** Lines by category and operator. */
function tablesIn(text: string): Map<string, Map<string, string>> {
  const sections = text.split('### ').slice(1)
  return new Map(
    sections.map((section) => {
      const [category = '', , , , ...lines] = section.split('\n')
      const rows = lines.filter((line) => line.startsWith('| '))
      return [category, new Map(rows.map((line) => [line.split(' ')[1]!, line]))]
    }),
  )
}
