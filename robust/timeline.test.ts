import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { readTimeline, type Timeline } from '../plugin/ledger/index.ts'
import { Project } from './project.ts'

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const project = new Project()
beforeAll(() => {
  project.write(
    'vitest.config.ts',
    `import { appendFileSync } from 'node:fs'
import { npuKernels } from 'vitest-npu/plugin'
const attachments = {
  onTestCaseArtifactRecord(test, artifact) {
    appendFileSync('attachments.jsonl', JSON.stringify([test.fullName, artifact]) + '\\n')
  },
}
export default { plugins: [npuKernels({})], test: { reporters: ['default', attachments] } }
`,
  )
  project.operator('Right')
  project.operator('Wrong', { kernel: [['Muls(', 'Adds(']] })
})
afterAll(() => project.remove())

const timelineOf = (operator: string): Timeline | undefined => {
  const own = project.ledger().filter(({ task }) => task === operator)
  const [hash] = own.flatMap(({ timeline }) => timeline ?? [])
  return hash === undefined ? undefined : readTimeline(join(project.folder, '.npu/ledger.jsonl'), hash)
}

/** What Vitest has copied to its attachments in the last run, by the full name of the test. */
function attached(): unknown[] {
  const path = join(project.folder, 'attachments.jsonl')
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  rmSync(path)
  return lines.map((line) => {
    const [test, artifact] = recorded.parse(JSON.parse(line))
    return [test, JSON.parse(gunzipSync(readFileSync(artifact.attachments[0].path)).toString('utf8'))]
  })
}

const recorded = z.tuple([
  z.string(),
  z.object({
    type: z.literal('vitest-npu:timeline'),
    attachments: z.tuple([
      z.object({ path: z.string().includes('attachments'), contentType: z.literal('application/gzip') }),
    ]),
  }),
])

test('a run that asks keeps the timeline of what is right, remembered or not, and a trace is made of it', async () => {
  for (const _ of ['judged', 'remembered']) {
    const { text } = await project.run({ env: { NPU_TIMELINE: '1', NPU_SEED: '7' } })
    const timeline = timelineOf('Right')
    expect(timeline, text).toBeDefined()
    for (const { pipes } of timeline!.cores)
      expect(pipes.map(({ pipe }) => pipe)).toEqual(expect.arrayContaining(['V', 'MTE2', 'MTE3']))
    expect(timeline!.names).toEqual(expect.arrayContaining(['Muls', 'DataCopyPad', 'MTE2', 'V']))
    expect(attached()).toEqual([['Right > candidates > latency', timeline]])
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
