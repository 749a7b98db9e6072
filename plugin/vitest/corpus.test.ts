import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { KernelCase } from '../model/index.ts'
import { attr, defineTask, dim, exact, tensor, toFloat64, type KernelTask } from '../task/index.ts'
import { Corpus } from './corpus.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'npu-corpus-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const taskWith = ({ rank = 4 } = {}): KernelTask =>
  defineTask('Scale', {
    category: 'Math',
    kernel: 'scale',
    inputs: { x: tensor({ dtype: 'float32', shape: ['...rows'] }) },
    outputs: { y: tensor.like('x') },
    attrs: { factor: attr.float(2) },
    golden: ({ x }) => ({ y: { values: toFloat64(x) } }),
    domain: { rows: dim.list({ max: rank }) },
    maxElements: 1000,
    strict: exact,
    cases: [{ x: [8] }],
  })

const corpusOf = (task = taskWith(), run?: string): Corpus => new Corpus(folder, task, run)

const caseOf = (shape: number[], fields: Partial<KernelCase> = {}): KernelCase => ({
  task: 'Scale',
  name: 'generated',
  combination: 0,
  inputs: { x: { dtype: 'float32', shape } },
  outputs: { y: { dtype: 'float32', shape } },
  attrs: { factor: 2 },
  seed: 1,
  ...fields,
})

function write(text: string): void {
  mkdirSync(dirname(corpusOf().path), { recursive: true })
  writeFileSync(corpusOf().path, text)
}

describe('a kept case', () => {
  test('is tried again, the newest first', () => {
    for (const size of [1, 2, 1]) corpusOf().add(caseOf([size]))
    expect(corpusOf().read()).toEqual({ cases: [caseOf([1]), caseOf([2])], others: 0 })
  })

  test('makes room for newer ones, however many somebody has written', () => {
    write(JSON.stringify(Array.from({ length: 20_000 }, (_, i) => caseOf([i % 1000]))))
    expect(corpusOf().read().cases).toHaveLength(20)
    corpusOf().add(caseOf([77, 1]))
    expect(corpusOf().read().cases.slice(0, 2)).toEqual([caseOf([77, 1]), caseOf([0])])
  })

  test('of a domain that is another one by now is passed over until it is that one again', () => {
    corpusOf().add(caseOf([1, 1, 1, 1]))
    expect(corpusOf(taskWith({ rank: 3 })).read()).toEqual({ cases: [], others: 1 })
    corpusOf(taskWith({ rank: 3 })).add(caseOf([2]))
    expect(corpusOf(taskWith({ rank: 3 })).read()).toEqual({ cases: [caseOf([2])], others: 1 })
    expect(corpusOf().read()).toEqual({ cases: [caseOf([1, 1, 1, 1])], others: 1 })
  })

  test.each<[string, KernelCase]>([
    ['more elements than are allowed', caseOf([400_000_000])],
    ['another dtype', caseOf([1], { inputs: { x: { dtype: 'int32', shape: [1] } } })],
    ['a combination that there is not', caseOf([1], { combination: 1 })],
    ['no tensor', caseOf([1], { inputs: { x: null } })],
    ['a list of tensors', caseOf([1], { inputs: { x: [] } })],
    ['one input more', caseOf([1], { inputs: { ...caseOf([1]).inputs, z: null } })],
    ['another output', caseOf([1], { outputs: { z: { dtype: 'float32', shape: [1] } } })],
    ['no attribute', caseOf([1], { attrs: {} })],
    ['an attribute of another type', caseOf([1], { attrs: { factor: 'two' } })],
    ['another name of its task', caseOf([1], { task: 'Other' })],
  ])('with %s is none of the task', (_, kernelCase) => {
    write(JSON.stringify([kernelCase, caseOf([5])]))
    expect(corpusOf().read()).toEqual({ cases: [caseOf([5])], others: 1 })
  })

  test('is that of the run that has come to the task, whatever is found meanwhile', () => {
    const run = join(folder, 'run')
    corpusOf().add(caseOf([1]))
    const before = corpusOf(taskWith(), run).ofEarlierRuns()
    corpusOf().add(caseOf([2]))
    expect(corpusOf(taskWith(), run).ofEarlierRuns()).toEqual(before)
    expect(before).toEqual({ cases: [caseOf([1])], others: 0 })
  })
})

describe('the file', () => {
  test('that is no list of cases is an error that names it', () => {
    for (const text of ['{', '{}', '[1]', '']) {
      write(text)
      expect(() => corpusOf().read()).toThrow(`${corpusOf().path} is no list of cases`)
    }
  })

  test('that is huge is refused unread', () => {
    write('[')
    truncateSync(corpusOf().path, 2 ** 40)
    expect(() => corpusOf().read()).toThrow(`${corpusOf().path} is larger than 32 MiB`)
  })

  test('that would keep its reader waiting is not there', () => {
    mkdirSync(dirname(corpusOf().path), { recursive: true })
    execFileSync('mkfifo', [corpusOf().path])
    expect(corpusOf().read()).toEqual({ cases: [], others: 0 })
    corpusOf().add(caseOf([1]))
    expect(corpusOf().read().cases).toEqual([caseOf([1])])
  })

  test('that cannot be written is told, and nothing is left beside it', () => {
    mkdirSync(corpusOf().path, { recursive: true })
    expect(corpusOf().read().cases).toEqual([])
    expect(() => corpusOf().add(caseOf([1]))).toThrow(/EISDIR/)
    expect(readdirSync(dirname(corpusOf().path))).toEqual(['Scale.json'])
    writeFileSync(join(folder, 'file'), '')
    const inFile = new Corpus(join(folder, 'file'), taskWith())
    expect(inFile.read().cases).toEqual([])
    expect(() => inFile.add(caseOf([1]))).toThrow(/ENOTDIR/)
  })
})
