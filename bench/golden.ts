import { roundedTensor } from '../plugin/cli/files.ts'
import { judge } from '../plugin/compare/index.ts'
import { emptyTensor, sizeOf } from '../plugin/model/index.ts'
import type { DType, KernelCase, Tensor, TensorSpec, TensorValue } from '../plugin/model/index.ts'
import { normal, RandomStream, specsOf, type GoldenOutputs, type KernelTask } from '../plugin/task/index.ts'
import { findCompiler } from '../plugin/toolchain/compiler.ts'
import { matmul } from '../references/golden/matmul.ts'
import { tasksDefined } from './collect-tasks.ts'
import './every-spec.ts'
import { comparedWithAim, printTable, processorMilliseconds } from './figures.ts'
import { withNativeLoops } from './native.ts'

const poison = Uint8Array.from([0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8])
/** Millions of elements per second, golden and comparison together. */
const aim = 100

/** How fast the main parts of judging are, for every task and beside plain C++ loops. */
export async function benchGolden(
  cacheDir: string,
  largest: number,
  product: readonly [number, number, number],
): Promise<void> {
  const tasks = [...tasksDefined().values()]
  benchTasks(tasks, largest)
  await benchLoops(cacheDir, tasks)
  benchProduct(product)
}

/** Every task on its largest static case of at most `largest` elements per argument; the slowest first. */
function benchTasks(tasks: readonly KernelTask[], largest: number): void {
  const rows: { rate: number; row: string[] }[] = []
  for (const task of tasks) {
    const kernelCase = largestCase(task, largest)
    if (!kernelCase) continue
    const elements = elementsOf(kernelCase)
    const draws: number[] = []
    const judges: number[] = []
    // the first passes let the engine compile
    const passes = Math.min(40, Math.max(4, Math.ceil(2 ** 22 / elements)))
    for (let pass = 0; pass < passes; pass++) {
      let inputs = {}
      draws.push(processorMilliseconds(() => (inputs = task.draw(kernelCase))))
      const outputs = rightOutputs(kernelCase, task.golden(inputs, kernelCase))
      judges.push(
        processorMilliseconds(() =>
          judge(
            task,
            kernelCase,
            task.golden(inputs, kernelCase),
            outputs,
            poison,
            task.reference?.(inputs, kernelCase),
          ),
        ),
      )
    }
    const rateOf = (times: readonly number[]) => elements / Math.min(...times) / 1e3
    const rate = rateOf(judges)
    const name = `${task.interface.category} ${task.interface.name}`
    rows.push({
      rate,
      row: [name, kernelCase.name, millions(elements), perSecond(rateOf(draws)), perSecond(rate), met(rate)],
    })
  }
  rows.sort((one, other) => one.rate - other.rate)
  const header = ['task', 'case', 'elements', 'draw', 'golden and comparison', '']
  printTable('Drawing and judging: elements per second of processor time', [header, ...rows.map(({ row }) => row)])
}

const met = (rate: number): string => `${rate >= aim ? 'met' : 'MISSED'}: aim ${aim} M/s`
const millions = (count: number): string => `${(count / 1e6).toFixed(2)} M`
const perSecond = (rate: number): string => `${rate.toFixed(rate < 10 ? 1 : 0)} M/s`

const specs = ({ inputs, outputs }: KernelCase): TensorSpec[] =>
  [...Object.values(inputs), ...Object.values(outputs)].flatMap((spec) => [...specsOf(spec)])

/** Elements of the larger side, inputs or outputs: a list of tensors counts as one argument. */
const elementsOf = ({ inputs, outputs }: KernelCase): number =>
  Math.max(
    ...[...Object.values(inputs), ...Object.values(outputs)].map((spec) =>
      specsOf(spec).reduce((sum, { shape }) => sum + sizeOf(shape), 0),
    ),
  )

