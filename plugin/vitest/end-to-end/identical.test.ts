import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LedgerEntry } from '../../ledger/index.ts'
import { Project, timeout, type Result } from './project.ts'

const project = new Project()
const launches = join(project.folder, 'launches')
const env = { FAKE_ALIKE: '1', FAKE_LAUNCHES: launches }

/** Runs without counterexamples of earlier runs, and tells what was launched. */
async function judged(args: string[] = [], more: Record<string, string> = {}): Promise<Result & { modes: string[] }> {
  rmSync(launches, { force: true })
  rmSync(join(project.folder, '.npu/corpus'), { recursive: true, force: true })
  const result = await project.run(args, { ...env, ...more })
  const text = existsSync(launches) ? readFileSync(launches, 'utf8') : ''
  return { ...result, modes: text.split('\n').slice(0, -1) }
}

const of = (entries: readonly LedgerEntry[], name: string): object[] =>
  entries
    .filter(({ sample }) => sample === name)
    .map(({ sample: _sample, time: _time, ms: _ms, remembered: _remembered, ...entry }) => entry)

beforeAll(() => {
  project.config('{ fuzzRuns: 2, narrowDevices: false, guided: false }')
  project.spec('Twice')
  for (const [sample, mode] of [
    ['a', 'tail'],
    ['b', 'right'],
    ['c', 'tail'],
    ['d', 'right'],
  ] as const)
    project.candidate(`Twice/${sample}`, mode)
})
afterAll(() => project.remove())

test('of samples that are the same one is judged, and the others say so', { timeout: 3 * timeout }, async () => {
  const { modes, stdout } = await judged(['--reporter=verbose'])
  const entries = project.ledger()
  expect(of(entries, 'c')).toEqual(of(entries, 'a'))
  expect(of(entries, 'd')).toEqual(of(entries, 'b'))
  expect(of(entries, 'c')).not.toEqual(of(entries, 'd'))
  const told = (name: string) => entries.filter(({ sample, stage }) => sample === name && stage !== 'compile')
  expect(told('a').every(({ remembered }) => remembered === undefined)).toBe(true)
  for (const { remembered, runs = 1 } of [...told('c'), ...told('d')]) expect(remembered).toBe(runs)
  expect(stdout).toContain('judged once: d has the same sources as b')
  // lines come in the order of the spec
  const samples = entries.map(({ sample }) => sample)
  expect(samples.filter((sample, i) => sample !== samples[i - 1])).toEqual(['a', 'b', 'c', 'd'])

  // who has everything judged afresh has each of them judged
  const afresh = await judged([], { NPU_REMEMBER: '0' })
  expect(afresh.modes.filter((mode) => mode === 'right').length).toBe(
    2 * modes.filter((mode) => mode === 'right').length,
  )
  expect(afresh.modes.filter((mode) => mode === 'tail').length).toBeGreaterThan(
    modes.filter((mode) => mode === 'tail').length,
  )
})

test('one of which the other does not run is judged', { timeout }, async () => {
  const { modes } = await judged(['-t', 'Twice d static 0:'])
  expect(modes).toEqual(['right', 'right'])
  const shuffled = await judged(['--sequence.shuffle.tests', '--sequence.seed=3'])
  expect(shuffled.exitCode).toBe(1)
  expect(shuffled.modes.length).toBeGreaterThan(0)
})

const verdictsOf = () => project.ledger().map(({ sample, case: title, verdict }) => [sample, title, verdict.kind])

test('where tests of a sample run at the same time, the same is judged', { timeout: 2 * timeout }, async () => {
  for (const sample of ['e', 'f', 'g']) project.candidate(`Twice/${sample}`, 'tail')
  await judged()
  const ordered = verdictsOf()
  const { modes, exitCode } = await judged(['--sequence.concurrent', '--maxConcurrency=2'])
  // it came to its end
  expect(exitCode).toBe(1)
  expect(verdictsOf()).toEqual(ordered)
  expect(modes.length).toBeGreaterThan(0)
})
