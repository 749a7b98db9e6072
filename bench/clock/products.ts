import { socOf } from '../../plugin/soc/devices.ts'
import { artifactOf, withMachine } from '../machine.ts'
import { buildArgsOf, reshaped, subjectOf } from '../subjects.ts'
import { drawn } from './vendor-cases.ts'
import { launched } from './vendor.ts'

/** The clock's latency of a product, and the share of what the cube cores can do at most. */
export interface Product {
  operator: string
  side: number
  /** of a tuned kernel of others on such a device: PTO-ISA, `gemm_performance` */
  publishedUs?: number | undefined
  us: number
  share: number
}

const soc = socOf('Ascend910B2')
const published: Record<number, number> = { 1536: 38.8, 3072: 206.7 }
/** multiplications of 16-bit elements that a cube core does in a cycle */
const perCycle = 4096

/** Square products of float16 by the baseline operators. */
export async function products(cacheDir: string, sides: readonly number[]): Promise<Product[]> {
  const found: Product[] = []
  await withMachine(cacheDir, async (machine) => {
    for (const operator of ['BasicMatmul']) {
      const subject = subjectOf(operator)
      const { artifact } = await artifactOf(machine, buildArgsOf(subject))
      const template = subject.task.staticCases.find(({ inputs }) =>
        Object.values(inputs).every((spec) => !Array.isArray(spec)),
      )
      if (!template) throw new Error(`${operator} has no static case`)
      const names = [...Object.keys(template.inputs), ...Object.keys(template.outputs)]
      for (const side of sides) {
        const square = reshaped(template, Object.fromEntries(names.map((name) => [name, [side, side]])))
        const { latencyNs } = await launched(machine.service, drawn(subject.task, square), artifact)
        const share = side ** 3 / perCycle / soc.aicCores / soc.clockGHz / latencyNs
        found.push({ operator, side, publishedUs: published[side], us: latencyNs / 1e3, share })
        console.log(
          `${operator} ${side}: ${(latencyNs / 1e3).toFixed(1)} us, ${(100 * share).toFixed(0)} % of the peak`,
        )
      }
    }
  })
  return found
}
