import { expect, test } from 'vitest'
import { timing } from '../soc/profile.ts'
import { leastWork, defineTask, exact, tensor, type Work } from '../task/index.ts'
import { floorOf } from './floor.ts'

const emulated = { profile: `Ascend910B2 ${timing.version}` }
const work = (change: Partial<Work>): Work => ({ read: 0, written: 0, products: null, ...change })

test('under the clock of the emulator a floor is a launch, and the bytes at the nominal bandwidth', () => {
  expect(floorOf(work({}), 'Ascend910B2', emulated)?.ns).toBe(1520)
  const bytes = 2 ** 30
  const floor = floorOf(work({ read: bytes, written: bytes }), 'Ascend910B2', emulated)!
  // what is written stays in L2 where it fits
  expect(floor.memoryNs).toBeCloseTo((2 * bytes - 192 * 2 ** 20) / 1600, 3)
  expect(floor.ns).toBeGreaterThan(floor.memoryNs + 1500)
})

test('float32 counts as what multiplies fastest, and int8 as what it is', () => {
  const count = 2 ** 40
  const nsOf = (dtype: 'float32' | 'int8') =>
    floorOf(work({ products: { count, dtype } }), 'Ascend910B2', emulated)!.cubeNs
  expect(nsOf('float32')).toBeCloseTo(count / (24 * 4096 * 1.8), 3)
  expect(nsOf('int8')).toBeCloseTo(nsOf('float32') / 2, 3)
})

const measuredNs = (read: number): number =>
  floorOf(work({ read }), 'Ascend910B2', { profile: 'Ascend910B2 recorded' })!.ns

test('another clock may leave the launch out, and find in L2 what fits there', () => {
  const [l2, bytes] = [192 * 2 ** 20, 2 ** 30]
  expect(measuredNs(l2)).toBe(0)
  expect(measuredNs(bytes)).toBeCloseTo((bytes - l2) / 1600, 3)
})

test('a device without figures has no floor', () => {
  expect(floorOf(work({ read: 1 }), 'Ascend310P', emulated)).toBeUndefined()
})

test('of a task that nothing is known of, outputs count that hold nothing before', () => {
  const task = defineTask('Outputs', {
    category: 'Math',
    kernel: 'outputs',
    inputs: { x: tensor({ dtype: 'float32', shape: [8] }) },
    outputs: {
      x: tensor.like('x', { aliases: 'x' }),
      y: tensor.like('x'),
      z: tensor.like('x'),
    },
    golden: ({ x }) => ({ x, y: x, z: x }),
    domain: {},
    strict: exact,
    cases: [{}],
  })
  const [kernelCase] = task.staticCases
  expect(leastWork(task, kernelCase!)).toEqual({ read: 0, written: 64, products: null })
  expect(leastWork(task, kernelCase!, ['z'])).toMatchObject({ written: 32 })
})
