import { withCaseFile } from '../../plugin/case-file/index.ts'
import { poisonOf } from '../../plugin/evaluation/seed.ts'
import { sizeOf, type CompletedLaunch, type KernelCase } from '../../plugin/model/index.ts'
import { specsOf } from '../../plugin/task/index.ts'
import { artifactOf, withMachine, type Machine } from '../machine.ts'
import { buildArgsOf, subjectOf, type Subject } from '../subjects.ts'

/** What the clock takes of the emulation of a case. */
export interface Cost {
  operator: string
  elements: number
  /** milliseconds of processor time: of the device without its memory, and of that to play the launch */
  hostMs: number
  clockMs: number
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

/** The largest static case of some operators. */
export async function costs(cacheDir: string): Promise<Cost[]> {
  const found: Cost[] = []
  await withMachine(cacheDir, async (machine) => {
    for (const operator of operators) {
      const subject = subjectOf(operator)
      const { artifact } = await artifactOf(machine, buildArgsOf(subject))
      const [largest] = subject.task.staticCases.toSorted((one, other) => elementsOf(other) - elementsOf(one))
      if (!largest) continue
      const { plain, timed } = await launches(machine.service, subject, artifact, largest)
      const { ms, bytes } = timed.clock ?? { ms: NaN, bytes: NaN }
      found.push({ operator, elements: elementsOf(largest), hostMs: plain.hostMs, clockMs: ms, bytes })
      console.log(
        `${operator}: the clock took ${ms.toFixed(1)} of ${plain.hostMs.toFixed(0)} ms, ${(bytes / 2 ** 20).toFixed(1)} MiB`,
      )
    }
  })
  return found
}

async function launches(
  service: Machine['service'],
  { task }: Subject,
  artifact: string,
  kernelCase: KernelCase,
): Promise<{ plain: CompletedLaunch; timed: CompletedLaunch }> {
  return await withCaseFile(
    task.interface,
    kernelCase,
    task.draw(kernelCase),
    async ({ path: file, fileBytes, slots }) => {
      const asked = { artifact, case: kernelCase, poison: poisonOf(kernelCase), file, fileBytes, slots }
      const [plain, timed] = [await service.launch(asked), await service.launch({ ...asked, timeline: true })]
      if (!plain.ok || !timed.ok) throw new Error(`${task.interface.name} ${kernelCase.name} does not run`)
      return { plain, timed }
    },
  )
}
