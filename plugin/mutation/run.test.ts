import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Outcome } from '../evaluation/evaluate.ts'
import { realPath } from '../candidates/index.ts'
import type { BuildResult, KernelCase, Report, Sample, Verdict } from '../model/index.ts'
import { editsOf } from './edits.ts'
import { placeOf, type PassedCase, type PassedOriginal } from './original.ts'
import { casesReaching, judgeMutants, type JudgedMutant } from './run.ts'
import type { NamedMutant } from './selection.ts'
import { Workspace } from './workspace.ts'

const text = `void f() {
  if (a) {
    b = c ? 1 : 2;
  }
  constexpr int d = e ? 1 : 2;
  g = h ? 1 : 2;
}
`
let root: string
let workspace: Workspace
beforeAll(() => {
  root = realPath(mkdtempSync(join(tmpdir(), 'mutation-run-')))
  mkdirSync(join(root, 'op_kernel'))
  writeFileSync(join(root, 'op_kernel/x.h'), text)
  workspace = new Workspace(root)
})
afterAll(() => {
  workspace.close()
  rmSync(root, { recursive: true })
})

const sample = (): Sample => ({
  task: 'X',
  name: 'x',
  root,
  kernelDir: join(root, 'op_kernel'),
  hostDir: null,
  cmakeLists: [],
})

/** The edits of a line, by place. */
const mutantsAt = (line: number): NamedMutant[] => {
  const path = join(root, 'op_kernel/x.h')
  return editsOf(text)
    .map((edit): NamedMutant => ({ name: 'op_kernel/x.h', file: 'op_kernel/x.h', path, text, edit }))
    .filter(({ edit }) => text.slice(0, edit.start).split('\n').length === line)
}

const caseNamed = (name: string): KernelCase => ({
  task: 'X',
  name,
  combination: 0,
  inputs: {},
  outputs: {},
  attrs: {},
  seed: 1,
})
const passed = (name: string, ...lines: number[]): PassedCase => ({
  kernelCase: caseNamed(name),
  id: name,
  ms: 1,
  reached: new Set(lines.map((line) => placeOf(join(root, 'op_kernel/x.h'), line))),
})

const original = (...cases: PassedCase[]): PassedOriginal => ({
  contents: ['original'],
  tells: ({ code }) => code !== 'Known',
  cases,
  code: new Set([1, 2, 3, 5].map((line) => placeOf(join(root, 'op_kernel/x.h'), line))),
})

test('only cases that reach the lines of an edit are run, and all where that is not known', () => {
  const cases = [passed('static 0', 1, 2), passed('static 1', 1, 2, 3)]
  const reaching = (line: number, among = cases): string[] =>
    casesReaching(original(...among), mutantsAt(line)[0]!).map(({ id }) => id)
  expect(reaching(2)).toEqual(['static 0', 'static 1'])
  expect(reaching(3)).toEqual(['static 1'])
  // decides while compiling
  expect(reaching(5)).toEqual(['static 0', 'static 1'])
  // has no code of its own
  expect(reaching(6)).toEqual(['static 0', 'static 1'])
  const unknown = { ...passed('static 0'), reached: undefined }
  expect(reaching(3, [unknown, passed('static 1', 1)])).toEqual(['static 0'])
})

const report = (code: string): Report => ({
  code,
  severity: 'warning',
  message: 'says so',
  core: 'AIV 0',
  instruction: 'Add',
  count: 1,
})
const right: Outcome = { verdict: { kind: 'correct' }, reports: [], log: '' }

interface Fake {
  build?: BuildResult
  content?: string
  outcomes?: Record<string, Outcome>
  signal?: AbortSignal
  cases?: PassedCase[]
}

