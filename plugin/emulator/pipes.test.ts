import { expect, test, vi } from 'vitest'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'
import type { Tensor } from '../model/index.ts'

// processes take their time on a loaded machine
vi.setConfig({ testTimeout: 60_000 })

const operator = useOperator(interfaceOf('Pipes', 'pipes', ['mode'], ['float32']))

const x: Tensor = { dtype: 'float32', shape: [8], data: new Float32Array(8) }

async function reportsOf(mode: number): Promise<string[]> {
  const { result } = await operator.run({ x, y: { dtype: 'float32', shape: [8] }, attrs: { mode } })
  return result.reports.map(({ code, message, file, line }) => `${code}: ${message} (${file}:${line})`)
}

test('a pipe that handed nothing out may be left for another, and buffers and queues of no bytes unused', async () => {
  expect(await reportsOf(0)).toEqual([])
})

test('two pipes that hand out the same memory are reported where the second one does', async () => {
  const [place] = operator.marked('buffers of both')
  expect(await reportsOf(1)).toEqual([`PipeTwice: two TPipe objects hand out the same memory (${place})`])
})

test('a pipe after one that ended hands out the same memory again', async () => {
  expect(await reportsOf(2)).toEqual([])
})

test('of pipes that are constructed together, each hands out the memory after the one before has ended', async () => {
  expect(await reportsOf(6)).toEqual([])
})

test('pipes that are constructed together cannot hand out more than there is', async () => {
  const [place] = operator.marked('too much of one')
  expect(await reportsOf(7)).toEqual([`UbOverflow: the buffers take 200704 bytes of UB, which has 196608 (${place})`])
})

test('what the pipe before left in its queues is reported', async () => {
  const left = '1 tensors are still in a VECIN queue when the TPipe ends'
  expect(await reportsOf(3)).toEqual([expect.stringContaining(`ErrorSync3: ${left}`)])
})

const unordered = (place: string | undefined) => (what: string) =>
  `ErrorSync1: dst (MTE2) writes UB from 0x0 on while ${what}: nothing orders the two (${place})`
const computed = 'Duplicate (V) may still be writing it'
const stored = 'DataCopy (MTE3) may still be reading it'

test('a reset waits for the tensors that were freed, on the pipe that fills their queue and on no other', async () => {
  const [place] = operator.marked('the place of another queue')
  expect(await reportsOf(4)).toEqual([computed, stored].map(unordered(place)))
  expect(await reportsOf(5)).toEqual([])
})

test('so does that of a pool', async () => {
  const [place] = operator.marked('the place of another queue of the pool')
  expect(await reportsOf(8)).toEqual([computed, stored].map(unordered(place)))
})

test('a queue whose pool was reset has no tensors', async () => {
  const [place] = operator.marked('a queue without memory')
  expect(await reportsOf(9)).toEqual([`ErrorBuffer0: the pool of the queue was reset (${place})`])
})

test('a pipe that is destroyed without its barrier leaves other pipes unordered', async () => {
  const [place] = operator.marked('after a pipe without barrier')
  expect(await reportsOf(10)).toEqual([computed, stored].map(unordered(place)))
})

test('buffers of a pool that was reset are in use no longer', async () => {
  expect(await reportsOf(12)).toEqual([])
})

test.each([
  ['constructed', 13],
  ['reset', 14],
])('a pipe that is %s sets the mask and the mode of stores', async (_, mode) => {
  const { result, y } = await operator.run({ x, y: { dtype: 'float32', shape: [8] }, attrs: { mode } })
  expect(result.reports).toEqual([])
  expect([...y.data]).toEqual(Array(8).fill(1))
})

const unset = (what: string) => `ErrorRead2: depends on ${what}, which this kernel has not set`

test('without a pipe, and without InitSocState, nothing has set them', async () => {
  const [filled, stored] = [operator.marked('filled by the mask'), operator.marked('stored as the mode says')]
  expect(await reportsOf(15)).toEqual([
    `${unset('whether the mask counts elements')} (${filled[0]})`,
    `${unset('whether stores add to what is there')} (${stored[0]})`,
  ])
  expect(await reportsOf(16)).toEqual([])
  expect(await reportsOf(17)).toEqual([`${unset('the mask')} (${filled[0]})`])
})

test('a tensor that is left in the queue of a pool is forgotten with it', async () => {
  expect(await reportsOf(11)).toEqual([])
})
