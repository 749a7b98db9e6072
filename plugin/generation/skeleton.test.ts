import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildLimitMs, startService } from '../../fixtures/operator.ts'
import { writeFiles } from '../../fixtures/write-files.ts'
import { loadSpecs } from '../../references/load-specs.ts'
import type { Sample, ProjectFile } from '../model/index.ts'
import type { KernelService } from '../service/service.ts'
import { combinationsOf } from '../task/combinations.ts'
import type { KernelTask } from '../task/index.ts'
import { skeletonOf } from './skeleton.ts'

const folder = mkdtempSync(join(tmpdir(), 'npu-skeleton-test-'))
let service: KernelService

beforeAll(async () => {
  service = await startService()
}, buildLimitMs)

afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

function sampleOf(task: string, files: readonly ProjectFile[]): Sample {
  const root = join(folder, task)
  writeFiles(root, files)
  const [kernelDir, hostDir] = [join(root, 'op_kernel'), join(root, 'op_host')]
  return { task, name: 'skeleton', root, kernelDir, hostDir, cmakeLists: [] }
}

/** What the sources say, whatever the operator is called. */
function textOf({ name, kernel }: KernelTask['interface'], files: readonly ProjectFile[]): string {
  const text = files.map(({ content }) => content).join('\n')
  return [name, kernel].reduce((left, word) => left.replaceAll(word, '@'), text)
}

// One of those that differ in names alone. One combination of each: what a skeleton says of dtypes is the same for all of
// them, but for complex numbers.
test('the skeleton of every task compiles', { timeout: buildLimitMs }, async () => {
  const tasks = new Map((await loadSpecs()).map((task) => [textOf(task.interface, skeletonOf(task.interface)), task]))
  expect(tasks.size).toBeGreaterThan(100)
  const failures: string[] = []
  for (const task of tasks.values()) {
    const { name } = task.interface
    const combinations = combinationsOf(task)
    const odd = combinations.find(({ inputs, outputs }) => [...inputs, ...outputs].includes('complex64'))
    const built = await service.build({
      sample: sampleOf(name, skeletonOf(task.interface)),
      task: task.interface,
      combinations: [odd ?? combinations[0]!],
    })
    if (!built.ok) failures.push(`${name}: ${JSON.stringify(built.verdict).slice(0, 600)}`)
  }
  expect(failures).toEqual([])
})
