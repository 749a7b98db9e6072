import { expect, test, vi } from 'vitest'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'
import type { Tensor } from '../model/index.ts'

// processes take their time on a loaded machine
vi.setConfig({ testTimeout: 60_000 })

const operator = useOperator(interfaceOf('Pipes', 'pipes', ['mode'], ['float32']))

/** Eight zeros, and eight ones behind them. */
const x: Tensor = { dtype: 'float32', shape: [16], data: Float32Array.from({ length: 16 }, (_, i) => (i < 8 ? 0 : 1)) }

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

test('a queue whose pool was reset has no tensors once the pool has handed out others', async () => {
  const [place] = operator.marked('a queue without memory')
  const what = 'the pool of the queue was reset and has handed out other buffers since'
  expect(await reportsOf(9)).toEqual([`ErrorBuffer0: ${what} (${place})`])
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

const leftSet = (flag: string) => `ErrorSync3: HardEvent::${flag} id 0 is still set when the kernel ends`

test('a tensor that is left in the queue of a pool, or of a pipe that is reset, leaves its flag set', async () => {
  expect(await reportsOf(11)).toEqual([expect.stringContaining(leftSet('V_MTE3'))])
  const [place] = operator.marked('left by a reset')
  expect(await reportsOf(26)).toEqual([`${leftSet('V_MTE3')} (${place})`])
})

/** What a mode without reports leaves in y. */
async function valuesOf(mode: number): Promise<number[]> {
  const { result, y } = await operator.run({ x, y: { dtype: 'float32', shape: [8] }, attrs: { mode } })
  expect(result.reports).toEqual([])
  return Array.from(y.data, Number)
}

test('a pool that was reset begins at the start of the memory', async () => {
  expect(await valuesOf(18)).toEqual(Array(8).fill(2))
  expect(await valuesOf(19)).toEqual(Array(8).fill(1))
})

test('what a pool has handed out may be used after its reset', async () => {
  expect(await valuesOf(20)).toEqual(Array(8).fill(3))
})

test('ids of events that a pool waits for at its reset or its end stay taken, unless they were given back before', async () => {
  const [place] = operator.marked('no id is left')
  const noneLeft = `EventId: all event ids of HardEvent::V_MTE2 are allocated (${place})`
  expect(await reportsOf(21)).toEqual([noneLeft])
  expect(await reportsOf(22)).toEqual([])
  expect(await reportsOf(23)).toEqual([noneLeft])
})

test('buffers of pools are none of the 64 of a pipe, and those that share memory share its length', async () => {
  expect(await reportsOf(24)).toEqual([])
})

test('a pool has no queues of another memory', async () => {
  const [place] = operator.marked('a queue of another memory')
  const what = 'the pool is in UB, and what it is to initialise in L1'
  expect(await reportsOf(25)).toEqual([`ErrorBuffer3: ${what} (${place})`])
})

test('a pool waits for its tensors after the pipe was reset', async () => {
  expect(await reportsOf(27)).toEqual([])
})

test('which pipes a queue orders follows from both of its ends', async () => {
  expect(await valuesOf(28)).toEqual(Array(8).fill(1))
  const [place] = operator.marked('by the ends of another queue')
  expect(await reportsOf(29)).toEqual([expect.stringMatching(`^ErrorSync2: .*MTE2.*\\(${place}\\)`)])
})

test('a flag from the vector unit to itself is a barrier where it is set, and needs no wait', async () => {
  expect(await reportsOf(30)).toEqual([])
})

test('buffers are put at offsets, and told free or not', async () => {
  const vecin = 9
  expect((await valuesOf(31)).slice(0, 7)).toEqual([64, 128, 3072, 7168, 1, 0, vecin])
  const [place] = operator.marked('places')
  const what = 'bytes 196608..197120 lie outside of UB, which has 196608'
  expect(await reportsOf(32)).toEqual([`BufferSize: ${what} (${place})`])
})

test('tensors go through queues of other positions where these are configured for it', async () => {
  expect(await valuesOf(33)).toEqual(Array(8).fill(7))
  const hangs = 'waits for HardEvent::V_MTE2 id 0, which nothing has set: the core hangs'
  expect(await reportsOf(34)).toEqual([expect.stringContaining(`ErrorSync3: ${hangs}`)])
})

test('the part of L1 that vector cores fill takes no ids of events', async () => {
  expect(await reportsOf(35)).toEqual([])
})

test('a pipe keeps in global memory what UB has no room for', async () => {
  expect(await valuesOf(36)).toEqual(Array(8).fill(6))
})

test('a queue takes for idle what it has freed itself', async () => {
  expect((await valuesOf(37)).slice(0, 3)).toEqual([0, 1, 0])
})
