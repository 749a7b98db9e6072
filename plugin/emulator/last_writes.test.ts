import { expect, test, vi } from 'vitest'
import { matmul, operator as matmulOperator } from '../../fixtures/matmul_object/product.ts'
import { interfaceOf, startService, useOperator } from '../../fixtures/operator.ts'

// processes take their time on a loaded machine
vi.setConfig({ testTimeout: 60_000 })

const operator = useOperator(interfaceOf('GmTouches', 'gm_touches', ['mode'], ['float32']))

const elements = 100

/** Who has written these elements of the output, with the place as `file:line`. */
async function writersOf(mode: number, watched: readonly number[]) {
  const shape = [elements]
  const x = { dtype: 'float32', shape, data: new Float32Array(elements) } as const
  const { result } = await operator.run({ x, y: { dtype: 'float32', shape }, attrs: { mode }, watched })
  if (!result.ok) throw new Error(JSON.stringify(result))
  return result.writers?.map((writer) => {
    if (writer === null) return null
    const { file, line, ...facts } = writer
    return { ...facts, at: `${file}:${line}` }
  })
}

const by = (instruction: string, mark: string, writes = 1) => ({
  instruction,
  core: 'AIV 0',
  writes,
  at: operator.marked(mark)[0],
})

test.each([
  { what: 'a part in the middle', mode: 1, at: [63, 64, 71, 72], writers: [null, 'part', 'part', null] },
  { what: 'rows with gaps', mode: 2, at: [0, 8, 16, 55, 56], writers: ['rows', null, 'rows', 'rows', null] },
])('a copy: $what', async ({ mode, at, writers }) => {
  const expected = writers.map((mark) => (mark === null ? null : by('DataCopy', mark)))
  expect(await writersOf(mode, at)).toEqual(expected)
})

test('a tail that fills no block', async () => {
  expect(await writersOf(3, [95, 96, 99])).toEqual([null, by('DataCopyPad', 'tail'), by('DataCopyPad', 'tail')])
})

test('neighbours of one pipe are told apart, and the last of those that overlap is the one', async () => {
  expect(await writersOf(9, [7, 8, 16])).toEqual([
    by('DataCopy', 'head'),
    by('DataCopy', 'behind it'),
    by('DataCopy', 'over it', 2),
  ])
})

test('one instruction that writes again and again', async () => {
  expect(await writersOf(4, [15, 16])).toEqual([by('DataCopy', 'thrice', 3), null])
})

test('an atomic sum says so', async () => {
  expect(await writersOf(5, [32])).toEqual([{ ...by('DataCopy', 'sum'), atomic: true }])
})

test('SetValue, and a raw pointer', async () => {
  expect(await writersOf(6, [40, 41])).toEqual([by('SetValue', 'set'), null])
  expect(await writersOf(7, [8, 9])).toEqual([expect.objectContaining({ at: operator.marked('pointer')[0] }), null])
})

test('nothing is told that nobody has asked for', async () => {
  const shape = [elements]
  const x = { dtype: 'float32', shape, data: new Float32Array(elements) } as const
  const { result } = await operator.run({ x, y: { dtype: 'float32', shape }, attrs: { mode: 1 } })
  expect(result).not.toHaveProperty('writers')
  expect(result).not.toHaveProperty('timeline')
})

test('the result of a Matmul is written where it is asked for', { timeout: 300_000 }, async () => {
  const service = await startService()
  try {
    const product = matmul({ key: 1, combination: 0, m: 40, n: 48, k: 80, baseM: 32, baseN: 32, baseK: 64 })
    const operators: [string, string][] = [
      ['MatmulObject', 'matmul_object'],
      ['MatmulMixed', 'matmul_mixed'],
    ]
    for (const names of operators) {
      const built = await matmulOperator(service, names)
      const { result } = await product.run(built, undefined, { watched: [0, 40 * 48 - 1] })
      if (!result.ok) throw new Error(JSON.stringify(result))
      const [place] = built.marked('the product')
      expect(result.writers).toHaveLength(2)
      for (const writer of result.writers ?? []) expect(`${writer?.file}:${writer?.line}`).toBe(place)
      expect(result.writers?.map((writer) => [writer?.core.slice(0, 3), writer?.writes])).toEqual([
        ['AIC', 1],
        ['AIC', 1],
      ])
    }
  } finally {
    await service.close()
  }
})
