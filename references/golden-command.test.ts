import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { goldenCommand } from '../plugin/cli/golden.ts'
import { inputsCommand } from '../plugin/cli/inputs.ts'
import { readNpy } from '../plugin/cli/npy.ts'
import { caseOfRun } from '../plugin/evaluation/seed.ts'
import { bytesView } from '../plugin/model/index.ts'
import type { KernelCase, Tensor } from '../plugin/model/index.ts'
import { tensorsOf } from '../plugin/task/index.ts'
import { largestArgument } from '../plugin/task/fit.ts'
import { loadSpecs } from './load-specs.ts'
import { perfect } from './trivial-candidates.ts'

vi.setConfig({ testTimeout: 60_000 })

const tasks = await loadSpecs()

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'npu-golden-'))
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterEach(() => {
  rmSync(folder, { recursive: true })
  vi.restoreAllMocks()
})

const smallest = (cases: readonly KernelCase[]): KernelCase =>
  cases.reduce((one, other) => (largestArgument(other) < largestArgument(one) ? other : one))

const contentOf = ({ dtype, data }: Pick<Tensor, 'dtype' | 'data'>) => {
  const bits = dtype === 'bfloat16' ? 'uint16' : dtype
  return { bits, bytes: Buffer.from(bytesView({ dtype, shape: [], data })).toString('base64') }
}

test.each(tasks.map((task) => ({ name: task.interface.name, task })))(
  '$name: the drawn inputs of a case, as files, are answered with its golden outputs',
  ({ task }) => {
    const wanted = smallest(task.staticCases)
    const seed = 5
    inputsCommand(task, wanted.name.replace('static ', ''), seed, join(folder, 'in'))
    goldenCommand(task, join(folder, 'in/manifest.json'), join(folder, 'out'))

    const kernelCase = caseOfRun(wanted, seed)
    const right = perfect(kernelCase, task.golden(task.draw(kernelCase), kernelCase))
    for (const [output, value] of Object.entries(right)) {
      for (const [position, tensor] of tensorsOf(value).entries()) {
        const file = Array.isArray(value) ? `${output}_${position}.npy` : `${output}.npy`
        expect(contentOf(readNpy(join(folder, 'out', file))), file).toEqual(contentOf(tensor))
      }
    }
  },
)
