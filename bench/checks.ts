import { withCaseFile } from '../plugin/case-file/index.ts'
import { poisonOf } from '../plugin/evaluation/seed.ts'
import type { KernelCase } from '../plugin/model/index.ts'
import { largestArgument } from '../plugin/task/fit.ts'
import { casesOf } from '../references/cases-of.ts'
import './every-spec.ts'
import { comparedWithAim, median, ms, printTable } from './figures.ts'
import { artifactOf, withMachine, type Machine } from './machine.ts'
import { baselineNames, buildArgsOf, subjectOf, type Subject } from './subjects.ts'

/** Per cent that seeing races and garbage may add to the time of a launch. */
const aims = { median: 50, worst: 100 }
/** Elements of the largest argument of a case. */
const small = 2 ** 15
const large = 2 ** 23

/**
 * Milliseconds of emulation, and launches: a short one is measured until either is reached, since its fastest comes
 * late.
 */
const enough = { ms: 200, launches: 100 }

/**
 * Milliseconds of processor time of emulation with and without the bookkeeping, in turns; the fastest of each counts.
 */
async function timeBoth(
  { service }: Machine,
  { task }: Subject,
  artifact: string,
  kernelCase: KernelCase,
  rounds: number,
) {
  return await withCaseFile(task.interface, kernelCase, task.draw(kernelCase), async (file) => {
    const { path, fileBytes, slots } = file
    const request = { artifact, case: kernelCase, poison: poisonOf(kernelCase), file: path, fileBytes, slots }
    const launch = async (hazards: boolean): Promise<number> => {
      file.restoreInputs()
      const answer = await service.launch({ ...request, hazards })
      if (!answer.ok) throw new Error(JSON.stringify(answer.verdict))
      return answer.hostMs
    }
    const [seen, unseen]: [number[], number[]] = [[], []]
    for (let round = 0, spent = 0; round < rounds || (round < enough.launches && spent < enough.ms); round++) {
      const without = await launch(false)
      spent += without
      unseen.push(without)
      seen.push(await launch(true))
    }
    return { seen: Math.min(...seen), unseen: Math.min(...unseen) }
  })
}

/**
 * What the checks of order and of unwritten memory cost, for every n-th baseline on a small and on a large case.
 * `parts`: see README.
 */
export async function benchChecks(cacheDir: string, rounds: number, every: number, parts = ''): Promise<void> {
  await withMachine(cacheDir, async (machine) => {
    const rows = [['operator', 'elements', 'without', 'with all checks', 'cost']]
    const costs: number[] = []
    const names = baselineNames().filter((name) => parts.split(',').some((part) => name.includes(part)))
    for (const name of names.filter((_, i) => i % every === 0)) {
      const subject = subjectOf(name)
      const { artifact } = await artifactOf(machine, buildArgsOf(subject))
      const cases = casesOf(subject.task, 20, large)
      const ofSize = (limit: number) =>
        cases
          .filter((each) => largestArgument(each) <= limit)
          .toSorted((a, b) => largestArgument(b) - largestArgument(a))[0]
      for (const kernelCase of new Set([ofSize(small), ofSize(large)])) {
        if (!kernelCase) continue
        const { seen, unseen } = await timeBoth(machine, subject, artifact, kernelCase, rounds)
        const cost = 100 * (seen / unseen - 1)
        costs.push(cost)
        rows.push([name, String(largestArgument(kernelCase)), ms(unseen), ms(seen), `${cost.toFixed(0)} %`])
      }
    }
    const [middle, worst] = [Math.round(median(costs)), Math.round(Math.max(...costs))]
    const above = costs.filter((cost) => cost > aims.worst).length
    rows.push([`median of ${costs.length}`, '', '', `${middle} %`, comparedWithAim(middle, aims.median, '%')])
    rows.push([`worst, ${above} above ${aims.worst} %`, '', '', `${worst} %`, comparedWithAim(worst, aims.worst, '%')])
    printTable(
      `Cost of seeing races and unwritten memory, processor time of the emulation, fastest of at least ${rounds}`,
      rows,
    )
  })
}
