import * as fc from 'fast-check'
import { drawn, exact, kernelSuite, scalarTensor, tensorList, widened } from 'vitest-npu'
import { roundOff } from '../../../references/golden/foreach-rounding.ts'
import { columns, foreach, shapes } from './family.ts'

// -10.5 … 10.5 with a tie on either side of a whole number and that number itself.
const published = drawn(({ data: { length } }, { random }) => {
  const values = Array.from({ length }, () => -10.5 + 21 * (random.next() / 2 ** 32))
  const whole = random.below(11) - 5
  for (const value of [whole + 0.5, whole - 0.5, whole].slice(0, length)) values[random.below(length)] = value
  return values
})

// Sixteenths hold many ties and whole numbers and nothing next to a tie, where adding 0.5 to a 16-bit number rounds. The largest that
// are drawn exceed 16 bits, as whole numbers and as float16; those of float16 are whole.
const sixteenths = drawn(({ dtype, data: { length } }, { random }) => {
  const range = [21 * 16, 16, 2048, dtype === 'float16' ? 32 * 65504 : 2 ** 24][random.below(4)]!
  const far = dtype !== 'float16' && random.below(2) === 0 ? 2 ** 20 : 1
  return Array.from({ length }, () => (far * (random.below(range + 1) - range / 2)) / 16)
})

kernelSuite('ForeachRoundOffNumber', {
  ...foreach('foreach_round_off_number'),
  description:
    'Rounds every element of every tensor of a list as roundMode says: 1 to nearest, ties to even; 2 down; 3 up; 4 to nearest, ties away from zero; 5 towards zero; 7 leaves the fraction x - trunc(x).',
  inputs: {
    x: tensorList({ dtype: columns.floats, draw: widened(published, sixteenths) }),
    roundMode: scalarTensor({ dtype: columns.floatScalar }),
  },
  outputs: { y: tensorList.like('x') },
  golden: ({ x, roundMode }) => ({ y: roundOff(x, roundMode) }),
  domain: { x: shapes, roundMode: fc.constantFrom(1, 2, 3, 4, 5, 7) },
  strict: exact,
  benchmark: { note: 'lists of up to four small tensors; half away from zero only in float32' },
  cases: [
    { x: [[10]], dtype: 'float32', roundMode: 1 },
    { x: [[5], [5, 5]], dtype: 'float16', roundMode: 2 },
    { x: [[10, 10], [5], [2, 2, 2]], dtype: 'bfloat16', roundMode: 3 },
    { x: [[20]], dtype: 'float32', roundMode: 4 },
    { x: [[3, 3], [1, 10], [7], [1]], dtype: 'float16', roundMode: 5 },
    { x: [[100], [100, 100]], dtype: 'float16', roundMode: 7 },
    { x: [[1]], dtype: 'bfloat16', roundMode: 1 },
    { x: [[20, 20]], dtype: 'float16', roundMode: 5 },
  ],
})
