import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sharedTasks, suitesByTask, suitesOf, tasksIn } from '../suites/index.ts'
import { SpecCandidates } from './spec-candidates.ts'

let root: string
beforeEach(() => (root = mkdtempSync(join(tmpdir(), 'npu-spec-'))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text = ''): string {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
  return join(root, path)
}

test('the tasks of a spec are read from its text', () => {
  const code = `kernelSuite('Sqrt', {})\nkernelSuite(\n  "Gelu", {})\nmyKernelSuite('No', {})`
  expect(tasksIn(code)).toEqual(['Sqrt', 'Gelu'])
})

test('a file leads to the specs of its operator, new and deleted files included', () => {
  const spec = write('sqrt.spec.ts', `kernelSuite('Sqrt', {})`)
  const candidates = new SpecCandidates([join(root, 'c')], { suites: [], shared: {}, tasks: [] })
  expect(candidates.samplesOfSpec(spec)).toEqual([])
  const kernel = write('c/Sqrt/op_kernel/sqrt.cpp')
  expect(candidates.specsOf(kernel)).toEqual([spec])
  rmSync(join(root, 'c/Sqrt'), { recursive: true })
  expect(candidates.specsOf(kernel)).toEqual([spec])
  expect(candidates.specsOf(write('elsewhere/a.cpp'))).toEqual([])
})

test('samples of a task that no spec has are told once for each such task, with the name that may be meant', () => {
  for (const path of ['Sqrt/s0', 'Sqrrt/s0', 'Sqrrt/s1', 'Nobody']) write(`c/${path}/op_kernel/a.cpp`)
  write('c/Empty/op_kernel/readme.md')
  const candidates = new SpecCandidates([join(root, 'c')], { suites: [], shared: {}, tasks: ['Sqrt', 'Exp'] })
  expect(candidates.ignored.map(({ path, reason }) => `${path.replace(root, '')}: ${reason}`)).toEqual([
    '/c/Empty/op_kernel: holds no .cpp file',
    '/c/Nobody: no task is called Nobody',
    '/c/Sqrrt/s0: no task is called Sqrrt (did you mean Sqrt?)',
  ])
})

test('a file is known by its real path, whatever links lead to it', () => {
  const spec = write('sqrt.spec.ts', `kernelSuite('Sqrt', {})`)
  const kernel = write('store/Sqrt/op_kernel/sqrt.cpp')
  symlinkSync('store', join(root, 'c'))
  const candidates = new SpecCandidates([join(root, 'c')], { suites: [], shared: {}, tasks: [] })
  candidates.samplesOfSpec(spec)
  expect(candidates.specsOf(kernel)).toEqual([spec])
  expect(candidates.specsOf(join(root, 'c/Sqrt/op_kernel/sqrt.cpp'))).toEqual([spec])
})

test('files that changed before any spec was read lead to the specs of all suites', () => {
  const spec = write('tasks/level1/math/a.spec.ts', `kernelSuite('Sqrt', {})`)
  const suites = suitesOf({}, root)
  const [kernel, other] = [write('c/Sqrt/op_kernel/s.cpp'), write('c/Gelu/op_kernel/g.cpp')]
  const candidates = new SpecCandidates([join(root, 'c')], { suites, shared: {}, tasks: [] })
  expect(candidates.specsOfAll([kernel, spec])).toEqual([spec])
  expect(candidates.specsOfAll([other])).toEqual([])
})

test('a spec depends on the candidates of its own suite, where another has a task of the same name', () => {
  const suites = suitesOf({ suites: [{ name: 'second', title: 'Second', folder: 'second' }] }, root)
  const [first, second] = [
    write('tasks/level1/math/a.spec.ts', `kernelSuite('Sqrt', {})`),
    write('second/b.spec.ts', `kernelSuite('Sqrt', {})`),
  ]
  const kernel = write('c/second/Sqrt/op_kernel/s.cpp')
  write('c/Sqrt/op_kernel/s.cpp')
  const shared = sharedTasks(suitesByTask(suites))
  expect(shared).toEqual({ Sqrt: ['npukernelbench', 'second'] })
  const candidates = new SpecCandidates([join(root, 'c')], { suites, shared, tasks: [] })
  expect(candidates.samplesOfSpec(first)).toEqual([])
  expect(candidates.samplesOfSpec(second).map(({ root }) => root)).toEqual([join(root, 'c/second/Sqrt')])
  expect(candidates.specsOf(kernel)).toEqual([second])
})
