import { join } from 'node:path'
import { withCaseFile } from '../plugin/case-file/index.ts'
import type { KernelCase, Sample, TaskInterface } from '../plugin/model/index.ts'
import { findCompiler } from '../plugin/toolchain/compiler.ts'
import { comparedWithAim, printTable } from './figures.ts'
import { artifactOf, withMachine } from './machine.ts'
import { withNativeForms } from './native.ts'
import { repository } from './subjects.ts'

const aimRatio = 3
/** What a launch takes besides is in both. */
const [few, many] = [8, 2008]

const folder = join(repository, 'bench/instructions')
const [kernelDir, hostDir] = [join(folder, 'op_kernel'), join(folder, 'op_host')]
const sample: Sample = { task: 'InstructionBench', name: 'bench', root: folder, kernelDir, hostDir, cmakeLists: [] }

const tensor = (name: string) => ({ name, kind: 'tensor' as const, required: true, dtypes: ['float32' as const] })
const task: TaskInterface = {
  name: 'InstructionBench',
  kernel: 'instruction_bench',
  suite: 'own',
  group: null,
  category: 'Bench',
  inputs: [tensor('x')],
  outputs: [tensor('y')],
  attrs: [
    { name: 'form', type: 'int', required: true },
    { name: 'executions', type: 'int', required: true },
  ],
}
const vector = { dtype: 'float32' as const, shape: [8] }
const kernelCase = (form: number, executions: number): KernelCase => ({
  task: task.name,
  name: 'bench',
  combination: 0,
  inputs: { x: vector },
  outputs: { y: vector },
  attrs: { form, executions },
  seed: 1,
})

/**
 * Each instruction form on 8192 elements with all checks on, beside a plain loop of the same arithmetic that was
 * compiled with the flags of the runtime, in turns. The loop gives the time of the fastest of many short batches; an
 * instruction takes what launches with many take longer than those with few, in processor time of the device.
 */
export async function benchInstructions(cacheDir: string, rounds: number, part = ''): Promise<void> {
  const compiler = await findCompiler()
  await withMachine(cacheDir, async (machine) => {
    const combinations = [{ inputs: ['float32' as const], outputs: ['float32' as const] }]
    const { artifact } = await artifactOf(machine, { sample, task, combinations })
    const emulate = async (form: number, executions: number): Promise<number> => {
      const wanted = kernelCase(form, executions)
      const x = { ...vector, data: new Float32Array(8) }
      return await withCaseFile(task, wanted, { x }, async ({ path: file, fileBytes, slots }) => {
        const args = { artifact, case: wanted, poison: 'a5a5a5a5a5a5a5a5', file, fileBytes, slots }
        const answer = await machine.client.call('launch', args)
        if (!answer.ok) throw new Error(JSON.stringify(answer.verdict))
        if (answer.reports.length > 0) throw new Error(JSON.stringify(answer.reports))
        return answer.hostMs * 1e6
      })
    }
    const rows: { name: string; emulated: number; native: number }[] = []
    await withNativeForms(compiler, cacheDir, async (loops) => {
      for (const [form, name] of (await loops.names()).entries()) {
        if (!name.includes(part)) continue
        const [withFew, withMany]: [number[], number[]] = [[], []]
        const native: number[] = []
        for (let round = 0; round < rounds; round++) {
          native.push(await loops.time(form))
          withFew.push(await emulate(form, few))
          withMany.push(await emulate(form, many))
        }
        const emulated = (Math.min(...withMany) - Math.min(...withFew)) / (many - few)
        rows.push({ name, emulated, native: Math.min(...native) })
      }
    })
    const sorted = rows
      .map((row) => ({ ...row, ratio: row.emulated / row.native }))
      .toSorted((a, b) => b.ratio - a.ratio)
    printTable(`One instruction on 8192 elements, all checks, fastest of ${rounds}`, [
      ['form', 'emulated', 'plain loop', 'ratio', ''],
      ...sorted.map(({ name, emulated, native, ratio }) => [
        name,
        `${emulated.toFixed(0)} ns`,
        `${native.toFixed(0)} ns`,
        `${ratio.toFixed(1)}x`,
        comparedWithAim(Number(ratio.toFixed(1)), aimRatio, 'x'),
      ]),
    ])
    const missed = sorted.filter(({ ratio }) => ratio > aimRatio).length
    console.log(`\n${sorted.length - missed} of ${sorted.length} forms within ${aimRatio}x; worst ${sorted[0]?.name}`)
  })
}
