import { afterAll, beforeAll, expect, test } from 'vitest'
import { Project, timeout, type Result } from './project.ts'

// Of two kernels that skip their tail one has a published case with a tail.
const project = new Project()
let result: Result
const messageOf = (operator: string): string =>
  result.tests
    .filter(({ ancestorTitles, title }) => ancestorTitles[0] === operator && title.startsWith('holds'))
    .flatMap(({ failureMessages }) => failureMessages)
    .join('\n')

beforeAll(async () => {
  project.spec('Found')
  project.candidate('Found', 'tail')
  project.spec('Hidden', 'cases: [{ x: [8] }, { x: [64, 16] }],')
  project.candidate('Hidden', 'tail')
  project.config('{ fuzzRuns: 30 }')
  result = await project.run(['--reporter=json'])
}, timeout)
afterAll(() => project.remove())

test('a failure that only generated cases show says so', () => {
  expect(messageOf('Hidden')).toContain('all 2 static cases pass; only generated values or shapes fail')
  expect(messageOf('Found')).toContain('smallest failing case')
  expect(messageOf('Found')).not.toContain('only generated')
})

test('so does the summary of the run', () => {
  const sentence = '1 sample passes every static case and only fails generated ones: Hidden candidates'
  expect(result.stderr).toContain(sentence)
})

test(
  'a warning that only generated cases get is shown, once',
  async () => {
    project.spec('Warned', 'cases: [{ x: [8] }, { x: [64, 16] }],')
    project.candidate('Warned', 'warn-tail')
    const { stdout } = await project.run(['--reporter=verbose', '-t', 'Warned'])
    expect(stdout).toMatch(/holds for generated shapes[^]*the device warns[^]*latency/)
    expect(stdout.match(/candidates: the device warns/g)).toHaveLength(1)
  },
  timeout,
)
