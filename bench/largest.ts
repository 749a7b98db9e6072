import { join } from 'node:path'
import { execa } from 'execa'
import { z } from 'zod'
import { judge } from '../plugin/compare/index.ts'
import { sizeOf, type KernelCase } from '../plugin/model/index.ts'
import { specsOf } from '../plugin/task/index.ts'
import { perfect, poison } from '../references/trivial-candidates.ts'
import { taskNamed, tasksDefined } from './collect-tasks.ts'
import './every-spec.ts'
import { comparedWithAim, printTable } from './figures.ts'
import { repository } from './subjects.ts'

/** What judging one row took: seconds of processor time, and gibibytes, the most that was resident. */
const costOf = z.object({ seconds: z.number(), memory: z.number() })
type Cost = z.infer<typeof costOf>

const elementsOf = ({ inputs, outputs }: KernelCase): number =>
  [...Object.values(inputs), ...Object.values(outputs)]
    .flatMap((spec) => [...specsOf(spec)])
    .reduce((sum, { shape }) => sum + sizeOf(shape), 0)

/** Draws the largest row of each named task, computes golden and judges right outputs, each in a process of its own. */
export async function benchLargest(names: readonly string[]): Promise<void> {
  const chosen = names.length > 0 ? names : [...tasksDefined().keys()]
  const rows = chosen
    .map((name) => {
      const [largest] = taskNamed(name).staticCases.toSorted((one, other) => elementsOf(other) - elementsOf(one))
      return { name, kernelCase: largest!, elements: elementsOf(largest!) }
    })
    .sort((one, other) => other.elements - one.elements)
  const table = [['task', 'case', 'elements', 'processor time', 'resident', '']]
  for (const { name, kernelCase, elements } of rows) {
    const { seconds, memory } = await measure(name, kernelCase.name)
    const took = [`${seconds.toFixed(1)} s`, `${memory.toFixed(2)} GiB`, comparedWithAim(memory, 4, 'GiB')]
    table.push([name, kernelCase.name, `${(elements / 1e6).toFixed(1)} M`, ...took])
    console.log(table.at(-1)!.join('  '))
  }
  printTable('Drawing and judging the largest rows', table)
}

async function measure(task: string, name: string): Promise<Cost> {
  const { stdout } = await execa('node', [join(repository, 'bench/run.mjs'), 'row', task, name], { stderr: 'inherit' })
  return costOf.parse(JSON.parse(stdout.split('\n').at(-1)!))
}

/** The part of the child: one row, and what it took, as a line of JSON. */
export function judgeRow(name: string, row: string): void {
  const task = taskNamed(name)
  const kernelCase = task.staticCases.find((one) => one.name === row)
  if (!kernelCase) throw new Error(`${name} has no row ${row}`)
  const before = process.cpuUsage()
  const inputs = task.draw(kernelCase)
  const golden = task.golden(inputs, kernelCase)
  const outputs = perfect(kernelCase, golden)
  const { strict } = judge(task, kernelCase, golden, outputs, poison, task.reference?.(inputs, kernelCase))
  if (strict.kind !== 'correct') throw new Error(`${name} ${row} rejects its golden result: ${strict.kind}`)
  const { user, system } = process.cpuUsage(before)
  const cost: Cost = { seconds: (user + system) / 1e6, memory: process.resourceUsage().maxRSS / 2 ** 20 }
  console.log(JSON.stringify(cost))
}
