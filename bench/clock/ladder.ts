import { join } from 'node:path'
import { withCaseFile } from '../../plugin/case-file/index.ts'
import type { CompletedLaunch, KernelCase, Sample, TaskInterface } from '../../plugin/model/index.ts'
import { artifactOf, withMachine, type Machine } from '../machine.ts'
import { repository } from '../subjects.ts'
import type { Figure } from './figures.ts'

/** Of the host part of products in `fixtures/`, in this order. */
const attributes =
  'key blocks m n k singleM singleN baseM baseN baseK depthA depthB stepM stepN stepKa stepKb order dbL0 dbL0C bias transposeA transposeB scale fault layout batchA batchB'.split(
    ' ',
  )

const root = join(repository, 'fixtures/matmul_object')
const [kernelDir, hostDir] = [join(root, 'op_kernel'), join(root, 'op_host')]
const own = { task: 'MatmulObject', name: 'bench', root, kernelDir, hostDir, cmakeLists: [] }
const sample: Sample = { ...own, repository: join(repository, 'fixtures') }
const tensor = (name: string) => ({ name, kind: 'tensor' as const, required: true, dtypes: ['float16' as const] })
const task: TaskInterface = {
  name: 'MatmulObject',
  kernel: 'matmul_object',
  suite: 'own',
  group: null,
  category: 'Bench',
  inputs: [tensor('x')],
  outputs: [tensor('y')],
  attrs: attributes.map((name) => ({ name, type: 'int', required: true })),
}

/** A block at a time goes to L1, or several at once. B is transposed, as in the sample. */
const key = { normal: 1, bigBlocks: 2 }

/** A square product of float16. */
interface Product {
  key: number
  size: [m: number, n: number, k: number]
  /** what a core computes */
  single: [m: number, n: number]
  base: [m: number, n: number, k: number]
  /** blocks in L1, and those that come with one copy */
  depth?: [a: number, b: number]
  step?: [ka: number, kb: number]
}

async function launched(service: Machine['service'], artifact: string, product: Product): Promise<CompletedLaunch> {
  const { size, single, base, depth = [1, 1], step = [1, 1] } = product
  const [m, n, k] = size
  const blocks = Math.ceil(m / single[0]) * Math.ceil(n / single[1])
  const values = [product.key, blocks, ...size, ...single, ...base, ...depth, 1, 1, ...step, 0, 2, 1, 0, 0, 1]
  const attrs = Object.fromEntries(attributes.map((name, i) => [name, values[i] ?? (name.startsWith('batch') ? 1 : 0)]))
  const shape = [k * (m + n) + 16 * n]
  const kernelCase: KernelCase = {
    task: task.name,
    name: 'bench',
    combination: 0,
    inputs: { x: { dtype: 'float16', shape } },
    outputs: { y: { dtype: 'float16', shape: [m * n] } },
    attrs,
    seed: 1,
  }
  const x = { dtype: 'float16' as const, shape, data: new Uint16Array(shape[0]!) }
  return await withCaseFile(task, kernelCase, { x }, async ({ path: file, fileBytes, slots }) => {
    const asked = { artifact, case: kernelCase, poison: 'a5a5a5a5a5a5a5a5', file, fileBytes, slots, hazards: false }
    const answer = await service.launch(asked)
    if (!answer.ok) throw new Error(`${JSON.stringify(product)}: ${JSON.stringify(answer.verdict)}`)
    return answer
  })
}

const cube = (side: number): [number, number, number] => [side, side, side]
const small = { size: cube(1024), single: [1024, 1024] as [number, number] }
const large = { size: [2048, 4096, 4096] as [number, number, number], base: [128, 256, 64] as [number, number, number] }
const quarters = { ...large, single: [512, 768] as [number, number] }

/**
 * The steps in which a sample of the vendor (`matmul_high_performance` of asc-devkit, on an Ascend 910B1) tunes a product of
 * 8192 x 8192 x 8192, up to the one after which latencies differ by 3 %. Ours are of 1024 x 1024 x 1024 on one core and of 2048 x 4096 x 4096 on 24, with shares
 * of the cores that are as much smaller; times are those for as many multiplications as in 8192.
 */
const steps: [name: string, us: number, product: Product][] = [
  ['one core, blocks of 64 x 64 x 64', 759_364, { key: key.normal, ...small, base: [64, 64, 64] }],
  ['one core, blocks of 128 x 256 x 64', 249_467, { key: key.normal, ...small, base: [128, 256, 64] }],
  ['24 cores, 2 x 12', 12_541, { key: key.normal, ...large, single: [1024, 342] }],
  ['24 cores, 4 x 6', 12_284, { key: key.normal, ...quarters }],
  ['several blocks a copy', 5040, { key: key.bigBlocks, ...quarters, depth: [4, 4], step: [2, 2] }],
  ['as many as L1 holds', 4157, { key: key.bigBlocks, ...quarters, depth: [16, 8], step: [8, 4] }],
]

/** The cube unit alone, in the last of these steps: the vendor's profiler, on average over the cores. */
const cubeUs = 3352

/** How the clock orders the steps. */
export async function ladder(cacheDir: string): Promise<Figure[]> {
  const found: Figure[] = []
  const add = (name: string, published: number, predicted: number, tolerance: number): void => {
    found.push({ name: `product, ${name}`, unit: 'µs', published, predicted, tolerance })
    console.log(`${name}: ${predicted.toFixed(0)} of ${published} us`)
  }
  const work = async (machine: Machine): Promise<void> => {
    const combinations = [{ inputs: ['float16' as const], outputs: ['float16' as const] }]
    const { artifact } = await artifactOf(machine, { sample, task, combinations })
    for (const [i, [name, us, product]] of steps.entries()) {
      const { latencyNs, pipes } = await launched(machine.service, artifact, product)
      const [m, n, k] = product.size
      const scale = 8192 ** 3 / (m * n * k)
      add(`step ${i}: ${name}`, us, (latencyNs * scale) / 1e3, 0.25)
      if (i + 1 < steps.length) continue
      // the core that ends last has a larger share than the average
      const share = (m * n) / 24 / (product.single[0] * product.single[1])
      add('the cube unit in that step', cubeUs, ((pipes['M'] ?? 0) * scale * share) / 1e3, 0.1)
    }
  }
  await withMachine(cacheDir, work, 'Ascend910B1')
  return found
}
