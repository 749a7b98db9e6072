import { withCaseFile } from '../../plugin/case-file/index.ts'
import { evaluateCase } from '../../plugin/evaluation/evaluate.ts'
import { PreparedCases } from '../../plugin/evaluation/prepared.ts'
import { poisonOf } from '../../plugin/evaluation/seed.ts'
import { sizeOf, type KernelCase } from '../../plugin/model/index.ts'
import { specsOf } from '../../plugin/task/index.ts'
import { comparedWithAim, printTable } from '../figures.ts'
import { artifactOf, withMachine, type Machine } from '../machine.ts'
import { buildArgsOf, subjectOf, type Subject } from '../subjects.ts'

/** What the clock takes of a case. */
export interface Cost {
  operator: string
  elements: number
  /** milliseconds of judging the case: inputs, launches, golden and comparison */
  caseMs: number
  /** milliseconds of processor time of the device without its memory: where nobody asks for the latency, and what the clock adds */
  deviceMs: number
  addedMs: number
  /** bytes of the records */
  bytes: number
}

/** Operators of many and of few instructions. */
const operators = [
  'ForeachSigmoid',
  'RmsNorm',
  'Gelu',
  'BasicMatmul',
  'ScatterList',
  'ReverseSequence',
  'TopKV3',
  'Ccopy',
]

const elementsOf = ({ inputs, outputs }: KernelCase): number =>
  [...Object.values(inputs), ...Object.values(outputs)]
    .flatMap((spec) => [...specsOf(spec)])
    .reduce((sum, { shape }) => sum + sizeOf(shape), 0)

/** The largest static case of some operators, launched with and without the clock in turns: the fastest of each. */
export async function costs(cacheDir: string, { part = '', rounds = 7 } = {}): Promise<Cost[]> {
  const found: Cost[] = []
  await withMachine(cacheDir, async (machine) => {
    for (const operator of operators.filter((each) => part.split(',').some((text) => each.includes(text)))) {
      const subject = subjectOf(operator)
      const { artifact } = await artifactOf(machine, buildArgsOf(subject))
      const [largest] = subject.task.staticCases.toSorted((one, other) => elementsOf(other) - elementsOf(one))
      if (!largest) continue
      const caseMs = await judged(machine, subject, artifact, largest)
      const cost = { ...(await launches(machine, subject, artifact, largest, rounds)), caseMs }
      found.push({ operator, elements: elementsOf(largest), ...cost })
      console.log(costLine(found.at(-1)!).join('  '))
    }
  })
  return found
}

/** Milliseconds of judging the case, as a run does. */
async function judged(
  { service }: Machine,
  { task }: Subject,
  artifact: string,
  kernelCase: KernelCase,
): Promise<number> {
  const started = performance.now()
  const { verdict } = await evaluateCase({ task, artifact }, kernelCase, {
    launch: service.launch.bind(service),
    prepared: new PreparedCases(),
    profile: 'standard',
    spec: task.interface.name,
  })
  if (verdict.kind !== 'correct') throw new Error(`${task.interface.name} ${kernelCase.name}: ${verdict.kind}`)
  return performance.now() - started
}

async function launches(
  { service }: Machine,
  { task }: Subject,
  artifact: string,
  kernelCase: KernelCase,
  rounds: number,
): Promise<Pick<Cost, 'deviceMs' | 'addedMs' | 'bytes'>> {
  const inputs = task.draw(kernelCase)
  return await withCaseFile(task.interface, kernelCase, inputs, async ({ path: file, fileBytes, slots }) => {
    const asked = { artifact, case: kernelCase, poison: poisonOf(kernelCase), file, fileBytes, slots }
    const launch = async (more: { clock?: boolean; timeline?: boolean }) => {
      const answer = await service.launch({ ...asked, ...more })
      if (!answer.ok) throw new Error(`${task.interface.name} ${kernelCase.name} does not run`)
      return answer
    }
    const { clock } = await launch({ timeline: true })
    let [withClock, without] = [Infinity, Infinity]
    for (let round = 0; round < rounds; ++round) {
      withClock = Math.min(withClock, (await launch({})).hostMs)
      without = Math.min(without, (await launch({ clock: false })).hostMs)
    }
    return { deviceMs: without, addedMs: withClock - without, bytes: clock?.bytes ?? NaN }
  })
}

const perCent = (share: number): string => `${(100 * share).toFixed(1)} %`

export const costHeader = [
  'operator',
  'elements',
  'case ms',
  'device ms',
  'clock ms',
  'of the case',
  'of the device',
  'records',
]
export const costLine = ({ operator, elements, caseMs, deviceMs, addedMs, bytes }: Cost): string[] => [
  operator,
  String(elements),
  caseMs.toFixed(0),
  deviceMs.toFixed(deviceMs < 10 ? 2 : 1),
  addedMs.toFixed(2),
  perCent(addedMs / (caseMs - addedMs)),
  perCent(addedMs / deviceMs),
  `${(bytes / 2 ** 20).toFixed(1)} MiB`,
]

const aimsOf = ({ addedMs, caseMs, bytes }: Cost): string[] => [
  comparedWithAim(Number(((100 * addedMs) / (caseMs - addedMs)).toFixed(1)), 10, '% of the case'),
  comparedWithAim(Number((bytes / 2 ** 20).toFixed(1)), 256, 'MiB'),
]

/** `npm run bench -- clock-cost` */
export async function benchClockCost(cacheDir: string, part: string, rounds: number): Promise<void> {
  const taken = await costs(cacheDir, { part, rounds })
  printTable(`What recording and the clock add, fastest of ${rounds} launches with and without, in turns`, [
    [...costHeader, '', ''],
    ...taken.map((cost) => [...costLine(cost), ...aimsOf(cost)]),
  ])
}
