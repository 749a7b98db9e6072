import { expect, test, vi } from 'vitest'
import { interfaceOf, useOperator } from '../../fixtures/operator.ts'
import { toFloat64 } from '../inputs/decode.ts'
import { encode } from '../inputs/encode.ts'
import { emptyTensor } from '../model/index.ts'

// processes take their time on a loaded machine
vi.setConfig({ testTimeout: 60_000 })

const operator = useOperator(interfaceOf('Undeclared', 'undeclared', [], ['float16'], ['float32']))

test('the vector half of a kernel without a type is started where all it does is to move data out of local memory', async () => {
  const side = 16
  const values = Float64Array.from({ length: side * side }, (_, index) => ((index * 7) % 13) - 6)
  const x = emptyTensor('float16', [side, side])
  encode(values, x)
  const { result, y } = await operator.run({ x, y: { dtype: 'float32', shape: [side, side] } })
  expect(result.ok ? result.reports : result.verdict).toEqual([])
  const product = values.map((_, place) => {
    const [row, column] = [Math.floor(place / side), place % side]
    return Array.from({ length: side }, (_, k) => values[row * side + k]! * values[k * side + column]!).reduce(
      (sum, each) => sum + each,
    )
  })
  expect([...toFloat64(y)]).toEqual([...product])
})
