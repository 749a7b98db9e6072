import { expect, test } from 'vitest'
import { BuildQueue } from './build-queue.ts'

test('what someone waits for overtakes what is only expected, and nothing is built twice at a time', async () => {
  const queue = new BuildQueue<string>(1)
  const order: string[] = []
  const work = (name: string) => async () => {
    order.push(name)
    await new Promise((resolve) => setTimeout(resolve, 1))
    return name
  }
  const prefetched = ['a', 'b', 'c', 'd'].map((name) => queue.run(name, false, work(name)))
  expect(await queue.run('c', true, work('c again'))).toBe('c')
  expect(await Promise.all(prefetched)).toEqual(['a', 'b', 'c', 'd'])
  expect(order).toEqual(['a', 'c', 'b', 'd'])
  expect(await queue.run('c', true, work('rebuilt'))).toBe('rebuilt')
})
