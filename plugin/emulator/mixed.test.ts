import { describe, expect, test, vi } from 'vitest'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'
import { encode } from '../inputs/encode.ts'
import { toFloat64 } from '../inputs/decode.ts'
import { emptyTensor, type Tensor } from '../model/index.ts'

// processes take their time on a loaded machine
vi.setConfig({ testTimeout: 60_000 })

const attrs = ['key', 'blocks', 'steps', 'fault']
const operator = useOperator(interfaceOf('Mixed', 'mixed', attrs, ['float16'], ['float32']))

const [rows, depth, columns] = [32, 64, 48]

/** Integers that half holds exactly, and whose sums float holds exactly. */
function inputs(count: number): Tensor {
  const tensor = emptyTensor('float16', [count])
  let state = 1
  const values = Float64Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 28) - 8
  })
  encode(values, tensor)
  return tensor
}

interface Options {
  steps?: number
  fault?: number
  coreOrder?: string
}

async function run(key: number, blocks: number, x: Tensor, size: number, options: Options = {}) {
  const { steps = 1, fault = 0, coreOrder } = options
  const attrs = { key, blocks, steps, fault }
  return await operator.run({ x, y: { dtype: 'float32', shape: [size] }, attrs, ...(coreOrder && { coreOrder }) })
}

const one = inputs(16)

const launch = async (key: number, blocks: number, steps: number, fault = 0) => {
  const m = blocks * steps * rows
  const x = inputs(m * depth + depth * columns + columns)
  return { x, m, ...(await run(key, blocks, x, m * columns, { steps, fault })) }
}

describe('the epilogue of a product', () => {
  test.each([
    [1, 'two vector cores', 1, 1],
    [1, 'two vector cores', 3, 5],
    [1, 'two vector cores', 24, 4],
    [2, 'one vector core', 2, 5],
  ])('key %i, %s: %i groups finish what their cube core multiplies in %i steps', async (key, _, blocks, steps) => {
    const { x, m, result, y } = await launch(key, blocks, steps)
    expect(result).toMatchObject({ ok: true, reports: [] })
    const values = toFloat64(x)
    const [b, bias] = [m * depth, m * depth + depth * columns]
    const wanted = Float64Array.from({ length: m * columns }, (_, at) => {
      const [row, column] = [Math.floor(at / columns), at % columns]
      let sum = values[bias + column] ?? NaN
      for (let i = 0; i < depth; i++)
        sum += (values[row * depth + i] ?? NaN) * (values[b + i * columns + column] ?? NaN)
      return Math.max(0, sum)
    })
    expect(toFloat64(y)).toEqual(wanted)
  })

  test.each([
    [1, 'a read before the product is there', 'GmRace', /AIC \d/],
    [2, 'a product over one that is still read', 'GmRace', /workspace/],
    [3, 'a flag on a pipe that has not written the product', 'GmRace', /AIC \d/],
    [4, 'a slot that is freed before it is read', 'GmRace', /AIV \d|AIC \d/],
    [5, 'a vector core that does not free its slot', 'Deadlock', /flag [23] \(AIV 0 has set it, AIV 1 has not\)/],
    [6, 'a step that the cube core leaves out', 'Deadlock', /flag 0 \(nobody has set it\)/],
    [7, 'flags that are still set at the end', 'ErrorSync3', /flag [23] is still set .* 1 set was never waited for/],
  ])('fault %i, %s, is reported', async (fault, _, code, message) => {
    const { result } = await launch(1, 1, 5, fault)
    const report = result.reports.find((entry) => entry.code === code)
    expect(report, JSON.stringify(result.reports)).toMatchObject({ code, severity: 'error' })
    expect(report?.message).toMatch(message)
  })

  test('a read that nothing orders is reported at its line', async () => {
    const { result } = await launch(1, 1, 5, 1)
    const places = result.reports.flatMap(({ code, file, line }) => (code === 'GmRace' ? [`${file}:${line}`] : []))
    const others = result.reports.flatMap(({ other }) => (other ? [`${other.file}:${other.line}`] : []))
    expect([...places, ...others]).toContain(operator.marked('the product is read')[0])
  })

  test('takes less time than its steps one after another', async () => {
    const { result } = await launch(1, 1, 2)
    const { result: more } = await launch(1, 1, 12)
    if (!result.ok || !more.ok) throw new Error('the launch failed')
    expect(more.latencyNs).toBeGreaterThan(result.latencyNs)
    expect(more.latencyNs).toBeLessThan(6 * result.latencyNs)
  })
})

/** Floats of a cache line, in which each core stores. */
const line = 16

/** What each core says of itself: kind, block, blocks, sub-block, sub-blocks, ratio, group, sub-block of the intrinsic. */
async function described(key: number, blocks: number): Promise<(number[] | undefined)[]> {
  const { result, y } = await run(key, blocks, one, blocks * 3 * line)
  expect(result).toMatchObject({ ok: true, reports: [] })
  const numbers = [...toFloat64(y)]
  return Array.from({ length: blocks * 3 }, (_, i) => numbers.slice(i * line, i * line + 8)).map((own) =>
    own[0] === 1 || own[0] === 2 ? own : undefined,
  )
}

