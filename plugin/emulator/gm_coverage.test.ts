import { expect, test, vi } from 'vitest'
import { matmul, operator as matmulOperator } from '../../fixtures/matmul_object/product.ts'
import { interfaceOf, startService, useOperator } from '../../fixtures/operator.ts'

// processes take their time on a loaded machine
vi.setConfig({ testTimeout: 60_000 })

const operator = useOperator(interfaceOf('GmTouches', 'gm_touches', ['mode'], ['float32']))

/** Elements of either tensor; its last cell has 16 bytes. */
const elements = 100

/** Bytes of cells of 32, of which each has 8 elements. */
const cells = (count: number): number => 32 * count

test.each([
  { what: 'nothing', mode: 0, x: [0, 0], y: [0, 0] },
  { what: 'a part in the middle', mode: 1, x: [96, 0], y: [0, 32] },
  { what: 'rows with gaps', mode: 2, x: [cells(4), 0], y: [0, cells(4)] },
  { what: 'a tail that fills no block', mode: 3, x: [16, 0], y: [0, 16] },
  { what: 'the same bytes three times', mode: 4, x: [64, 0], y: [0, 64] },
  { what: 'an atomic sum', mode: 5, x: [32, 0], y: [32, 32] },
  { what: 'GetValue and SetValue', mode: 6, x: [cells(1), 0], y: [0, cells(1)] },
  { what: 'raw pointers', mode: 7, x: [16, 0], y: [0, cells(1)] },
  { what: 'a gather from what was loaded', mode: 8, x: [256, 0], y: [0, 256] },
])('$what: what is told is what is touched', async ({ mode, x: [xRead, xWritten], y: [yRead, yWritten] }) => {
  const shape = [elements]
  const { result } = await operator.run({
    x: { dtype: 'float32', shape, data: new Float32Array(elements) },
    y: { dtype: 'float32', shape },
    attrs: { mode },
  })
  expect(result.reports.filter(({ severity }) => severity === 'error')).toEqual([])
  const bytes = 4 * elements
  if (!result.ok) throw new Error(JSON.stringify(result))
  expect(result.coverage).toEqual([
    { slot: 'x', bytes, read: xRead, written: xWritten },
    { slot: 'y', bytes, read: yRead, written: yWritten },
  ])
})

test('a Matmul reads each byte of its matrices, and writes each of the result', { timeout: 300_000 }, async () => {
  const service = await startService()
  try {
    const [m, n, k] = [40, 48, 80]
    const product = matmul({ key: 1, combination: 0, m, n, k, baseM: 32, baseN: 32, baseK: 64 })
    const operators: [string, string][] = [
      ['MatmulObject', 'matmul_object'],
      ['MatmulMixed', 'matmul_mixed'],
    ]
    for (const names of operators) {
      const { result, difference } = await product.run(await matmulOperator(service, names))
      expect(difference()).toBeUndefined()
      const [x, y] = (result.ok && result.coverage) || []
      expect({ read: x?.read, written: y?.written }).toEqual({ read: 2 * (m * k + k * n), written: 4 * m * n })
    }
  } finally {
    await service.close()
  }
})
