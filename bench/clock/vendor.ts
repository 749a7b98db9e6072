import { withCaseFile } from '../../plugin/case-file/index.ts'
import { poisonOf } from '../../plugin/evaluation/seed.ts'
import type { CompletedLaunch, DType } from '../../plugin/model/index.ts'
import '../../tasks/level2/activation/dequant-swiglu-quant.spec.ts'
import '../../tasks/level2/norm/group-norm-swish.spec.ts'
import '../../tasks/level3/gmm/grouped-matmul-slice-m.spec.ts'
import { artifactOf, withMachine, type Machine } from '../machine.ts'
import { buildArgsOf, subjectOf } from '../subjects.ts'
import type { DrawnCase } from './drawn-case.ts'
import { published } from './published.ts'
import { small, smallCase } from './small.ts'
import { elementsOf, vendorCase } from './vendor-cases.ts'

/** A row of the vendor's operators, as the clock has it for ours. */
export interface Row {
  operator: string
  row: number
  dtype: DType
  shape: number[]
  /** of that shape in each list */
  tensors: number
  publishedUs: number
  predictedUs: number
  /** what most of the prediction is spent on */
  pipe: string
}

/** Elements of the largest row that is launched, unless the command says otherwise. */
export const LARGEST_ROW = 2 ** 26

/** The clock's latencies of the rows that have at most so many elements. */
export async function vendorRows(cacheDir: string, elements: number, part = ''): Promise<Row[]> {
  const rows: Row[] = []
  await withMachine(cacheDir, async ({ service, ...machine }) => {
    for (const [operator, all] of Object.entries(published)) {
      if (!operator.includes(part)) continue
      const own = small(operator)
      const subject = own ? undefined : subjectOf(operator)
      const { artifact } = await artifactOf({ service, ...machine }, own ?? buildArgsOf(subject!))
      for (const publishedRow of all) {
        const [row, dtype, shape, tensors, publishedUs] = publishedRow
        if (elementsOf(publishedRow) > elements) continue
        const vendors = own ? smallCase(own.task, dtype, shape) : vendorCase(subject!.task, publishedRow)
        const answer = await launched(service, vendors, artifact)
        const [pipe = '-'] = Object.entries(answer.pipes).toSorted(([, one], [, other]) => other - one)[0] ?? []
        rows.push({ operator, row, dtype, shape, tensors, publishedUs, predictedUs: answer.latencyNs / 1e3, pipe })
        const last = rows.at(-1)!
        console.log(`${operator} ${row}: ${last.predictedUs.toFixed(1)} of ${publishedUs} us, ${pipe}`)
      }
    }
  })
  return rows
}

/** A launch of a case that has to be right. */
export async function launched(
  service: Machine['service'],
  { task, kernelCase, inputs }: DrawnCase,
  artifact: string,
): Promise<CompletedLaunch> {
  return await withCaseFile(task, kernelCase, inputs, async (file) => {
    const { path, fileBytes, slots } = file
    const poison = poisonOf(kernelCase)
    const asked = { artifact, case: kernelCase, poison, file: path, fileBytes, slots, hazards: false }
    const answer = await service.launch(asked)
    if (!answer.ok) throw new Error(`${task.name} ${kernelCase.name}: ${JSON.stringify(answer.verdict)}`)
    return answer
  })
}
