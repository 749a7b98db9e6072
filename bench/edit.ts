import { appendFile, cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findSamples } from '../plugin/candidates/index.ts'
import { evaluateCase } from '../plugin/evaluation/evaluate.ts'
import { PreparedCases } from '../plugin/evaluation/prepared.ts'
import { sizeOf, type KernelCase } from '../plugin/model/index.ts'
import { npuKernelBench } from '../plugin/suites/index.ts'
import { printTable, fastestAndMedian } from './figures.ts'
import { artifactOf, withMachine, type Machine } from './machine.ts'
import { buildArgsOf, subjectOf } from './subjects.ts'

const elementsOf = ({ inputs }: KernelCase): number =>
  Object.values(inputs)
    .flat()
    .reduce((sum, spec) => sum + (spec ? sizeOf(spec.shape) : 0), 0)

const smallest = (cases: readonly KernelCase[]): KernelCase =>
  cases.toSorted((one, other) => elementsOf(one) - elementsOf(other))[0]!

async function rowOf(machine: Machine, name: string, rounds: number): Promise<string[]> {
  const { task, sample: original } = subjectOf(name)
  const folder = await mkdtemp(join(tmpdir(), 'npu-bench-edit-'))
  try {
    await cp(original.root, join(folder, name), { recursive: true })
    const [sample] = findSamples([folder], { suites: [], task: { suite: npuKernelBench.name, name } }).samples
    const kernel = sample && (await readdir(sample.kernelDir)).find((path) => path.endsWith('.cpp'))
    if (!sample || kernel === undefined) throw new Error(`no kernel source of ${name}`)
    const file = join(sample.kernelDir, kernel)
    const args = buildArgsOf({ task, sample })
    await artifactOf(machine, args)
    const builds: number[] = []
    const verdicts: number[] = []
    for (let round = 0; round < rounds; round++) {
      await appendFile(file, `// edit ${process.pid} ${Date.now()} ${round}\n`)
      const started = performance.now()
      const { artifact } = await artifactOf(machine, args)
      builds.push(performance.now() - started)
      const context = {
        launch: machine.service.launch.bind(machine.service),
        prepared: new PreparedCases(),
        profile: 'standard' as const,
        spec: name,
      }
      const { verdict } = await evaluateCase({ task, artifact }, smallest(task.staticCases), context)
      if (verdict.kind !== 'correct') throw new Error(`${name}: ${JSON.stringify(verdict)}`)
      verdicts.push(performance.now() - started)
    }
    return [name, String(args.combinations.length), fastestAndMedian(builds), fastestAndMedian(verdicts)]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** From an edited kernel line to the verdict of the smallest public case, all dtype combinations rebuilt. */
export async function benchEdit(cacheDir: string, rounds: number): Promise<void> {
  await withMachine(cacheDir, async (machine) => {
    const rows = [['kernel', 'combinations', 'build', 'first verdict']]
    for (const name of ['AddCustom', 'RmsNorm', 'BasicMatmul']) rows.push(await rowOf(machine, name, rounds))
    printTable(`Edit to first verdict, fastest (median) of ${rounds}`, rows)
  })
}
