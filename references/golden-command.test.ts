import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { answer } from '../plugin/cli/golden.ts'
import { draw } from '../plugin/cli/inputs.ts'
import { readNpy } from '../plugin/cli/npy.ts'
import { caseOfRun } from '../plugin/evaluation/seed.ts'
import { bytesView } from '../plugin/model/index.ts'
import type { Tensor } from '../plugin/model/index.ts'
import { tensorsOf, type KernelTask } from '../plugin/task/index.ts'
import { casesOf } from './cases-of.ts'
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

// The smallest public case, or, where public ones are large, a generated one in its place.
function small(task: KernelTask): KernelTask {
  const [first] = casesOf(task, 1, 2 ** 14)
  if (!first) throw new Error(`${task.interface.name} has no small case`)
  const name = first.name === 'generated' ? 'static 0' : first.name
  return { ...task, staticCases: [{ ...first, name }] }
}

const contentOf = ({ dtype, data }: Pick<Tensor, 'dtype' | 'data'>) => {
  const bits = dtype === 'bfloat16' ? 'uint16' : dtype
  return { bits, bytes: Buffer.from(bytesView({ dtype, shape: [], data })).toString('base64') }
}

test.each(tasks.map((task) => ({ name: task.interface.name, task })))(
  '$name: the drawn inputs of a case, as files, are answered with its golden outputs',
  ({ task: full }) => {
    const task = small(full)
    const wanted = task.staticCases[0]!
    const seed = 5
    draw(task, wanted.name.replace('static ', ''), seed, join(folder, 'in'))
    answer(task, join(folder, 'in/manifest.json'), join(folder, 'out'))

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
