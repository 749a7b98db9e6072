import { mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Project, timeout, type Watching } from './project.ts'

const taskOf = (title: string): string => title.split(' ')[0] ?? ''

describe('an edit of a candidate', () => {
  const project = new Project()
  const elsewhere = mkdtempSync(join(tmpdir(), 'npu-watched-'))
  let watching: Watching | undefined

  beforeAll(() => {
    for (const operator of ['First', 'Second']) {
      project.spec(operator)
      project.candidate(operator, 'right')
    }
    // people link checkouts, and keep candidates outside of the project
    renameSync(join(project.folder, 'candidates/Second'), join(elsewhere, 'Second'))
    symlinkSync(join(elsewhere, 'Second'), join(project.folder, 'candidates/Second'))
    project.config('{ fuzzRuns: 0 }')
  })
  afterAll(async () => {
    await watching?.stop()
    project.remove()
    rmSync(elsewhere, { recursive: true })
  })

  test(
    'leads to its spec under `vitest related`, and to no other',
    async () => {
      for (const [operator, file] of [
        ['First', 'candidates/First/op_kernel/kernel.cpp'],
        ['Second', join(elsewhere, 'Second/op_kernel/kernel.cpp')],
      ] as const) {
        const { tests, stderr } = await project.related([file], ['--reporter=json'])
        expect([...new Set(tests.map(({ ancestorTitles: [task = ''] }) => taskOf(task)))], stderr).toEqual([operator])
      }
    },
    timeout,
  )

  test(
    'reruns its spec in watch mode, and no other, however it is linked',
    async () => {
      watching = project.watch()
      const text = (): string => watching?.text ?? ''
      await expect.poll(text, { timeout: 30_000 }).toContain('Waiting for file changes')
      for (const [operator, other, folder] of [
        ['First', 'Second', join(project.folder, 'candidates')],
        ['Second', 'First', elsewhere],
      ] as const) {
        watching.text = ''
        project.candidate(operator, 'slow', relative(project.folder, folder))
        await expect.poll(text, { timeout: 20_000 }).toMatch(/RERUN[^]*for file changes/)
        expect(text()).toContain(`${operator.toLowerCase()}.spec.ts`)
        expect(text()).not.toContain(`${other.toLowerCase()}.spec.ts`)
      }
    },
    timeout,
  )
})