/** What becomes of the first edit of line 3 on a machine that answers so; and what it was asked to launch. */
async function judged({ build, content = 'edited', outcomes = {}, signal, cases }: Fake) {
  const launched: string[] = []
  let built = ''
  const machine = {
    build: (edited: Sample): Promise<BuildResult> => {
      built = readFileSync(join(edited.kernelDir, 'x.h'), 'utf8')
      return Promise.resolve(build ?? { ok: true, artifact: 'a', ms: 1, cached: false, warnings: [] })
    },
    contentOf: () => Promise.resolve(content),
    evaluate: (_: string, { name }: KernelCase): Promise<Outcome> => {
      launched.push(name)
      return Promise.resolve(outcomes[name] ?? right)
    },
  }
  const [mutant] = mutantsAt(3)
  const all = cases ?? [passed('static 0', 1, 2), passed('static 1', 1, 2, 3), passed('static 2', 3)]
  const judging = {
    machine,
    original: original(...all),
    sample: sample(),
    workspaces: [workspace],
    signal: signal ?? new AbortController().signal,
  }
  const [one] = await judgeMutants(judging, [mutant!])
  return { launched, built, ...one! }
}

const failing = (verdict: Verdict): Fake => ({ outcomes: { 'static 1': { ...right, verdict } } })
const brief = ({ status, killedBy, reason }: JudgedMutant): unknown[] => [status, killedBy, reason]

test('a mutant is built with its edit, launched where it is reached, and ends as its cases say', async () => {
  const survived = await judged({})
  expect([...brief(survived), survived.launched, survived.coveredBy]).toEqual([
    'Survived',
    undefined,
    undefined,
    ['static 1', 'static 2'],
    ['static 1', 'static 2'],
  ])
  expect(survived.built).toContain('c && false ? 1 : 2')
  expect(readFileSync(join(workspace.folder, 'op_kernel/x.h'), 'utf8')).toBe(text)
  expect(readFileSync(join(root, 'op_kernel/x.h'), 'utf8')).toBe(text)

  const crashed = await judged(failing({ kind: 'crashed', signal: 'SIGSEGV', message: 'no' }))
  expect([...brief(crashed), crashed.launched]).toEqual(['Killed', 'static 1', 'static 1: crashed', ['static 1']])
  expect(brief(await judged(failing({ kind: 'timeout', limitMs: 5 })))).toEqual([
    'Timeout',
    'static 1',
    'static 1: took more than 5 ms',
  ])
  expect(brief(await judged(failing({ kind: 'infrastructure', message: 'the disk is full' })))).toEqual([
    'RuntimeError',
    undefined,
    'the disk is full',
  ])
})

test('what no case reaches is built and not launched', async () => {
  const { status, launched, built } = await judged({ cases: [passed('static 0', 1, 2)] })
  expect([status, launched]).toEqual(['NoCoverage', []])
  expect(built).toContain('&& false')
})

test('a new warning is noticed, unless a later case fails; one that the kernel gets anyway is not', async () => {
  const warns = (code: string): Outcome => ({ ...right, reports: [report(code)] })
  expect(brief(await judged({ outcomes: { 'static 1': warns('New') } }))).toEqual([
    'Killed',
    'static 1',
    'static 1: the device warns: New: says so',
  ])
  expect(brief(await judged({ outcomes: { 'static 1': warns('Known') } }))[0]).toBe('Survived')
  const wrong: Outcome = { ...right, verdict: { kind: 'wrong-structure', message: 'no' } }
  expect(brief(await judged({ outcomes: { 'static 1': warns('New'), 'static 2': wrong } }))).toEqual([
    'Killed',
    'static 2',
    'static 2: wrong-structure',
  ])
})

test('the same libraries are ignored, and what does not build is told apart', async () => {
  const same = await judged({ content: 'original' })
  expect([same.status, same.launched]).toEqual(['Ignored', []])
  const verdict = {
    kind: 'compile-failed' as const,
    stage: 'kernel' as const,
    class: 'syntax' as const,
    diagnostics: [{ severity: 'error' as const, message: 'expected ;' }],
    log: '',
  }
  expect(brief(await judged({ build: { ok: false, verdict, ms: 1, cached: false } }))).toEqual([
    'CompileError',
    undefined,
    'expected ;',
  ])
})

test('nothing is judged after the signal', async () => {
  const { status, built } = await judged({ signal: AbortSignal.abort() })
  expect([status, built]).toEqual(['Pending', ''])
})
