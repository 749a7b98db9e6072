import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withCaseFile } from '../../plugin/device/index.ts'
import { poisonOf } from '../../plugin/evaluation/seed.ts'
import type { KernelCase } from '../../plugin/model/index.ts'
import { largestArgument } from '../../plugin/task/fit.ts'
import '../every-spec.ts'
import { artifactOf, withMachine, type Machine } from '../machine.ts'
import { baselineNames, buildArgsOf, repository, subjectOf, type Subject } from '../subjects.ts'
import { boundOf, type Bound } from './bounds.ts'
import { reasons } from './reasons.ts'

/** Elements of the largest argument of a row, unless the command says otherwise. */
export const LARGEST = 2 ** 24
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

/** A row on the emulated device. */
interface Measured {
  kernelCase: KernelCase
  latencyNs: number
  bound: Bound
  /** per cent of the latency that the bound is */
  share: number
  /** the pipe that works most of the time on the core that ends last, and per cent of the latency that it works */
  pipe: string
  busy: number
}

async function measure({ service }: Machine, { task }: Subject, artifact: string, kernelCase: KernelCase) {
  return await withCaseFile(task.interface, kernelCase, task.draw(kernelCase), async (file): Promise<Measured> => {
    const { path, fileBytes, slots } = file
    const poison = poisonOf(kernelCase)
    const request = { artifact, case: kernelCase, poison, file: path, fileBytes, slots, hazards: false }
    const answer = await service.launch(request)
    if (!answer.ok) throw new Error(`${task.interface.name} ${kernelCase.name}: ${JSON.stringify(answer.verdict)}`)
    const { latencyNs, pipes } = answer
    const bound = boundOf(task, kernelCase)
    const [pipe = '-', ns = 0] = Object.entries(pipes).toSorted(([, one], [, other]) => other - one)[0] ?? []
    return {
      kernelCase,
      latencyNs,
      bound,
      share: (100 * bound.ns) / latencyNs,
      pipe,
      busy: (100 * ns) / latencyNs,
    }
  })
}

const microseconds = (ns: number): string => (ns / 1e3).toFixed(1)
const wholes = (perCent: number): string => `${perCent.toFixed(0)} %`

/** Which baselines, on how many rows, none of which has an argument of more elements than said; `write`: to the README. */
export interface Choice {
  part: string
  rows: number
  elements: number
  write: boolean
}

/** Latency of baselines on their largest rows beside what the device allows. */
export async function benchEfficiency(cacheDir: string, { part, rows, elements, write }: Choice): Promise<void> {
  const lines: { category: string; line: string[] }[] = []
  await withMachine(cacheDir, async (machine) => {
    for (const name of baselineNames().filter((each) => each.includes(part))) {
      const subject = subjectOf(name)
      const cases = subject.task.staticCases
        .filter((each) => largestArgument(each) <= elements)
        .toSorted((one, other) => largestArgument(other) - largestArgument(one))
        .slice(0, rows)
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

function lineOf(name: string, category: string, measured: readonly Measured[]): string[] {
  const [largest] = measured
  if (!largest) return [name, 'no row is small enough', '', '', '', '', '', '']
  const best = measured.reduce((one, other) => (other.share > one.share ? other : one))
  const aim = aims[category] ?? otherAim
  const reason = largest.share >= aim ? '' : (reasons[name] ?? 'unknown')
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

function writeTable(lines: readonly { category: string; line: string[] }[]): void {
  const categories = [...new Set(lines.map(({ category }) => category))].sort()
  const tables = categories.map((category) => {
    const rows = lines.filter((each) => each.category === category).map(({ line }) => `| ${line.join(' | ')} |`)
    const aim = aims[category] ?? otherAim
    const title = `### ${category} (aim ${aim} %)`
    return [title, '', `| ${header.join(' | ')} |`, `|${header.map(() => '---|').join('')}`, ...rows].join('\n')
  })
  const text = readFileSync(README, 'utf8')
  const [before, rest] = text.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error(`${README} has no markers ${BEGIN} and ${END}`)
  writeFileSync(README, `${before}${BEGIN}\n\n${tables.join('\n\n')}\n\n${END}${after}`)
}
