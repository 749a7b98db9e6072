import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { KernelCase, Latency, VendorFigures } from '../model/index.ts'
import {
  contentOfCase,
  describeVendor,
  readVendorFigures,
  vendorReferenceOf,
  writeVendorFigures,
} from './vendor-figures.ts'

const spec = { dtype: 'float32' as const, shape: [8] }
const kernelCase: KernelCase = {
  task: 'Sqrt',
  name: 'static 2',
  combination: 0,
  inputs: { x: spec },
  outputs: { y: spec },
  attrs: {},
  seed: 1,
}
const latency: Latency & { source: 'measured' } = {
  unit: 'ns',
  source: 'measured',
  profile: 'Ascend910B2, CANN 8.3.RC2',
  mean: 3000,
  p50: 3000,
  p99: 3100,
  min: 2900,
  max: 3200,
  sd: 10,
  rme: 1,
  samples: 100,
}
const time = {
  suite: 'npukernelbench',
  task: 'Sqrt',
  case: 'static 2',
  content: contentOfCase(kernelCase),
  calls: ['aclnnSqrt'],
  latency,
  driftPercent: 0.4,
}
const figures: VendorFigures = {
  v: 1,
  soc: 'Ascend910B2',
  cann: '8.3.RC2',
  driver: '25.5.1',
  clockMHz: { rated: 1800, now: 1650 },
  date: '2026-01-02T03:04:05.000Z',
  operators: [time],
  absent: [{ task: 'Spence', why: 'the toolkit has no call for it' }],
}

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'npu-vendor-'))))
afterAll(() => rmSync(folder, { recursive: true }))

describe('figures of the vendor', () => {
  test('are read as they were written, and only for their device', () => {
    expect(writeVendorFigures(folder, figures)).toBe(join(folder, 'Ascend910B2.json'))
    expect(readVendorFigures(folder, 'Ascend910B2')).toEqual(figures)
    expect(readVendorFigures(folder, 'Ascend910B3')).toBeUndefined()
  })

  test.each<[string, unknown, RegExp]>([
    ['is no JSON', '{', /: is no JSON: /],
    ['is of another device', { ...figures, soc: 'Ascend910B3' }, /: soc: is Ascend910B3$/],
    ['has no driver', { ...figures, driver: undefined }, /: driver: /],
    [
      'has an emulated time',
      { ...figures, operators: [{ ...time, latency: { ...latency, source: 'emulated' } }] },
      /latency\.source: /,
    ],
    [
      'has a mean that cannot be',
      { ...figures, operators: [{ ...time, latency: { ...latency, mean: 9 } }] },
      /latency: mean has to lie between/,
    ],
    ['has a case twice', { ...figures, operators: [time, time] }, /: operators: a case is there twice$/],
    ['has a field more', { ...figures, owner: 'me' }, /owner/],
    ['is of another version', { ...figures, v: 2 }, /: v: /],
  ])('in a file that %s are refused in one line', (_, content, message) => {
    writeFileSync(join(folder, 'Ascend910B1.json'), typeof content === 'string' ? content : JSON.stringify(content))
    const soc = 'Ascend910B1'
    const read = (): unknown => readVendorFigures(folder, soc)
    expect(read).toThrow(message)
    expect(read).toThrow(/^vendorFigures: .*Ascend910B1\.json: [^\n]+$/)
  })

  test('are those of a case as it is now', () => {
    const task = { suite: 'npukernelbench', name: 'Sqrt' }
    expect(vendorReferenceOf(figures, task, kernelCase)).toMatchObject({ calls: ['aclnnSqrt'], cann: '8.3.RC2' })
    const other = { ...kernelCase, inputs: { x: { ...spec, shape: [9] } } }
    expect(vendorReferenceOf(figures, task, other)).toBeUndefined()
    expect(vendorReferenceOf(figures, { ...task, suite: 'own' }, kernelCase)).toBeUndefined()
    expect(vendorReferenceOf(undefined, task, kernelCase)).toBeUndefined()
  })

  test('are compared with measured times, and stand beside emulated ones', () => {
    const reference = vendorReferenceOf(figures, { suite: 'npukernelbench', name: 'Sqrt' }, kernelCase)!
    const figure = "3000 ns of the vendor's aclnnSqrt (measured 2026-01-02, CANN 8.3.RC2)"
    expect(describeVendor(reference, { ...latency, mean: 1500 })).toBe(`2.00x of the ${figure}`)
    expect(describeVendor(reference, { ...latency, source: 'emulated' })).toBe(`for reference, on hardware: ${figure}`)
  })
})
