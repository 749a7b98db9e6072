import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { cacheDir, Project } from './project.ts'
import { commandOf, descendantsOf, leftoversOf, survivingProcessesOf } from './traces.ts'

const bin = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const project = new Project()

beforeAll(() => {
  project.operator('ScaleOne')
  project.config('{}')
})
afterAll(() => project.remove())

const report = z.object({
  config: z.object({ partial: z.boolean() }),
  files: z.record(z.string(), z.object({ mutants: z.array(z.object({ status: z.string() })) })),
})

test('a run of mutants that is interrupted leaves what it has found, and no process or copy', async () => {
  const env = { ...process.env, NPU_CACHE_DIR: cacheDir }
  const args = [bin, 'mutate', 'ScaleOne', '--reporter', 'text,json']
  // Ctrl-C reaches the whole group
  const child = spawn(process.execPath, args, { cwd: project.folder, env, detached: true })
  const pid = child.pid!
  const texts: string[] = []
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        texts.push(text)
        if (/right on \d+ cases; \d+ mutants/.test(texts.join(''))) resolve()
      })
  })
  // a few mutants later
  await new Promise((resolve) => setTimeout(resolve, 700))
  const before = descendantsOf(pid)
  expect(before.length, texts.join('')).toBeGreaterThan(0)
  process.kill(-pid, 'SIGINT')
  expect(await ended, texts.join('')).toBe(130)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(texts.join('')).toMatch(/^partial: the run was stopped when \d+ of \d+ mutants were judged$/m)
  const found = report.parse(JSON.parse(readFileSync(join(project.folder, 'reports/mutation/mutation.json'), 'utf8')))
  expect(found.config.partial).toBe(true)
  const statuses = Object.values(found.files).flatMap(({ mutants }) => mutants.map(({ status }) => status))
  expect(statuses).toContain('Pending')
  expect(statuses).not.toContain('RuntimeError')
  expect(await survivingProcessesOf([project.folder])).toEqual([])
  expect(before.filter((each) => commandOf(each) !== '')).toEqual([])
  expect(leftoversOf(pid, cacheDir)).toEqual([])
})