const total = (kernelCase: KernelCase): number => specs(kernelCase).reduce((sum, { shape }) => sum + sizeOf(shape), 0)

function largestCase(task: KernelTask, largest: number): KernelCase | undefined {
  return task.staticCases
    .filter((kernelCase) => elementsOf(kernelCase) <= largest)
    .sort((one, other) => total(other) - total(one))[0]
}

function rightOutputs(kernelCase: KernelCase, golden: GoldenOutputs): Record<string, TensorValue> {
  return Object.fromEntries(
    Object.entries(kernelCase.outputs).map(([name, spec]): [string, TensorValue] => {
      const values = [golden[name] ?? []].flat()
      const tensors = specsOf(spec).map((one, i) => roundedTensor(one, values[i]!))
      return [name, Array.isArray(spec) ? tensors : (tensors[0] ?? null)]
    }),
  )
}

const million = 1 << 22

/** Golden and comparison of two operators beside the loop that a C++ programmer would write for the kernel alone. */
async function benchLoops(cacheDir: string, tasks: readonly KernelTask[]): Promise<void> {
  const compiler = await findCompiler()
  await withNativeLoops(compiler, cacheDir, async (loops) => {
    const rows = [['golden and comparison', 'JavaScript', 'C++ loop', 'ratio']]
    for (const [name, dtype, loop] of [
      ['AddCustom', 'float16', 'add-float16'],
      ['Sqrt', 'float32', 'sqrt-float32'],
    ] as const) {
      const task = tasks.find((task) => task.interface.name === name)!
      const some = task.staticCases.find((kernelCase) => specs(kernelCase)[0]?.dtype === dtype)!
      const kernelCase = resized(some, [million])
      const inputs = task.draw(kernelCase)
      const outputs = rightOutputs(kernelCase, task.golden(inputs, kernelCase))
      const times: number[] = []
      for (let pass = 0; pass < 7; pass++) {
        times.push(
          processorMilliseconds(() => judge(task, kernelCase, task.golden(inputs, kernelCase), outputs, poison)),
        )
      }
      const own = Math.min(...times)
      const { atHand } = await loops.time(loop, million)
      const rates = [own, atHand].map((time) => perSecond(million / time / 1e3))
      rows.push([`${name} ${dtype}`, ...rates, `${(own / atHand).toFixed(1)}x`])
    }
    printTable(`${millions(million)} elements beside plain C++`, rows)
  })
}

function resized(kernelCase: KernelCase, shape: number[]): KernelCase {
  const change = (side: KernelCase['inputs']) =>
    Object.fromEntries(Object.keys(side).map((name) => [name, { dtype: specsOf(side[name])[0]!.dtype, shape }]))
  return { ...kernelCase, inputs: change(kernelCase.inputs), outputs: change(kernelCase.outputs) }
}

/** The golden matrix product, in float64; it is computed as it is read. */
function benchProduct([m, k, n]: readonly [number, number, number]): void {
  const [a, b] = [drawn('float16', [m, k], 1), drawn('float16', [k, n], 2)]
  const time = processorMilliseconds(() => roundedTensor({ dtype: 'float32', shape: [m, n] }, matmul(a, b)))
  const flop = 2 * m * k * n
  printTable('Matrix product', [
    ['shape', 'time', 'rate', ''],
    [
      `${m} x ${k} x ${n}`,
      `${(time / 1e3).toFixed(1)} s`,
      `${(flop / time / 1e6).toFixed(2)} GFLOP/s`,
      comparedWithAim(Number(((time / flop) * 21e9 * 2e-3).toFixed(0)), 60, 's for two of 21 GFLOP'),
    ],
  ])
}

function drawn(dtype: DType, shape: number[], seed: number): Tensor {
  const tensor = emptyTensor(dtype, shape)
  const random = new RandomStream(seed)
  normal().write(tensor, { random, adversarial: false, drawn: {}, shapes: {}, attrs: {}, content: {} })
  return tensor
}
