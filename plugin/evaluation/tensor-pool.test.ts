import { expect, test } from 'vitest'
import { TensorPool } from './tensor-pool.ts'

const large = [1 << 20]

test('memory that was given back is used again, and reads as zeros', () => {
  const memory = new TensorPool(2 ** 26)
  const first = memory.lease()
  const one = first.allocate('float32', large)
  one.data[5] = 7
  first.end()
  const other = memory.lease().allocate('float16', large)
  expect(other.data.buffer).toBe(one.data.buffer)
  expect(other.data).toHaveLength(1 << 20)
  expect(other.data.some((value) => Number(value) !== 0)).toBe(false)
})

test('two leases share nothing, nor do two tensors of one', () => {
  const memory = new TensorPool(2 ** 26)
  const [one, two] = [memory.lease(), memory.lease()]
  const tensors = [one, one, two].map(({ allocate }) => allocate('int8', large))
  one.end()
  tensors.push(two.allocate('int8', large), two.allocate('int8', large), two.allocate('int8', large))
  const [first, second, ...rest] = tensors.map(({ data }) => data.buffer)
  expect(new Set(rest).size).toBe(4)
  expect(rest.filter((buffer) => buffer === first || buffer === second)).toHaveLength(2)
})

test('a lease that ends twice gives its memory back once', () => {
  const memory = new TensorPool(2 ** 26)
  const lease = memory.lease()
  lease.allocate('int8', large)
  lease.end()
  lease.end()
  const { allocate } = memory.lease()
  expect(allocate('int8', large).data.buffer).not.toBe(allocate('int8', large).data.buffer)
})

test('no more than the limit is kept, and small tensors not at all', () => {
  const memory = new TensorPool(2 ** 21)
  const lease = memory.lease()
  const given = [large, large, large, [4]].map((shape) => lease.allocate('uint8', shape).data.buffer)
  lease.end()
  const { allocate } = memory.lease()
  const again = [large, large, large, [4]].map((shape) => allocate('uint8', shape).data.buffer)
  expect(again.filter((buffer) => given.includes(buffer))).toHaveLength(2)
})
