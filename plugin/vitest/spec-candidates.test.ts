import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sharedTasks, suitesOf, tasksIn } from '../suites/index.ts'
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

test('a spec depends on the sources of its own candidates', () => {
  const kernel = write('c/Sqrt/op_kernel/sqrt.cpp')
  const host = write('c/Sqrt/op_host/sqrt.h')
  write('c/Gelu/op_kernel/gelu.cpp')
  const candidates = new SpecCandidates([join(root, 'c')], { suites: [], shared: {} })
  expect(candidates.sourcesOfSpec('/sqrt.spec.ts', `kernelSuite('Sqrt', {})`)).toEqual([kernel, host])
  expect(candidates.sourcesOfSpec('/other.spec.ts', `test('x')`)).toEqual([])
})

test('a file leads to the specs of its operator, new and deleted files included', () => {
  const spec = write('sqrt.spec.ts', `kernelSuite('Sqrt', {})`)
  const candidates = new SpecCandidates([join(root, 'c')], { suites: [], shared: {} })
  expect(candidates.samplesOfSpec(spec)).toEqual([])
  const kernel = write('c/Sqrt/op_kernel/sqrt.cpp')
  expect(candidates.specsOf(kernel)).toEqual([spec])
  rmSync(join(root, 'c/Sqrt'), { recursive: true })
  expect(candidates.specsOf(kernel)).toEqual([spec])
  expect(candidates.specsOf(write('elsewhere/a.cpp'))).toEqual([])
})

test('a spec depends on the candidates of its own suite, where another has a task of the same name', () => {
  const suites = suitesOf({ suites: [{ name: 'second', title: 'Second', folder: 'second' }] }, root)
  const [first, second] = [
    write('tasks/level1/math/a.spec.ts', `kernelSuite('Sqrt', {})`),
    write('second/b.spec.ts', `kernelSuite('Sqrt', {})`),
  ]
  const kernel = write('c/second/Sqrt/op_kernel/s.cpp')
  write('c/Sqrt/op_kernel/s.cpp')
  const shared = sharedTasks(suites)
  expect(shared).toEqual({ Sqrt: ['npukernelbench', 'second'] })
  const candidates = new SpecCandidates([join(root, 'c')], { suites, shared })
  expect(candidates.samplesOfSpec(first)).toEqual([])
  expect(candidates.samplesOfSpec(second).map(({ root }) => root)).toEqual([join(root, 'c/second/Sqrt')])
  expect(candidates.specsOf(kernel)).toEqual([second])
})
