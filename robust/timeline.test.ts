import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readTimeline, type Timeline } from '../plugin/ledger/index.ts'
import { Project } from './project.ts'

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const project = new Project()
beforeAll(() => {
  project.config('{}')
  project.operator('Right')
  project.operator('Wrong', { kernel: [['Muls(', 'Adds(']] })
})
afterAll(() => project.remove())

const timelineOf = (operator: string): Timeline | undefined => {
  const own = project.ledger().filter(({ task }) => task === operator)
  const [hash] = own.flatMap(({ timeline }) => timeline ?? [])
  return hash === undefined ? undefined : readTimeline(join(project.folder, '.npu/ledger.jsonl'), hash)
}

test('a run that asks keeps the timeline of what is right, remembered or not, and a trace is made of it', async () => {
  for (const _ of ['judged', 'remembered']) {
    const { text } = await project.run({ env: { NPU_TIMELINE: '1', NPU_SEED: '7' } })
    const timeline = timelineOf('Right')
    expect(timeline, text).toBeDefined()
    for (const { pipes } of timeline!.cores)
      expect(pipes.map(({ pipe }) => pipe)).toEqual(expect.arrayContaining(['V', 'MTE2', 'MTE3']))
    expect(timeline!.names).toEqual(expect.arrayContaining(['Muls', 'DataCopyPad', 'MTE2', 'V']))
    // only what is right is timed
    expect(timelineOf('Wrong')).toBeUndefined()
  }
  execFileSync(process.execPath, [program, 'report', '--trace', 'trace.json'], { cwd: project.folder })
  const trace: unknown = JSON.parse(readFileSync(join(project.folder, 'trace.json'), 'utf8'))
  expect(trace).toMatchObject({
    traceEvents: expect.arrayContaining([expect.objectContaining({ ph: 'X', name: 'Muls', cat: 'work' })]),
  })
})

test('a run that does not ask keeps none, and says how to ask', async () => {
  await project.run({ env: { NPU_SEED: '7' } })
  expect(project.ledger().filter(({ timeline }) => timeline !== undefined)).toEqual([])
  expect(() =>
    execFileSync(process.execPath, [program, 'report', '--trace', 'none.json'], { cwd: project.folder, stdio: 'pipe' }),
  ).toThrow('no sample has a timeline; run with NPU_TIMELINE=1, or the option timeline')
})
