import { cpSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Project, timeout, type Result } from './project.ts'

const fixture = fileURLToPath(new URL('../../../fixtures/fake-target', import.meta.url))

describe('a target that the package does not know', () => {
  const project = new Project()
  let result: Result

  beforeAll(async () => {
    cpSync(fixture, project.folder, { recursive: true })
    result = await project.run(['--reporter=json'])
  }, timeout)
  afterAll(() => project.remove())

  test('has its candidates judged like any other', () => {
    const kinds = project.ledger().map((entry) => [entry.stage, entry.case.split(':')[0], entry.verdict.kind])
    expect(kinds, result.stderr).toEqual([
      ['compile', 'compiles', 'correct'],
      ['static', 'static 0', 'correct'],
      ['static', 'static 1', 'wrong-value'],
      ['static', 'static 2', 'tiling-failed'],
      ['latency', 'latency', 'correct'],
    ])
    const wrong = result.tests.find(({ title }) => title.startsWith('static 1'))
    expect(wrong?.failureMessages.join('\n')).toContain('worst y[2]: expected 14, got 15')
  })

  test('is named in the ledger, with latencies that are measured', () => {
    const last = project.ledger().at(-1)
    expect(last).toMatchObject({ target: 'replay', soc: 'Ascend910B2' })
    expect(last?.latency).toMatchObject({ mean: 1500, samples: 3, source: 'measured', profile: 'Ascend910B2 recorded' })
  })

  test('has the hash of its sources in each entry', () => {
    const found = new Set(project.ledger().map(({ sources }) => sources))
    expect([...found]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)])
  })

  test('says itself whether verdicts may be remembered: these are judged again', async () => {
    await project.run()
    expect(project.ledger().filter(({ remembered }) => remembered)).toEqual([])
  })

  test('gives way to the one that the environment names', async () => {
    const { exitCode, stderr } = await project.run([], { NPU_TARGET: 'abacus' })
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain('NPU_TARGET is "abacus"; allowed: "emulator" or "ascend"')
  })
})
