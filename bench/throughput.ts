import { withCaseFile } from '../plugin/case-file/index.ts'
import { evaluateCase } from '../plugin/evaluation/evaluate.ts'
import { PreparedCases } from '../plugin/evaluation/prepared.ts'
import { poisonOf } from '../plugin/evaluation/seed.ts'
import { sizeOf, type KernelCase } from '../plugin/model/index.ts'
import { findCompiler } from '../plugin/toolchain/compiler.ts'
import { comparedWithAim, printTable, fastestAndMedian } from './figures.ts'
import { artifactOf, withMachine, type Machine } from './machine.ts'
import { withNativeLoops } from './native.ts'
import { buildArgsOf, reshaped, subjectOf, type Subject } from './subjects.ts'

const aimRatio = 3
/** 6 291 456 elements, the largest public case of AddCustom */
const large = [96, 64, 1024]

export interface Work {
  subject: Subject
  kernelCase: KernelCase
}

export function staticCase(name: string, dtype: string, shapes: Record<string, number[]>): Work {
  const subject = subjectOf(name)
  const found = subject.task.staticCases.find(({ inputs }) => {
    const [first] = Object.values(inputs)
    return first && !Array.isArray(first) && first.dtype === dtype
  })
  if (!found) throw new Error(`${name} has no static case of ${dtype}`)
  return { subject, kernelCase: reshaped(found, shapes) }
}

/** Milliseconds of one launch: emulating the kernel, and all of it. */
export interface Times {
  kernel: number
  launch: number
}

/**
 * Hands `use` a function that launches the case once more; the case is judged first, so that only right kernels count.
 */
export async function withLaunch<T>(
  machine: Machine,
  { subject, kernelCase }: Work,
  use: (launch: () => Promise<Times>) => Promise<T>,
): Promise<T> {
  const { task } = subject
  const { artifact } = await artifactOf(machine, buildArgsOf(subject))
  const context = {
    launch: machine.service.launch.bind(machine.service),
    prepared: new PreparedCases(),
    profile: 'standard' as const,
    spec: task.interface.name,
  }
  const { verdict } = await evaluateCase({ task, artifact }, kernelCase, context)
  if (verdict.kind !== 'correct') throw new Error(`${task.interface.name}: ${JSON.stringify(verdict)}`)
  const poison = poisonOf(kernelCase)
  return await withCaseFile(task.interface, kernelCase, task.draw(kernelCase), async ({ path, fileBytes, slots }) => {
    const request = { artifact, case: kernelCase, poison, file: path, fileBytes, slots }
    return await use(async () => {
      const started = performance.now()
      const answer = await machine.client.call('launch', request)
      if (!answer.ok) throw new Error(JSON.stringify(answer.verdict))
      return { kernel: answer.hostMs, launch: performance.now() - started }
    })
  })
}

/** Large launches with all checks on, beside plain loops over as much data, measured in turns. */
export async function benchThroughput(cacheDir: string, rounds: number): Promise<void> {
  const compiler = await findCompiler()
  await withMachine(cacheDir, async (machine) => {
    const kernelTitles = ['emulated', 'native loop', 'ratio', '']
    const rows = [['kernel', ...kernelTitles, 'whole launch', 'loop, mapping', 'ratio', 'elements/µs']]
    await withNativeLoops(compiler, cacheDir, async (loops) => {
      const compared = [
        ['Add float16', 'add-float16', staticCase('AddCustom', 'float16', { x: large, y: large, z: large })],
        ['Sqrt float32', 'sqrt-float32', staticCase('Sqrt', 'float32', { x: large, y: large })],
      ] as const
      for (const [name, loop, work] of compared) {
        const emulated: number[] = []
        const whole: number[] = []
        const atHand: number[] = []
        const mapped: number[] = []
        await withLaunch(machine, work, async (launch) => {
          for (let round = 0; round < rounds; round++) {
            const native = await loops.time(loop, sizeOf(large))
            atHand.push(native.atHand)
            mapped.push(native.mapped)
            const times = await launch()
            emulated.push(times.kernel)
            whole.push(times.launch)
          }
        })
        const fastest = Math.min(...emulated)
        const ratio = fastest / Math.min(...atHand)
        const wholeRatio = Math.min(...whole) / Math.min(...mapped)
        const rate = sizeOf(large) / fastest / 1000
        const verdict = loop === 'add-float16' ? comparedWithAim(Number(ratio.toFixed(1)), aimRatio, 'x') : ''
        const kernel = [fastestAndMedian(emulated), fastestAndMedian(atHand), `${ratio.toFixed(1)}x`]
        const launches = [fastestAndMedian(whole), fastestAndMedian(mapped), `${wholeRatio.toFixed(1)}x`]
        rows.push([name, ...kernel, verdict, ...launches, rate.toFixed(0)])
      }
    })
    printTable(`${sizeOf(large)} elements, all checks, fastest (median) of ${rounds}`, rows)
  })
}