describe('a core knows its place', () => {
  test('in groups of one cube core and two vector cores', async () => {
    expect(await described(10, 2)).toEqual([
      [1, 0, 2, 0, 1, 1, 0, 0],
      [2, 0, 2, 0, 2, 2, 0, 0],
      [2, 1, 2, 1, 2, 2, 0, 1],
      [1, 1, 2, 0, 1, 1, 1, 0],
      [2, 2, 2, 0, 2, 2, 1, 0],
      [2, 3, 2, 1, 2, 2, 1, 1],
    ])
  })

  test.each([11, 14])('key %i: in groups of one and one', async (key) => {
    expect(await described(key, 2)).toEqual([
      [1, 0, 2, 0, 1, 1, 0, 0],
      [2, 0, 2, 0, 1, 1, 0, 0],
      undefined,
      [1, 1, 2, 0, 1, 1, 1, 0],
      [2, 1, 2, 0, 1, 1, 1, 0],
      undefined,
    ])
  })

  test.each([
    [12, 2],
    [13, 1],
  ])('key %i: where only one kind is started', async (key, kind) => {
    const started = (await described(key, 3)).filter((own) => own !== undefined)
    expect(started).toEqual([0, 1, 2].map((i) => [kind, i, 3, 0, 1, 1, i, 0]))
  })
})

const partners = (cores: number): number[] => Array.from({ length: cores * 8 }, (_, i) => (Math.floor(i / 8) ^ 1) + 1)

describe('cores of a mixed kernel meet', () => {
  test.each([
    [20, 'at a barrier over both kinds'],
    [21, 'at a barrier of each kind'],
    [22, 'with the other vector core of their group'],
  ])('key %i: %s', async (key) => {
    const { result, y } = await run(key, 3, one, 48)
    expect(result).toMatchObject({ ok: true, reports: [] })
    expect([...toFloat64(y)]).toEqual(partners(6))
  })

  test.each([20, 22])('key %i: and without meeting they race', async (key) => {
    const { result } = await run(key, 1, one, 16, { fault: 1 })
    const codes = result.reports.map(({ code }) => code)
    expect(codes).toContain(key === 20 ? 'Deadlock' : 'GmRace')
  })

  test('not when one of two vector cores sets the flag, which is reported where the cube core waits', async () => {
    const { result } = await run(30, 2, one, 8, { fault: 1 })
    const report = result.reports.find(({ code }) => code === 'Deadlock')
    expect(report).toMatchObject({ core: 'AIC 0', instruction: 'CrossCoreWaitFlag' })
    expect(report?.message).toContain('flag 3 (AIV 1 has set it, AIV 0 has not)')
    expect(report?.message).toContain('also waiting: AIC 1 at flag 3')
    expect(operator.marked('the cube core waits')).toEqual([`${report?.file}:${report?.line}`])
  })

  test.each([
    [31, 'ErrorSync3', 'flag 5 is still set when the kernel ends: 1 set was never waited for'],
    [32, 'ErrorSync4', 'flag 6 of AIV 0 is set more than 15 times'],
    [33, 'ParameterRange', 'PIPE_S'],
    [34, 'Unsupported', 'mode 2 needs a kernel of cube and vector cores'],
    [36, 'ErrorSync4', 'AIV 0 and 1 come to one barrier, and have one flag'],
  ])('key %i is refused with %s', async (key, code, message) => {
    const { result } = await run(key, 1, one, 8, { fault: 1 })
    const report = result.reports.find((entry) => entry.code === code)
    expect(report?.message, JSON.stringify(result.reports)).toContain(message)
  })

  test.each([30, 31, 32, 33, 34, 35, 36])(
    'key %i: and has nothing to report once the fault is removed',
    async (key) => {
      expect((await run(key, 2, one, 8)).result).toMatchObject({ ok: true, reports: [] })
    },
  )
})

test('every core has its own variables, as they were initialised in each launch', async () => {
  const cores = 6
  const wanted = Array.from({ length: cores }, (_, place) => [5 + 3 * place, 101 + 30 * place, 1])
  for (const coreOrder of [undefined, undefined, 'reverse']) {
    const { result, y } = await run(50, cores / 3, one, cores * line, { ...(coreOrder && { coreOrder }) })
    expect(result).toMatchObject({ ok: true, reports: [] })
    const numbers = [...toFloat64(y)]
    expect(wanted.map((_, place) => numbers.slice(place * line, place * line + 3))).toEqual(wanted)
  }
})

test('instructions of the other core kind do nothing', async () => {
  const { result, y } = await run(40, 2, one, 32)
  expect(result).toMatchObject({ ok: true, reports: [] })
  expect([...toFloat64(y)]).toEqual(Array.from({ length: 32 }, (_, i) => Math.floor(i / 8) + 1))
})
