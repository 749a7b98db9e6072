import { afterAll, beforeAll, expect, test } from 'vitest'
import { Project } from './project.ts'

let project: Project

beforeAll(() => {
  project = new Project()
  project.config('{ jobs: 1, fuzzRuns: 1 }')
  project.operator('First')
  project.operator('Second')
})
afterAll(() => project.remove())

test('one job builds headers and operators that wait for them', { timeout: 120_000 }, async () => {
  const run = project.start({ env: { NPU_CACHE_DIR: project.copyCache() } })
  const limit = setTimeout(() => run.child.kill('SIGKILL'), 100_000)
  const result = await run.done
  clearTimeout(limit)
  expect(result.signal, result.text).toBeNull()
  for (const operator of ['First', 'Second']) expect(project.kinds(operator), result.text).toEqual(['correct'])
})
