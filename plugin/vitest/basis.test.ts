import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readProject } from '../candidates/index.ts'
import type { Sample, VendorFigures } from '../model/index.ts'
import { SampleBasis, type BasisFacts } from './basis.ts'

const figures: VendorFigures = {
  v: 1,
  soc: 'Ascend910B2',
  cann: '9.0.0',
  driver: null,
  clockMHz: { rated: 1800, now: 1800 },
  date: '2026-01-01T00:00:00Z',
  operators: [],
  absent: [],
}
const asked = { suite: 'own', task: 'Twice', spec: '/tasks/twice.spec.ts', project: '' }

let folder: string
let baseline: Sample
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'basis-'))
  for (const side of ['op_host', 'op_kernel']) mkdirSync(join(folder, 'Twice', side), { recursive: true })
  write('// one')
  baseline = readProject(join(folder, 'Twice'), { task: 'Twice', name: 'baseline' }).samples[0]!
})
afterAll(() => rmSync(folder, { recursive: true }))

function write(kernel: string): void {
  writeFileSync(join(folder, 'Twice/op_host/twice.cpp'), '// host')
  writeFileSync(join(folder, 'Twice/op_kernel/twice.cpp'), kernel)
}

const basisOf = (changes: Partial<BasisFacts> = {}): string | null =>
  new SampleBasis({
    digestOf: (spec) => spec,
    target: { runConditions: () => [] },
    baselineOf: () => baseline,
    vendorFigures: undefined,
    ...changes,
  }).of(asked)

test('is the same where all of it is', () => {
  expect(basisOf()).toEqual(expect.any(String))
  expect(basisOf()).toBe(basisOf())
  expect(basisOf({ target: {} })).toBe(basisOf())
})

test.each<[string, Partial<BasisFacts>]>([
  ['the spec', { digestOf: () => 'other' }],
  ['how functions are computed', { target: { runConditions: () => ['exact approximations'] } }],
  ['that there is a baseline', { baselineOf: () => undefined }],
  [
    'the figures of the vendor',
    {
      vendorFigures: figures,
    },
  ],
])('is another where %s is', (_, changes) => {
  expect(basisOf(changes)).not.toBe(basisOf())
})

test('is another where the baseline operator is written anew, in the next run', () => {
  const before = basisOf()
  const run = new SampleBasis({
    digestOf: (spec) => spec,
    target: {},
    baselineOf: () => baseline,
    vendorFigures: undefined,
  })
  expect(run.of(asked)).toBe(before)
  write('// two')
  expect(basisOf()).not.toBe(before)
  // what this run has built is what was written before
  expect(run.of(asked)).toBe(before)
})

test('there is none where the spec cannot be told, or the baseline cannot be read', () => {
  expect(basisOf({ digestOf: () => null })).toBeNull()
  expect(basisOf({ baselineOf: () => ({ ...baseline, kernelDir: join(folder, 'none') }) })).toBeNull()
})
