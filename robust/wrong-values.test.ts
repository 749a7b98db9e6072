import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LedgerEntry } from '../plugin/ledger/index.ts'
import { Project, type Result } from './project.ts'

const project = new Project()
const store = 'DataCopyPad(to[offset], out, copy);'
const wrong = 'to.SetValue(length - 1, 7.0f);'
let result: Result

beforeAll(async () => {
  project.config('{ narrowDevices: false }')
  // the last element of each core is stored once more, and wrong
  const clean = 'DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(to);'
  const twice = `${store}\n    PipeBarrier<PIPE_ALL>();\n    if (offset + count == length) {\n      ${wrong}\n      ${clean}\n    }`
  project.operator('Over', { kernel: [[store, twice]] })
  // the last element of each core is left out
  const shorter =
    'DataCopyPad(to[offset], out, DataCopyExtParams{1, static_cast<uint32_t>((count - 1) * sizeof(float)), 0, 0, 0});'
  project.operator('Short', { kernel: [[store, shorter]] })
  result = await project.run({
    args: ['--reporter=default', '--reporter=github-actions', '--reporter=junit', '--outputFile.junit=junit.xml'],
    env: {
      GITHUB_ACTIONS: 'true',
      GITHUB_WORKSPACE: project.folder,
      GITHUB_STEP_SUMMARY: join(project.folder, 'summary.md'),
      NPU_REMEMBER: '0',
    },
  })
})
afterAll(() => project.remove())

const lineOf = (operator: string, text: string): number =>
  readFileSync(join(project.folder, project.kernelOf(operator)), 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(text)) + 1

const linesAnnotated = (operator: string): number[] => {
  const start = `::error file=${join(project.folder, project.kernelOf(operator))},line=`
  const own = result.text.split('\n').filter((line) => line.startsWith(start))
  return [...new Set(own.map((line) => Number.parseInt(line.slice(start.length), 10)))]
}

const comparisonsOf = (
  operator: string,
): NonNullable<LedgerEntry['verdict'] & { kind: 'wrong-value' }>['comparison'][] =>
  project
    .ledger()
    .filter(({ task }) => task === operator)
    .flatMap(({ verdict }) => (verdict.kind === 'wrong-value' ? [verdict.comparison] : []))

/** Whether an index is the last one of a tensor: the only one before which all of its elements lie, in each dimension. */
const isLast = (index: readonly number[], elements: number): boolean =>
  index.reduce((product, each) => product * (each + 1), 1) === elements

test('an element that was written wrong is told with the instruction that has written it last, everywhere', () => {
  const line = lineOf('Over', wrong)
  const found = comparisonsOf('Over')
  expect(found.length, result.text).toBeGreaterThan(1)
  for (const { examples = [], elements, index } of found) {
    expect(examples[0]?.index).toEqual(index)
    for (const { writer } of examples)
      expect(writer).toMatchObject({
        instruction: 'SetValue',
        line,
        writes: 2,
        core: expect.stringMatching(/^AIV \d+$/),
      })
    expect(examples.some((each) => isLast(each.index, elements))).toBe(true)
  }
  expect(linesAnnotated('Over')).toEqual([line])
  expect(result.text).toMatch(new RegExp(`> +${line}\\| +to\\.SetValue\\(length - 1, 7\\.0f\\);`))
  const said = `written last by SetValue at op_kernel/over.cpp:${line} (AIV `
  expect(result.text).toContain(said)
  expect(readFileSync(join(project.folder, 'junit.xml'), 'utf8')).toContain(said)
  expect(readFileSync(join(project.folder, 'summary.md'), 'utf8')).toMatch(/^\| Over › .* \| wrong-value \|/m)
})

test('an element that nothing has written is told so, at the definition of the kernel', () => {
  const found = comparisonsOf('Short')
  expect(found.length, result.text).toBeGreaterThan(1)
  for (const { examples = [], unwritten } of found) {
    expect(unwritten).toBeDefined()
    expect(examples).not.toHaveLength(0)
    for (const { writer } of examples) expect(writer).toBeNull()
  }
  expect(linesAnnotated('Short')).toEqual([lineOf('Short', '__global__')])
  expect(result.text).toContain('no instruction has written it')
})
